// SPDX-License-Identifier: Apache-2.0

package kubebuilder

import "github.com/webhook-gen/webhook-gen/generator/internal/diag"

// The ids under which this package reports.
const (
	rulePlacement     = "K1"
	ruleBlockComment  = "K2"
	ruleName          = "K3"
	ruleGrammar       = "K4"
	ruleUnknown       = "K5"
	ruleMissing       = "K6"
	ruleType          = "K7"
	ruleRepeated      = "K8"
	ruleSwallowed     = "K9"
	ruleCut           = "K10"
	ruleWrapped       = "K11"
	ruleZero          = "K12"
	ruleNoEffect      = "K13"
	ruleValue         = "K14"
	ruleTarget        = "K15"
	rulePatch         = "K16"
	ruleConfiguration = "K17"
	ruleOverridden    = "K18"
)

// Rules documents the rules. The errors also stop controller-gen v0.23.0. The warnings are mistakes that it ignores
// silently.
func Rules() []diag.Rule {
	return []diag.Rule{
		{ID: rulePlacement, Title: "a kubebuilder webhook marker is separate from declarations", Severity: diag.Warning},
		{ID: ruleBlockComment, Title: "a kubebuilder marker is a // comment", Severity: diag.Warning},
		{ID: ruleName, Title: "a kubebuilder webhook marker is spelled correctly", Severity: diag.Warning},
		{ID: ruleGrammar, Title: "a kubebuilder marker follows controller-gen's grammar"},
		{ID: ruleUnknown, Title: "an argument's name is known"},
		{ID: ruleMissing, Title: "required arguments are given"},
		{ID: ruleType, Title: "a value is of its argument's type"},
		{ID: ruleRepeated, Title: "an argument is given once", Severity: diag.Warning},
		{ID: ruleSwallowed, Title: "a value does not begin with a separator", Severity: diag.Warning},
		{ID: ruleCut, Title: "no blank separates a bare value from the next separator", Severity: diag.Warning},
		{ID: ruleWrapped, Title: "a number fits into 32 bits", Severity: diag.Warning},
		{ID: ruleZero, Title: "timeoutSeconds is not 0", Severity: diag.Warning},
		{ID: ruleNoEffect, Title: "an argument has an effect", Severity: diag.Warning},
		{ID: ruleValue, Title: "a value is one that controller-gen accepts"},
		{ID: ruleTarget, Title: "a webhook has a path or a url"},
		{ID: rulePatch, Title: "patch is a strategic merge patch of the webhook"},
		{ID: ruleConfiguration, Title: "a package names each configuration object once"},
		{ID: ruleOverridden, Title: "one package names a configuration object", Severity: diag.Warning},
	}
}

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
		{
			ID: rulePlacement, Title: "a kubebuilder webhook marker is separate from declarations", Severity: diag.Warning,
			Doc: "controller-gen takes these markers from the comments above the package clause, from those between " +
				"declarations, and from the comment nearest above a type's own doc comment. In the doc comment of a type, " +
				"function or variable, after a declaration, and inside a struct or function body it silently ignores them " +
				"(sigs.k8s.io/controller-tools/pkg/markers.Collector.MarkersInPackage). A blank line after the marker " +
				"separates it from the declaration below. Lines indented by a tab are code examples and are not reported.",
		},
		{
			ID: ruleBlockComment, Title: "a kubebuilder marker is a // comment", Severity: diag.Warning,
			Doc: "controller-gen does not read /* */ comments.",
		},
		{
			ID: ruleName, Title: "a kubebuilder webhook marker is spelled correctly", Severity: diag.Warning,
			Doc: "controller-gen ignores markers that it does not know. The webhook markers are " +
				"+kubebuilder:webhook:argument=value,... and +kubebuilder:webhookconfiguration:argument=value,... .",
		},
		{
			ID: ruleGrammar, Title: "a kubebuilder marker follows controller-gen's grammar",
			Doc: "argument=value, separated by commas, on one line. A list is a;b or {a,b}. Write a value with commas, semicolons, " +
				"braces, quotes or blanks at its ends in double quotes or backticks, with the escapes of a Go string.",
		},
		{
			ID: ruleUnknown, Title: "an argument's name is known",
			Doc: "The names come from sigs.k8s.io/controller-tools/pkg/webhook.Config and WebhookConfig, and are case-sensitive.",
		},
		{
			ID: ruleMissing, Title: "required arguments are given",
			Doc: "+kubebuilder:webhook requires mutating, name, failurePolicy, groups, versions, resources, verbs and " +
				"admissionReviewVersions; +kubebuilder:webhookconfiguration for mutating.",
		},
		{
			ID: ruleType, Title: "a value is of its argument's type",
			Doc: "mutating is true or false; timeoutSeconds and servicePort are whole decimal numbers.",
		},
		{
			ID: ruleRepeated, Title: "an argument is given once", Severity: diag.Warning,
			Doc: "controller-gen takes the last value of a repeated argument.",
		},
		{
			ID: ruleSwallowed, Title: "a value does not begin with a separator", Severity: diag.Warning,
			Doc: "If a bare value is empty, controller-gen takes the separator and everything up to the next one as the value: " +
				"serviceName=,reinvocationPolicy=IfNeeded is one argument. Leave the argument out, or write \"\".",
		},
		{
			ID: ruleCut, Title: "no blank separates a bare value from the next separator", Severity: diag.Warning,
			Doc: "controller-gen loses the last word of such a value: path=/mutate ,name=x gives the path \"/\". " +
				"Remove the blank.",
		},
		{
			ID: ruleWrapped, Title: "a number fits into 32 bits", Severity: diag.Warning,
			Doc: "controller-gen truncates timeoutSeconds and servicePort to 32 bits: 4294967301 becomes 5.",
		},
		{
			ID: ruleZero, Title: "timeoutSeconds is not 0", Severity: diag.Warning,
			Doc: "For controller-gen 0 means that the argument was not given, so the API server's default of 10 seconds applies.",
		},
		{
			ID: ruleNoEffect, Title: "an argument has an effect", Severity: diag.Warning,
			Doc: "controller-gen ignores reinvocationPolicy on a validating webhook and with a value other than Never and " +
				"IfNeeded, serviceName, serviceNamespace and servicePort beside url, and an unknown sideEffects that the patch replaces.",
		},
		{
			ID: ruleValue, Title: "a value is one that controller-gen accepts",
			Doc: "matchPolicy is Exact or Equivalent; sideEffects is None or NoneOnDryRun and must be given; timeoutSeconds is " +
				"1 to 30; admissionReviewVersions is not empty; webhookVersions is v1. Case does not matter. All but the " +
				"first and the last are checked after the webhook's patch.",
		},
		{
			ID: ruleTarget, Title: "a webhook has a path or a url",
			Doc: "Exactly one of the two.",
		},
		{
			ID: rulePatch, Title: "patch is a strategic merge patch of the webhook",
			Doc: "A JSON object with the fields of admissionregistration.k8s.io/v1 MutatingWebhook or ValidatingWebhook, " +
				"case-sensitive, none twice; the directives come from k8s.io/apimachinery/pkg/util/strategicpatch.",
		},
		{
			ID: ruleConfiguration, Title: "a package names each configuration object once",
			Doc: "A second +kubebuilder:webhookconfiguration of the same kind in one package stops controller-gen.",
		},
		{
			ID: ruleOverridden, Title: "one package names a configuration object", Severity: diag.Warning,
			Doc: "There is one object of each kind for all packages. If several packages name it, controller-gen takes the name from " +
				"the package it visits last: it visits packages by import path, and an imported package before its importers.",
		},
	}
}

// SPDX-License-Identifier: Apache-2.0

package model

import (
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// The ids of this package's rules.
const (
	RuleGroupVersion  = "D1"
	RulePlural        = "D2"
	RuleTarget        = "D3"
	RuleBelongs       = "D4"
	RuleConfiguration = "D5"
	RuleExclusive     = "D6"
	RulePatch         = "D7"
	RuleDomain        = "D8"
	RuleTwice         = "D9"
	RuleNeeds         = "D10"
	RuleHandler       = "D11"
	RuleMethod        = "D12"
	RuleHub           = "D13"
	RuleConvertible   = "D14"
	RuleProgram       = "D15"
	RuleServed        = "D17"
	RuleListed        = "D21"
	RuleSelector      = "D22"
	RuleDeprecated    = "D23"
	RuleOneType       = "U3"
)

// Rules documents the rules.
func Rules() []diag.Rule {
	return slices.Concat([]diag.Rule{
		{ID: RuleGroupVersion, Title: "a type's API group and version are known"},
		{ID: RulePlural, Title: "a type's plural is known"},
		{ID: RuleTarget, Title: "markers are on types of kinds, and find the types that `for` and `params` name"},
		{ID: RuleBelongs, Title: "a rule, condition, patch or allowance belongs to a webhook, a member of a policy to a policy"},
		{ID: RuleConfiguration, Title: "a webhook's configuration object is known"},
		{ID: RuleExclusive, Title: "arguments that exclude each other are not both given"},
		{ID: RulePatch, Title: "a patch is a strategic merge patch of a webhook"},
		{ID: RuleDomain, Title: "the name of a webhook on a type of another module ends in the project's domain"},
		{ID: RuleTwice, Title: "a package sets its defaults and its service once"},
		{ID: RuleNeeds, Title: "arguments that cannot be derived are given"},
		{ID: RuleHandler, Title: "a handler can be generated for the type"},
		{ID: RuleMethod, Severity: diag.Warning, Title: "the markers name every method of a validator or defaulter"},
		{ID: RuleHub, Title: "a spoke has one hub"},
		{ID: RuleConvertible, Title: "a kind can have the methods of controller-runtime's Convertible and Hub"},
		{ID: RuleProgram, Title: "the program has a name for each package of webhooks"},
		{ID: RuleServed, Severity: diag.Warning, Title: "hand-written conversions are served"},
	}, optionRules(), []diag.Rule{
		{ID: RuleListed, Severity: diag.Warning, Title: "the user's kustomization.yaml beside the manifest lists the policies"},
		{ID: RuleSelector, Severity: diag.Warning, Title: "a comma in a selector begins a requirement, not a value"},
		{ID: RuleDeprecated, Title: "a deprecated field or value is one of a kind"},
		{ID: RuleOneType, Title: "a group, version and kind has one Go type"},
	})
}

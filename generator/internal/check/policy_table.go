// SPDX-License-Identifier: Apache-2.0

package check

import (
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// The ids of findings in CEL expressions. Package inspect reports them.
const (
	RuleRefusedExpression = "P20"
	RuleUntyped           = "P21"
	RuleAbsent            = "P22"
	RuleExpensive         = "P23"
	RulePatch             = "P32"
	RuleConstant          = "P33"
)

// The ids of findings in files, where bindings and policies are objects of their own.
const (
	ruleNoPolicy  = "P30"
	ruleNoBinding = "P31"
)

// OfExpressions returns the severity of a rule about CEL expressions that is not of lint.
func OfExpressions(id string) (diag.Severity, bool) {
	for _, r := range policyRules() {
		if r.ID == id && slices.Contains([]string{RuleRefusedExpression, RuleUntyped, RuleAbsent, RuleExpensive, RulePatch, RuleConstant}, id) {
			return r.Severity, true
		}
	}
	return diag.Error, id == RuleMatchConditions
}

// AllowedToPolicies returns the rules that an allowance lets the expressions of a policy break.
func AllowedToPolicies() []string {
	return []string{RuleAbsent, RuleExpensive, RulePatch, RuleConstant}
}

// policyRules lists the rules of policies. P1 to P15 have upstream's checks, grouped by upstream's functions.
func policyRules() []rule {
	return []rule{
		{Rule: diag.Rule{ID: "P1", Title: "the metadata of a policy and of a binding are valid"}, policy: policyMeta, binding: bindingMeta},
		{Rule: diag.Rule{ID: "P2", Title: "the names of policies and of bindings are unique, and not reserved for files"}, policy: policyName},
		{Rule: diag.Rule{ID: "P3", Title: "failurePolicy of a policy is Fail or Ignore"}, policy: policyFailure},
		{Rule: diag.Rule{ID: "P4", Title: "the kind of a policy's parameters is valid"}, policy: parameterKind},
		{Rule: diag.Rule{ID: "P5", Title: "a policy has rules, and its selectors are valid"}, policy: policyMatch, match: matchResources},
		{Rule: diag.Rule{ID: "P6", Title: "the rules of policies and bindings are valid"},
			match: matchRules},
		{Rule: diag.Rule{ID: "P7", Title: "a mutating policy is for create, update or connect"},
			match: mutatingOperations},
		{Rule: diag.Rule{ID: "P8", Title: "match conditions of a policy have unique names and an expression"}, policy: policyConditions},
		{Rule: diag.Rule{ID: "P9", Title: "variables have names that are CEL identifiers, and an expression"}, policy: variables},
		{Rule: diag.Rule{ID: "P10", Title: "a validating policy has a validation or an audit annotation, and messages have one line"}, policy: validations},
		{Rule: diag.Rule{ID: "P11", Title: "audit annotations have unique keys that are qualified names with the policy's name"}, policy: auditAnnotations},
		{Rule: diag.Rule{ID: "P12", Title: "a mutating policy has mutations, each with the expression of its type"}, policy: mutations},
		{Rule: diag.Rule{ID: "P13", Title: "reinvocationPolicy of a policy is Never or IfNeeded"}, policy: policyReinvocation},
		{Rule: diag.Rule{ID: "P14", Title: "a binding names a policy, and parameters by a name or a selector"}, binding: boundPolicy},
		{Rule: diag.Rule{ID: "P15", Title: "a binding of a validating policy has actions that do not exclude each other"}, binding: validationActions},
		{Rule: diag.Rule{ID: "P16", Severity: diag.Warning, Title: "a binding has an effect"}, binding: bindingEffect},
		{Rule: diag.Rule{ID: "P17", Severity: diag.Warning, Title: "a binding has parameters if its policy has, and only then"}, binding: bindingParameters},
		{Rule: diag.Rule{ID: "P18", Title: "the oldest supported API server serves the policies"}, policy: servedPolicy},
		{Rule: diag.Rule{ID: "P19", Severity: diag.Warning, Title: "a policy does not repeat a rule of the definition"}, policy: repeatedRule},
		{Rule: diag.Rule{ID: "P24", Title: "gofmt has not changed the quotes of an expression"}, policy: policyQuotes, webhook: webhookQuotes},
		{Rule: diag.Rule{ID: "P25", Title: "a policy's variables have unique names"}, policy: uniqueVariables},
		{Rule: diag.Rule{ID: "P26", Title: "a policy with insteadOf is enforced on the requests for which its webhook is called"}, policy: sameRequests},
		{Rule: diag.Rule{ID: "P27", Title: "clusters serve a policy from `since` on"}, policy: servedSince},
		{Rule: diag.Rule{ID: "P28", Severity: diag.Warning, Title: "a webhook that a policy replaces is installed on a supported cluster"}, policy: replacedEverywhere},
		{Rule: diag.Rule{ID: "P29", Severity: diag.Warning, Title: "a policy with insteadOf has failurePolicy Fail"}, policy: failsClosed},
		{Rule: diag.Rule{ID: ruleNoPolicy, Severity: diag.Warning, Title: "a binding is of a policy in the same files"}},
		{Rule: diag.Rule{ID: ruleNoBinding, Severity: diag.Warning, Title: "a policy has a binding in the same files"}},
		{Rule: diag.Rule{ID: RuleRefusedExpression, Title: "the expressions of policies compile"}},
		{Rule: diag.Rule{ID: RuleUntyped, Title: "the expressions of policies and match conditions fit the Go types"}},
		{Rule: diag.Rule{ID: RuleAbsent, Severity: diag.Warning, Title: "an expression tests with has() whether an optional field is there"}},
		{Rule: diag.Rule{ID: RuleExpensive, Severity: diag.Warning, Title: "the estimated cost of an expression is below the limits of API servers"}},
		{Rule: diag.Rule{ID: RulePatch, Severity: diag.Warning, Title: "an object has the fields around the paths of a JSON patch"}},
		{Rule: diag.Rule{ID: RuleConstant, Severity: diag.Warning, Title: "the result of an expression depends on the object"}},
	}
}

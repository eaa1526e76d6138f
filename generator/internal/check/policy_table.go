// SPDX-License-Identifier: Apache-2.0

package check

import (
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// The ids of findings in CEL expressions. Only programs that read CEL report them.
const (
	RuleRefusedExpression = "P20"
	RuleUntyped           = "P21"
	RuleAbsent            = "P22"
	RuleExpensive         = "P23"
	RulePatch             = "P32"
)

// The ids of findings in files, where bindings and policies are objects of their own.
const (
	ruleNoPolicy  = "P30"
	ruleNoBinding = "P31"
)

// OfExpressions returns the severity of a rule that programs that read CEL report, and that is not of lint.
func OfExpressions(id string) (diag.Severity, bool) {
	for _, r := range policyRules() {
		if r.ID == id && slices.Contains([]string{RuleRefusedExpression, RuleUntyped, RuleAbsent, RuleExpensive, RulePatch}, id) {
			return r.Severity, true
		}
	}
	return diag.Error, id == RuleMatchConditions
}

// AllowedToPolicies returns the rules that an allowance lets the expressions of a policy break.
func AllowedToPolicies() []string { return []string{RuleAbsent, RuleExpensive, RulePatch} }

// policyRules lists the rules of policies. P1 to P15 have upstream's checks, grouped by upstream's functions.
func policyRules() []rule {
	return []rule{
		{Rule: diag.Rule{ID: "P1", Title: "the metadata of a policy and of a binding are valid",
			Doc: "A name is a DNS subdomain." + upstream + "ValidateObjectMeta with NameIsDNSSubdomain."},
			policy: policyMeta, binding: bindingMeta},
		{Rule: diag.Rule{ID: "P2", Title: "the names of policies and of bindings are unique, and not reserved for files",
			Doc: "The later one of two objects with one name would replace the earlier one. Names that end in .static.k8s.io belong to policies that an API server reads from its own disk." + upstream + "ValidateStaticSuffix."},
			policy: policyName},
		{Rule: diag.Rule{ID: "P3", Title: "failurePolicy of a policy is Fail or Ignore", Doc: "The default is Fail." + upstream + "supportedFailurePolicies."},
			policy: policyFailure},
		{Rule: diag.Rule{ID: "P4", Title: "the kind of a policy's parameters is valid",
			Doc: "It has a version and a kind; its group is a DNS subdomain, version and kind are DNS labels." + upstream + "validateParamKind."},
			policy: parameterKind},
		{Rule: diag.Rule{ID: "P5", Title: "a policy has rules, and its selectors are valid",
			Doc: "The matchPolicy is Exact or Equivalent. Selectors are valid label selectors, also of bindings." + upstream + "validateMatchResources."},
			policy: policyMatch, match: matchResources},
		{Rule: diag.Rule{ID: "P6", Title: "the rules of policies and bindings are valid",
			Doc: "As E6 to E10 for webhooks; resourceNames are names of objects, none twice." + upstream + "validateNamedRuleWithOperations."},
			match: matchRules},
		{Rule: diag.Rule{ID: "P7", Title: "a mutating policy is for create, update or connect",
			Doc: "A deletion has no object to change." + upstream + "supportedMutatingOperations."},
			match: mutatingOperations},
		{Rule: diag.Rule{ID: "P8", Title: "match conditions of a policy have unique names and an expression",
			Doc: "64 at most; names are qualified names." + upstream + "validateMatchConditions."},
			policy: policyConditions},
		{Rule: diag.Rule{ID: "P9", Title: "variables have names that are CEL identifiers, and an expression",
			Doc: "A reserved word of CEL is no name." + upstream + "validateVariable."},
			policy: variables},
		{Rule: diag.Rule{ID: "P10", Title: "a validating policy has a validation or an audit annotation, and messages have one line",
			Doc: "A reason is Forbidden, Invalid or RequestEntityTooLarge. A message or messageExpression is not blank." + upstream + "validateValidation."},
			policy: validations},
		{Rule: diag.Rule{ID: "P11", Title: "audit annotations have unique keys that are qualified names with the policy's name",
			Doc: "20 at most; an expression has at most 5 KiB. The policy's name, a slash and the key are the annotation's name: the first has at most 253 bytes, the key 63." + upstream + "validateAuditAnnotation."},
			policy: auditAnnotations},
		{Rule: diag.Rule{ID: "P12", Title: "a mutating policy has mutations, each with the expression of its type",
			Doc: "ApplyConfiguration or JSONPatch." + upstream + "validateMutation."},
			policy: mutations},
		{Rule: diag.Rule{ID: "P13", Title: "reinvocationPolicy of a policy is Never or IfNeeded", Doc: "Only mutating policies have it." + upstream + "supportedReinvocationPolicies."},
			policy: policyReinvocation},
		{Rule: diag.Rule{ID: "P14", Title: "a binding names a policy, and parameters by a name or a selector",
			Doc: "The name of the parameters can be a part of a URL's path. parameterNotFoundAction is Deny or Allow." + upstream + "validateParamRef."},
			binding: boundPolicy},
		{Rule: diag.Rule{ID: "P15", Title: "a binding of a validating policy has actions that do not exclude each other",
			Doc: "Deny, Warn and Audit, none twice, and not Deny with Warn." + upstream + "validateValidationActions."},
			binding: validationActions},
		{Rule: diag.Rule{ID: "P16", Severity: diag.Warning, Title: "a binding has an effect",
			Doc: "Its own rules have a resource, an operation and a name in common with the policy's. An API server accepts a binding that matches nothing of its policy."},
			binding: bindingEffect},
		{Rule: diag.Rule{ID: "P17", Severity: diag.Warning, Title: "a binding has parameters if its policy has, and only then",
			Doc: "An API server ignores the parameters of a binding whose policy has no kind of parameters. In a policy with a kind of parameters, `params` is null for a binding without them: " +
				"an expression that reads them fails, unless it compares params with null first."},
			binding: bindingParameters},
		{Rule: diag.Rule{ID: "P18", Title: "the oldest supported API server serves the policies",
			Doc: "minKubernetesVersion in webhook-gen.yaml is at least 1.30 with a validating policy, and at least 1.34 with a mutating one: 1.36 serves it as v1, 1.34 and 1.35 as v1beta1 if that API is turned on, which is a warning. " +
				"The chart, and the kustomize component config/policies-v1beta1, write what the cluster serves."},
			policy: servedPolicy},
		{Rule: diag.Rule{ID: "P19", Severity: diag.Warning, Title: "a policy does not repeat a rule of the definition",
			Doc: "A +kubebuilder:validation:XValidation on the type or a field of it, or an x-kubernetes-validations in a CustomResourceDefinition on disk (`crds` in webhook-gen.yaml, or config/crd), is the same expression, with self for the part of the object. API servers check both on every request. " +
				"The rule of the definition cannot be switched off by a binding; the policy can be rolled out with Warn, have parameters, and see the request."},
			policy: repeatedRule},
		{Rule: diag.Rule{ID: "P24", Title: "gofmt has not changed the quotes of an expression",
			Doc: "In doc comments gofmt writes ” for two single quotes and “ for two backquotes, and CEL knows neither outside of text. Write an empty text with double quotes, and the expression in backquotes. It is reported for match conditions of webhooks, too."},
			policy: policyQuotes, webhook: webhookQuotes},
		{Rule: diag.Rule{ID: "P25", Title: "a policy's variables have unique names",
			Doc: "An API server accepts two variables with one name, and evaluates the later one for both."},
			policy: uniqueVariables},
		{Rule: diag.Rule{ID: "P26", Title: "a policy with insteadOf is enforced on the requests for which its webhook is called",
			Doc: "It has the rules, the selectors, the matchPolicy and the match conditions of the webhook, and no rules, selectors or parameters of its own. One binding holds for all of its requests, and denies. The webhook has no `enforcement` other than deny, and one policy replaces it."},
			policy: sameRequests},
		{Rule: diag.Rule{ID: "P27", Title: "clusters serve a policy from `since` on",
			Doc: "At least 1.30 for a validating policy, and 1.34 for a mutating one."},
			policy: servedSince},
		{Rule: diag.Rule{ID: "P28", Severity: diag.Warning, Title: "a webhook that a policy replaces is installed on a supported cluster",
			Doc: "minKubernetesVersion in webhook-gen.yaml is below `since`. Otherwise no cluster has the webhook, and it can go."},
			policy: replacedEverywhere},
		{Rule: diag.Rule{ID: "P29", Severity: diag.Warning, Title: "a policy has the failurePolicy of the webhook that it replaces",
			Doc: "It decides about requests for which an expression fails, and about requests for which the server cannot be called. Without an argument the policy has the webhook's."},
			policy: sameFailure},
		{Rule: diag.Rule{ID: ruleNoPolicy, Severity: diag.Warning, Title: "a binding is of a policy in the same files",
			Doc: "`webhook-gen lint -f policies.yaml` reports it. An API server accepts a binding of a policy that does not exist, and the binding has no effect. A binding is for a policy of its own kind, mutating or validating."}},
		{Rule: diag.Rule{ID: ruleNoBinding, Severity: diag.Warning, Title: "a policy has a binding in the same files",
			Doc: "`webhook-gen lint -f policies.yaml` reports it. A policy without a binding has no effect."}},
		{Rule: diag.Rule{ID: RuleRefusedExpression, Title: "the expressions of policies compile",
			Doc: "webhook-gen-explain compiles them for generate, verify and lint as the oldest supported API server does." + upstream + "validateValidation, validateVariable, validateAuditAnnotation and validateMutation."}},
		{Rule: diag.Rule{ID: RuleUntyped, Title: "the expressions of policies and match conditions fit the Go types",
			Doc: "They are compiled once more with the schema of the Go type of each kind that is matched. An API server would accept such an expression, and fail when it evaluates it: it checks types only after it has stored a policy, and only the types of validations. The check is our own."}},
		{Rule: diag.Rule{ID: RuleAbsent, Severity: diag.Warning, Title: "an expression tests with has() whether an optional field is there",
			Doc: "Reading a field that an object lacks is an error, and failurePolicy decides. `has(object.spec.note)` tests a field, `object.?spec.note.orValue('')` sets a default."}},
		{Rule: diag.Rule{ID: RuleExpensive, Severity: diag.Warning, Title: "the estimated cost of an expression is below the limits of API servers",
			Doc: "The estimate is of the largest objects that the limits in markers allow (MaxItems, MaxLength, MaxProperties). An API server stops an expression at 10^6, the match conditions at 2.5*10^6 and all expressions of a policy with one binding at 10^7; failurePolicy then decides."}},
		{Rule: diag.Rule{ID: RulePatch, Severity: diag.Warning, Title: "an object has the fields around the paths of a JSON patch",
			Doc: "An API server cannot apply `add` to /metadata/labels/x of an object without labels: the mutation fails, and failurePolicy decides. It is the same for the other operations, and for `remove` and `move` of an absent field. " +
				"The part of a path that is written out is compared with the Go type. Test the field with has() in a match condition or around the operation, add it by an operation or a mutation before, or use an apply configuration. Upstream: k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch, jsonPatcher."}},
	}
}

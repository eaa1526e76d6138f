// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"fmt"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// Policy is the marker +webhook:policy:mutating or +webhook:policy:validating.
type Policy struct {
	Subject
	Params        diag.Sourced[Target]
	ResourceNames diag.Sourced[[]string]
	InsteadOf     diag.Sourced[string]
	// Since is a minor version of Kubernetes 1.
	Since diag.Sourced[int]
	Settings
}

// Member holds the argument that all markers of a policy's parts share.
type Member struct{ Policy diag.Sourced[string] }

// Of returns the argument `policy`.
func (m Member) Of() diag.Sourced[string] { return m.Policy }

// PolicyMember is a marker that adds a part to a policy.
type PolicyMember interface{ Of() diag.Sourced[string] }

// PolicyRule is the marker +webhook:policy:rule or +webhook:policy:exclude.
type PolicyRule struct {
	Member
	Exclude bool
	// Binding is the name of the binding that has the rule; empty for a rule of the policy.
	Binding                   diag.Sourced[string]
	Operations, ResourceNames diag.Sourced[[]string]
	Matched
}

// PolicyExpression is a named expression: +webhook:policy:variable, matchCondition or auditAnnotation.
type PolicyExpression struct {
	Member
	// Kind is the last word of the marker's name.
	Kind             string
	Name, Expression diag.Sourced[string]
}

// The kinds of a PolicyExpression.
const (
	PolicyVariable   = "variable"
	PolicyCondition  = "matchCondition"
	PolicyAnnotation = "auditAnnotation"
)

// Validation is the marker +webhook:policy:validation.
type Validation struct {
	Member
	Message, MessageExpression, Reason, Expression diag.Sourced[string]
}

// Mutation is the marker +webhook:policy:mutation.
type Mutation struct {
	Member
	Type, Expression diag.Sourced[string]
}

// Binding is the marker +webhook:policy:binding.
type Binding struct {
	Member
	Name, ParameterNotFound   diag.Sourced[string]
	ValidationActions         diag.Sourced[[]string]
	Params                    diag.Sourced[ObjectName]
	ParamSelector             diag.Sourced[*metav1.LabelSelector]
	Operations, ResourceNames diag.Sourced[[]string]
	Matched
	Settings
}

// ObjectName is "name", "namespace/name", or "namespace/*" if a selector selects objects in the namespace.
type ObjectName struct{ Namespace, Name string }

func parseObjectName(text string) (ObjectName, error) {
	namespace, name, ok := strings.Cut(text, "/")
	if !ok {
		namespace, name = "", text
	}
	if name == "" || ok && namespace == "" || strings.Contains(name, "/") || name == "*" && !ok {
		return ObjectName{}, fmt.Errorf("%q is not name, namespace/name or namespace/*", text)
	}
	return ObjectName{namespace, strings.TrimPrefix(name, "*")}, nil
}

// parseMinor returns the minor version in a version of Kubernetes such as 1.30.
func parseMinor(text string) (int, error) {
	minor, ok := strings.CutPrefix(text, "1.")
	if n, err := strconv.Atoi(minor); ok && err == nil && n >= 0 && strconv.Itoa(n) == minor {
		return n, nil
	}
	return 0, fmt.Errorf("%q is not a version of Kubernetes such as 1.30", text)
}

func policyDefinitions() marker.Registry {
	named := func(kind, doc, example, argument, argumentDoc, expressionDoc string) marker.Definition {
		return repeated("webhook:policy:"+kind, doc, example, func(m *PolicyExpression) []marker.Parameter {
			m.Kind = kind
			return []marker.Parameter{
				ofPolicy(&m.Member),
				{Name: argument, Type: marker.String(&m.Name), Required: true, Doc: argumentDoc},
				{Name: "", Type: marker.String(&m.Expression), Required: true, Doc: expressionDoc},
			}
		})
	}
	return marker.Registry{
		policyDefinition(true),
		policyDefinition(false),
		policyRule(false),
		policyRule(true),
		named(PolicyVariable, "A CEL expression that later expressions of the policy use as `variables.<name>`. It is evaluated when it is first used, and once for each request.",
			`+webhook:policy:variable(name: "lines")="has(object.spec.lines) ? object.spec.lines : []"`,
			"name", "The variable's name: a CEL identifier, unique in the policy.", "The expression. It can use the variables that are declared before it."),
		named(PolicyCondition, "A CEL expression that must be true for the policy to be evaluated, with the variables object, oldObject, request, authorizer and params.",
			"+webhook:policy:matchCondition(name: \"not-the-gc\")=\"request.userInfo.username != 'system:serviceaccount:kube-system:gc'\"",
			"name", "Names the condition in errors; unique in the policy.", "The expression. It cannot use the policy's variables."),
		repeated("webhook:policy:validation", "A CEL expression that must be true; otherwise the request is denied, or the binding's validationActions apply. For validating policies.",
			`+webhook:policy:validation(message: "an order keeps its article", reason: Forbidden)="object.spec.sku == oldObject.spec.sku"`,
			func(m *Validation) []marker.Parameter {
				return []marker.Parameter{
					ofPolicy(&m.Member),
					{Name: "message", Type: marker.String(&m.Message), Default: "failed expression: <the expression>", Doc: "The message to the user, in one line."},
					{Name: "messageExpression", Type: marker.String(&m.MessageExpression), Doc: "A CEL expression of the message. If it fails, or gives an empty text or one with line breaks, `message` is used. It cannot use the authorizer."},
					{Name: "reason", Type: marker.Enum(&m.Reason, PolicyReasons()...), Default: "Invalid", Doc: "The reason in the answer, from which its HTTP status follows. Unauthorized is not among them: API servers refuse it in policies."},
					{Name: "", Type: marker.String(&m.Expression), Required: true, Doc: "The expression."},
				}
			}),
		named(PolicyAnnotation, "A CEL expression whose text becomes an annotation of the audit event, under the policy's name, a slash and the key. For validating policies.",
			`+webhook:policy:auditAnnotation(key: "express")="object.spec.express ? 'ordered by ' + request.userInfo.username : ''"`,
			"key", "The annotation's key, after the policy's name and a slash.", "The expression: text, or null or an empty text for no annotation."),
		repeated("webhook:policy:mutation", "A change of the object. For mutating policies. The changes of a policy are made in their order.",
			`+webhook:policy:mutation(type: applyConfiguration)="Object{spec: Object.spec{priority: 'normal'}}"`,
			func(m *Mutation) []marker.Parameter {
				return []marker.Parameter{
					ofPolicy(&m.Member),
					{Name: "type", Type: marker.Enum(&m.Type, "applyConfiguration", "jsonPatch"), Required: true, Doc: "Whether the expression gives an object that is applied to the request's as server-side apply merges, or a list of JSONPatch operations."},
					{Name: "", Type: marker.String(&m.Expression), Required: true, Doc: "The expression: `Object{...}`, or a list of `JSONPatch{...}`."},
				}
			}),
		repeated("webhook:policy:binding", "A binding, which puts the policy into effect. A policy without one gets a binding of its own name for everything that the policy matches: of a validating policy with Deny. "+
			"With groups, versions, resources or operations it matches only these. It applies to every policy of the declaration, unless `policy` names one.",
			`+webhook:policy:binding(name: "trial", validationActions: "warn;audit", namespaceSelector: "environment=staging")`,
			func(m *Binding) []marker.Parameter {
				return append([]marker.Parameter{
					ofPolicy(&m.Member),
					{Name: "name", Type: marker.String(&m.Name), Default: "the policy's", Doc: "The binding's name: a domain, or a word that is put before the policy's name. On a package without `for`, any name."},
					{Name: "validationActions", Type: marker.List(&m.ValidationActions, "Deny", "Warn", "Audit"), Default: "Deny", Doc: "The actions on a request that the policy would deny. Deny and Warn exclude each other. For validating policies."},
					{Name: "params", Type: marker.Func(&m.Params, "namespace/name | name | namespace/*", parseObjectName), Default: "no parameters",
						Doc: "The object with the parameters, of the kind in the policy's `params`. Without a namespace it is looked for in the namespace of the request, if its kind has namespaces. `namespace/*` is for `paramSelector`."},
					{Name: "paramSelector", Type: selector(&m.ParamSelector), Doc: "The labels of the objects with the parameters; an empty text selects every object. The policy is evaluated with each of them."},
					{Name: "parameterNotFound", Type: marker.Enum(&m.ParameterNotFound, "Deny", "Allow"), Default: "Deny", Doc: "The effect if there is no such object: failurePolicy applies, or the binding has no effect."},
					{Name: "operations", Elsewhere: Of("operations").Elsewhere, Type: marker.List(&m.Operations, model.Operations()...), Default: "the policy's", Doc: "The operations that the binding is for."},
				}, append(append(m.Matched.parameters(), resourceNames(&m.ResourceNames)), m.Settings.policyParameters(false, true)...)...)
			}),
	}
}

// PolicyReasons returns the reasons of a validation that API servers accept.
func PolicyReasons() []string {
	return []string{string(metav1.StatusReasonForbidden), string(metav1.StatusReasonInvalid), string(metav1.StatusReasonRequestEntityTooLarge)}
}

func policyDefinition(mutating bool) marker.Definition {
	kind, operations := model.KindWord(mutating), "create;update"
	if mutating {
		operations = "create"
	}
	doc := "A " + model.Upper(kind) + "AdmissionPolicy for its type, or for the type that `for` names: the API server evaluates its CEL expressions itself, and calls no webhook. " +
		"On a package it needs a name, groups, versions and resources."
	return repeated("webhook:policy:"+kind, doc, fmt.Sprintf("+webhook:policy:%s(operations: %q)", kind, operations), func(m *Policy) []marker.Parameter {
		m.Mutating = mutating
		p := []marker.Parameter{
			{Name: "for", Type: marker.Func(&m.For, "import/path.Type | group/version/Kind", parseTarget), Default: "the marked type",
				Doc: "The type that the policy is for, if it is another: a core type or one of another module."},
			{Name: "name", Type: marker.String(&m.Name), Default: "mutate. or validate.<plural>.<version>.<group>",
				Doc: "The policy's name: a domain, or one word that distinguishes a second policy on the same type from the first."},
			{Name: "params", Type: marker.Func(&m.Params, "import/path.Type | group/version/Kind", parseTarget), Default: "no parameters",
				Doc: "The type of the objects with the policy's parameters, which its expressions read as `params`. A binding names the objects."},
			{Name: "insteadOf", Type: marker.String(&m.InsteadOf), Default: "no webhook",
				Doc: "The webhook of the declaration that the policy replaces on newer clusters: its name, or the first part of the name. The policy has the match and the match conditions of the webhook, and failurePolicy Fail. Every cluster has one of the two."},
			{Name: "since", Type: marker.Func(&m.Since, "1.minor", parseMinor), Default: fmt.Sprintf("with insteadOf, 1.%d", model.Serves(mutating)),
				Doc: "The version of Kubernetes from which the policy replaces the webhook."},
		}
		p = append(append(p, m.Matched.parameters()...), resourceNames(&m.ResourceNames))
		return append(p, m.Settings.policyParameters(mutating, false)...)
	})
}

func policyRule(exclude bool) marker.Definition {
	word, doc, example := "rule", "Further requests that the policy is for.", `+webhook:policy:rule(resources: "orders/status", operations: "update")`
	if exclude {
		word, doc, example = "exclude", "Requests that the policy is not for, though a rule matches them.", `+webhook:policy:exclude(resourceNames: "template")`
	}
	return repeated("webhook:policy:"+word, doc+" The policy's own rule supplies arguments that are left out, except `resourceNames`.", example, func(m *PolicyRule) []marker.Parameter {
		m.Exclude = exclude
		return append([]marker.Parameter{
			ofPolicy(&m.Member),
			{Name: "binding", Type: marker.String(&m.Binding), Default: "the rule is the policy's",
				Doc: "The binding that the rule applies to: its name, or the first part of the name."},
			{Name: "operations", Elsewhere: Of("operations").Elsewhere, Type: marker.List(&m.Operations, model.Operations()...), Default: "the policy's", Doc: "The operations on the object."},
		}, append(m.Matched.parameters(), resourceNames(&m.ResourceNames))...)
	})
}

func ofPolicy(m *Member) marker.Parameter {
	return marker.Parameter{Name: "policy", Type: marker.String(&m.Policy), Default: "every policy of the declaration that can have it",
		Doc: "The policy that the marker applies to: its name, or `mutating` or `validating` for all of that kind."}
}

func resourceNames(f *diag.Sourced[[]string]) marker.Parameter {
	return marker.Parameter{Name: "resourceNames", Type: marker.List(f), Default: "every object", Doc: "The names of the objects."}
}

// policyParameters returns the arguments that policies, or bindings, share with webhooks.
func (s *Settings) policyParameters(mutating, binding bool) (all []marker.Parameter) {
	*s = Settings{}
	for _, a := range Arguments() {
		if a.Policy == "" || a.Mutating && !mutating || binding && !a.Binding {
			continue
		}
		preset, _, _ := strings.Cut(a.Default, " (v1beta1")
		all = append(all, s.parameter(a, preset, a.Policy))
	}
	return all
}

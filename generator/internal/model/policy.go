// SPDX-License-Identifier: Apache-2.0

package model

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// Policy is a ValidatingAdmissionPolicy or a MutatingAdmissionPolicy with its bindings.
type Policy struct {
	Source
	Mutating bool
	// Package is the import path of the package with the marker.
	Package string
	// Manifest is the absolute path of the manifest whose folder the policy is written to, or "" for the project's.
	Manifest string
	// PackageName is the name in its package clause.
	PackageName string
	// Kind is the kind of the rules, or nil if the marker sets the rules.
	Kind *Kind
	Name string
	Spec PolicySpec
	// Deprecations is true for the policy of +webhook:deprecated markers. It warns only.
	Deprecations bool
	// Incomplete is true if a marker in the package is invalid: it may belong to the policy.
	Incomplete bool
	// Bindings are in manifest order.
	Bindings []*Binding
	// DefinitionRules are the validation rules of the matched kinds, from controller-gen's markers and from CRDs on
	// disk.
	DefinitionRules []DefinitionRule
	// Kinds are the matched kinds, and ParamKind is the parameters' kind, if their Go types are known.
	Kinds     []TypedKind
	ParamKind *TypedKind
	// Allowed are the rules that the policy's expressions may break.
	Allowed []*Allowance
	// InsteadOf is the webhook that the policy replaces from Kubernetes 1.Since on, or nil. The policy's first
	// Inherited match conditions are the webhook's.
	InsteadOf        *Webhook
	Since, Inherited int
	// Numbers and Texts occur in the expressions and in the kinds' schemas, for a policy that replaces a webhook.
	Numbers []int64
	Texts   []string
}

// DefinitionRule is a +kubebuilder:validation:XValidation, or an entry of x-kubernetes-validations.
type DefinitionRule struct {
	// Path contains the JSON names of the fields that lead to self.
	Path []string
	// Expression is the rule's CEL.
	Expression string
	// At is the position of the field or type with the marker, or of the rule in the CRD.
	At diag.Range
}

// Binding is a ValidatingAdmissionPolicyBinding or a MutatingAdmissionPolicyBinding.
type Binding struct {
	// Source has the position of the policy's marker if no marker declares the binding.
	Source
	Name string
	// Spec is the binding's specification. Bindings of mutating policies have no ValidationActions.
	Spec admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec
}

// Source holds the positions of an object and its fields.
type Source struct {
	// Range is the position of the marker.
	diag.Range
	// At maps the object's field paths, such as spec.failurePolicy, to the positions of their arguments.
	At Positions
	// Expressions maps field paths to functions that return the position of a part of the expression. For a part
	// outside of the expression, they return the position of the expression.
	Expressions map[string]func(from, to int) diag.Range
}

// Text records the position of an expression that a marker contains literally.
func (s *Source) Text(field string, text diag.Sourced[string]) {
	s.At.Set(field, text.At)
	if text.Part != nil {
		if s.Expressions == nil {
			s.Expressions = map[string]func(from, to int) diag.Range{}
		}
		s.Expressions[field] = func(from, to int) diag.Range {
			if from < 0 || from >= to || to > len(text.V) {
				return text.At
			}
			return text.Part(from, to)
		}
	}
}

// Element records the marker's position for a list element in the specification, and returns the element's path.
func (s *Source) Element(list string, index int, at diag.Range) string {
	path := fmt.Sprintf("spec.%s[%d]", list, index)
	s.At[path] = at
	return path
}

// Where returns the position of a field ("rules[0].operations[1]"), of the nearest outer field in the source, or of
// the marker.
func (s *Source) Where(field string) diag.Range { return s.At.Nearest(field, s.Range) }

// TypedKind is a kind with its Go type.
type TypedKind struct {
	Group, Version, Kind string
	Type                 GoType
}

// PolicySpec has the fields of both kinds of policies.
type PolicySpec struct {
	ParamKind        *admissionregistrationv1.ParamKind
	MatchConstraints *admissionregistrationv1.MatchResources
	MatchConditions  []admissionregistrationv1.MatchCondition
	Variables        []admissionregistrationv1.Variable
	FailurePolicy    *admissionregistrationv1.FailurePolicyType
	// Only validating policies have Validations and AuditAnnotations.
	Validations      []admissionregistrationv1.Validation
	AuditAnnotations []admissionregistrationv1.AuditAnnotation
	// Only mutating policies have Mutations and ReinvocationPolicy.
	Mutations          []admissionregistrationv1.Mutation
	ReinvocationPolicy admissionregistrationv1.ReinvocationPolicyType
}

// Validating returns the specification of a ValidatingAdmissionPolicy.
func (s PolicySpec) Validating() admissionregistrationv1.ValidatingAdmissionPolicySpec {
	return admissionregistrationv1.ValidatingAdmissionPolicySpec{
		ParamKind: s.ParamKind, MatchConstraints: s.MatchConstraints, Validations: s.Validations, FailurePolicy: s.FailurePolicy,
		AuditAnnotations: s.AuditAnnotations, MatchConditions: s.MatchConditions, Variables: s.Variables,
	}
}

// Mutating returns the specification of a MutatingAdmissionPolicy.
func (s PolicySpec) Mutating() admissionregistrationv1.MutatingAdmissionPolicySpec {
	return admissionregistrationv1.MutatingAdmissionPolicySpec{
		ParamKind: s.ParamKind, MatchConstraints: s.MatchConstraints, Variables: s.Variables, Mutations: s.Mutations,
		FailurePolicy: s.FailurePolicy, MatchConditions: s.MatchConditions, ReinvocationPolicy: s.ReinvocationPolicy,
	}
}

// Expression is a CEL expression of a policy. Field is its path, such as spec.validations[0].expression.
type Expression struct{ Field, Text string }

// Expressions returns the CEL expressions of a policy with their fields.
func (s PolicySpec) Expressions() (all []Expression) {
	add := func(list string, index int, field, text string) {
		all = append(all, Expression{fmt.Sprintf("spec.%s[%d].%s", list, index, field), text})
	}
	for i, c := range s.MatchConditions {
		add("matchConditions", i, "expression", c.Expression)
	}
	for i, v := range s.Variables {
		add("variables", i, "expression", v.Expression)
	}
	for i, v := range s.Validations {
		if add("validations", i, "expression", v.Expression); v.MessageExpression != "" {
			add("validations", i, "messageExpression", v.MessageExpression)
		}
	}
	for i, a := range s.AuditAnnotations {
		add("auditAnnotations", i, "valueExpression", a.ValueExpression)
	}
	for i, m := range s.Mutations {
		if m.ApplyConfiguration != nil {
			add("mutations", i, "applyConfiguration.expression", m.ApplyConfiguration.Expression)
		}
		if m.JSONPatch != nil {
			add("mutations", i, "jsonPatch.expression", m.JSONPatch.Expression)
		}
	}
	return all
}

// Inherits reports whether an expression is a match condition of the replaced webhook.
func (p *Policy) Inherits(field string) bool {
	for i := range p.Inherited {
		if field == fmt.Sprintf("spec.matchConditions[%d].expression", i) {
			return true
		}
	}
	return false
}

// The first minor versions of Kubernetes 1 that serve policies. The two versions before ServesMutating serve only
// v1beta1, which is off by default.
const (
	ServesValidating   = 30
	ServesMutating     = 36
	ServesMutatingBeta = 34
)

// Serves returns the first minor version of Kubernetes 1 that serves a kind of policies as v1.
func Serves(mutating bool) int {
	if mutating {
		return ServesMutating
	}
	return ServesValidating
}

// AlwaysInstalled returns the policies that replace no webhook.
func (p *Project) AlwaysInstalled() []*Policy {
	return slices.DeleteFunc(slices.Clone(p.Policies), func(policy *Policy) bool { return policy.InsteadOf != nil })
}

// Replacements holds the policies that replace webhooks from Kubernetes 1.Since on.
type Replacements struct {
	Since    int
	Policies []*Policy
}

// Replacements returns the policies that replace webhooks, grouped by version.
func (p *Project) Replacements() (all []Replacements) {
	for _, policy := range p.Policies {
		if policy.InsteadOf == nil {
			continue
		}
		i := slices.IndexFunc(all, func(r Replacements) bool { return r.Since == policy.Since })
		if i < 0 {
			i, all = len(all), append(all, Replacements{Since: policy.Since})
		}
		all[i].Policies = append(all[i].Policies, policy)
	}
	slices.SortFunc(all, func(a, b Replacements) int { return a.Since - b.Since })
	return all
}

// OldestKubernetes returns the minor version of the oldest supported API server: that in webhook-gen.yaml, or the
// first that serves the project's policies. Without policies it is 30, because 1.30 has stable matchConditions.
func (p *Project) OldestKubernetes() int {
	if text, ok := strings.CutPrefix(p.MinKubernetes.V, "1."); ok {
		if minor, err := strconv.Atoi(text); err == nil {
			return minor
		}
	}
	return Serves(slices.ContainsFunc(p.AlwaysInstalled(), func(policy *Policy) bool { return policy.Mutating }))
}

// SortPolicies sorts policies in manifest order: mutating before validating, then by name.
func SortPolicies(policies []*Policy) {
	slices.SortStableFunc(policies, func(a, b *Policy) int {
		return cmp.Or(strings.Compare(KindWord(a.Mutating), KindWord(b.Mutating)), strings.Compare(a.Name, b.Name))
	})
}

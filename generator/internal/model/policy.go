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
	// Package is the import path of the package whose marker declares it.
	Package string
	// PackageName is the name in its package clause.
	PackageName string
	// Kind is nil where the marker gives its rules itself.
	Kind *Kind
	Name string
	Spec PolicySpec
	// Incomplete is true if a marker of the package could not be read: it may be of the policy.
	Incomplete bool
	// Bindings are in the order in which they are written.
	Bindings []*Binding
	// DefinitionRules are the rules in the definitions of the matched kinds: from markers of controller-gen, and from
	// definitions on disk.
	DefinitionRules []DefinitionRule
	// Kinds are the kinds that the policy matches and ParamKind the kind of its parameters, as far as their Go types are
	// known.
	Kinds     []TypedKind
	ParamKind *TypedKind
	// Allowed are the rules that its expressions may break.
	Allowed []*Allowance
	// InsteadOf is the webhook that the policy replaces from Kubernetes 1.Since on; nil without one. The policy's first
	// Inherited match conditions are the webhook's.
	InsteadOf        *Webhook
	Since, Inherited int
	// Numbers and Texts are in its expressions and in the schemas of its kinds, if it replaces a webhook.
	Numbers []int64
	Texts   []string
}

// DefinitionRule is a +kubebuilder:validation:XValidation, or an entry of x-kubernetes-validations.
type DefinitionRule struct {
	// Path has the JSON names of the fields above the value that the rule calls self.
	Path []string
	// Expression is its CEL expression.
	Expression string
	// At is the position of the field or type with the marker, or of the rule in the definition.
	At diag.Range
}

// Binding is a ValidatingAdmissionPolicyBinding or a MutatingAdmissionPolicyBinding.
type Binding struct {
	// Source has the position of the policy's marker where no marker declares the binding.
	Source
	Name string
	// Spec is the binding's; of a mutating policy it has no ValidationActions.
	Spec admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec
}

// Source is where an object and its fields are set.
type Source struct {
	// Range is the marker.
	diag.Range
	// At maps the field paths of the object, such as spec.failurePolicy, to the positions of the arguments that set them.
	At Positions
	// Expressions have, by field path, the position of each piece of an expression; of a piece that is not there, the
	// position of the expression.
	Expressions map[string]func(from, to int) diag.Range
}

// Text records the position of a text that a marker contains literally.
func (s *Source) Text(field string, said diag.Sourced[string]) {
	s.At.Set(field, said.At)
	if said.Part != nil {
		if s.Expressions == nil {
			s.Expressions = map[string]func(from, to int) diag.Range{}
		}
		s.Expressions[field] = func(from, to int) diag.Range {
			if from < 0 || from >= to || to > len(said.V) {
				return said.At
			}
			return said.Part(from, to)
		}
	}
}

// Element records the marker of an element of a list in the specification, and returns the element's path.
func (s *Source) Element(list string, index int, at diag.Range) string {
	path := fmt.Sprintf("spec.%s[%d]", list, index)
	s.At[path] = at
	return path
}

// Where is the position of a field ("rules[0].operations[1]"), or of the nearest field around it in the source, or the
// marker itself.
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
	// Validations and AuditAnnotations are of validating policies alone.
	Validations      []admissionregistrationv1.Validation
	AuditAnnotations []admissionregistrationv1.AuditAnnotation
	// Mutations and ReinvocationPolicy are of mutating policies alone.
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

// Expressions returns the CEL expressions of a policy, by their fields.
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

// Inherits reports whether the field of an expression is a condition of the webhook that the policy replaces.
func (p *Policy) Inherits(field string) bool {
	for i := range p.Inherited {
		if field == fmt.Sprintf("spec.matchConditions[%d].expression", i) {
			return true
		}
	}
	return false
}

// The minor versions of Kubernetes 1 that first serve policies. In the two versions before ServesMutating, the API is
// v1beta1, which is off by default.
const (
	ServesValidating   = 30
	ServesMutating     = 36
	ServesMutatingBeta = 34
)

// Serves returns the minor version of Kubernetes 1 that first serves a kind of policies as v1.
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

// Replacements are the policies that replace webhooks from Kubernetes 1.Since on.
type Replacements struct {
	Since    int
	Policies []*Policy
}

// Replacements returns the policies that replace webhooks, by version.
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

// OldestKubernetes is the minor version of the oldest API server that the project supports: as webhook-gen.yaml sets,
// or the first that serves its policies. Without policies it is 1.30: from then on, matchConditions of webhooks are
// stable.
func (p *Project) OldestKubernetes() int {
	if text, ok := strings.CutPrefix(p.MinKubernetes.V, "1."); ok {
		if minor, err := strconv.Atoi(text); err == nil {
			return minor
		}
	}
	return Serves(slices.ContainsFunc(p.AlwaysInstalled(), func(policy *Policy) bool { return policy.Mutating }))
}

// SortPolicies sorts policies as they are written: mutating before validating, then by name.
func SortPolicies(policies []*Policy) {
	slices.SortStableFunc(policies, func(a, b *Policy) int {
		return cmp.Or(strings.Compare(KindWord(a.Mutating), KindWord(b.Mutating)), strings.Compare(a.Name, b.Name))
	})
}

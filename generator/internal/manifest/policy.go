// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"strings"

	"go.yaml.in/yaml/v3"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// boundPolicy is a binding before its policy is found.
type boundPolicy struct {
	mutating bool
	*model.Binding
}

// policy reads a policy or a binding. All versions of the API have the fields of v1.
func (r *reader) policy(t text, node *yaml.Node, mutating, binding bool) {
	at := t.Range(node)
	var validating admissionregistrationv1.ValidatingAdmissionPolicy
	var changing admissionregistrationv1.MutatingAdmissionPolicy
	var bound admissionregistrationv1.ValidatingAdmissionPolicyBinding
	into := any(&validating)
	switch {
	case binding:
		into = &bound
	case mutating:
		into = &changing
	}
	unknown, ok := r.decode(t, node, into)
	for _, e := range unknown {
		r.Unknown.Add(diag.Errorf(at, RuleObject, "%s", e))
	}
	if !ok {
		return
	}
	source := model.Source{Range: at, At: model.Positions{}}
	t.positions(source.At, "", node)
	if binding {
		if ref := bound.Spec.ParamRef; ref != nil && ref.ParameterNotFoundAction == nil && strings.HasSuffix(bound.APIVersion, "/v1alpha1") {
			// SetDefaults_ParamRef of k8s.io/kubernetes/pkg/apis/admissionregistration/v1alpha1. Later versions need
			// the field.
			ref.ParameterNotFoundAction = new(admissionregistrationv1.DenyAction)
		}
		r.bindings = append(r.bindings, boundPolicy{mutating, &model.Binding{Source: source, Name: bound.Name, Spec: bound.Spec}})
		return
	}
	p := &model.Policy{Source: source, Mutating: mutating, Name: validating.Name}
	if s := validating.Spec; !mutating {
		p.Spec = model.PolicySpec{
			ParamKind: s.ParamKind, MatchConstraints: s.MatchConstraints, MatchConditions: s.MatchConditions, Variables: s.Variables,
			FailurePolicy: s.FailurePolicy, Validations: s.Validations, AuditAnnotations: s.AuditAnnotations,
		}
	} else {
		s := changing.Spec
		p.Name = changing.Name
		p.Spec = model.PolicySpec{
			ParamKind: s.ParamKind, MatchConstraints: s.MatchConstraints, MatchConditions: s.MatchConditions, Variables: s.Variables,
			FailurePolicy: s.FailurePolicy, Mutations: s.Mutations, ReinvocationPolicy: s.ReinvocationPolicy,
		}
	}
	r.Policies = append(r.Policies, p)
}

// bind adds the bindings to their policies, and sets Unbound.
func (r *reader) bind() {
	for _, b := range r.bindings {
		found := false
		for _, p := range r.Policies {
			if p.Mutating == b.mutating && p.Name == b.Spec.PolicyName {
				p.Bindings = append(p.Bindings, b.Binding)
				found = true
			}
		}
		if !found {
			r.Unbound = append(r.Unbound, b.Binding)
		}
	}
}

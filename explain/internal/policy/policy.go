// SPDX-License-Identifier: Apache-2.0

// Package policy compiles the expressions of admission policies with the API server's own compilers, compares them with
// the types of the objects that they read, and estimates their cost.
package policy

import (
	"fmt"
	"strings"

	celgo "github.com/google/cel-go/cel"
	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"

	"github.com/webhook-gen/webhook-gen/explain/internal/object"
)

// spec is the part of a policy that both kinds of policies have, with the expressions of both.
type spec struct {
	mutating         bool
	paramKind        *v1.ParamKind
	rules            []v1.RuleWithOperations
	matchConditions  []v1.MatchCondition
	variables        []v1.Variable
	validations      []v1.Validation
	auditAnnotations []v1.AuditAnnotation
	mutations        []v1.Mutation
}

// readSpec reads a policy in admissionregistration.k8s.io/v1.
func readSpec(o *unstructured.Unstructured) (s *spec, err error) {
	switch o.GetKind() {
	case "ValidatingAdmissionPolicy":
		p := &v1.ValidatingAdmissionPolicy{}
		err = object.Decode(o, p)
		s = &spec{
			paramKind: p.Spec.ParamKind, rules: rulesOf(p.Spec.MatchConstraints), matchConditions: p.Spec.MatchConditions,
			variables: p.Spec.Variables, validations: p.Spec.Validations, auditAnnotations: p.Spec.AuditAnnotations,
		}
	case "MutatingAdmissionPolicy":
		p := &v1.MutatingAdmissionPolicy{}
		err = object.Decode(o, p)
		s = &spec{
			mutating: true, paramKind: p.Spec.ParamKind, rules: rulesOf(p.Spec.MatchConstraints), matchConditions: p.Spec.MatchConditions,
			variables: p.Spec.Variables, mutations: p.Spec.Mutations,
		}
	default:
		err = fmt.Errorf("a policy of the kind %q: use ValidatingAdmissionPolicy or MutatingAdmissionPolicy", o.GetKind())
	}
	return s, err
}

// signature names the types for the expressions of a policy for objects of a kind.
func (s *spec) signature(object schema.GroupVersionKind) signature {
	if s.paramKind == nil {
		return signature{object: object}
	}
	return signature{object, schema.FromAPIVersionAndKind(s.paramKind.APIVersion, s.paramKind.Kind), true}
}

// rulesOf returns the rules of a policy.
func rulesOf(matched *v1.MatchResources) (rules []v1.RuleWithOperations) {
	if matched != nil {
		for _, r := range matched.ResourceRules {
			rules = append(rules, r.RuleWithOperations)
		}
	}
	return rules
}

// role is what an expression is for.
type role int

const (
	matchCondition role = iota
	variable
	validation
	message
	auditAnnotation
	applyConfiguration
	jsonPatch
)

// expression is one expression of a policy or a webhook.
type expression struct {
	role
	// field is its path in the object, such as spec.validations[0].expression.
	field string
	// index is its place in the list of its role.
	index    int
	text     string
	accessor cel.ExpressionAccessor
}

// expressions lists the expressions in the order in which an API server compiles them. It leaves out empty expressions,
// which are reported already.
func (s *spec) expressions() []expression {
	var all []expression
	add := func(r role, i int, field string, accessor cel.ExpressionAccessor) {
		if text := accessor.GetExpression(); strings.TrimSpace(text) != "" {
			all = append(all, expression{role: r, index: i, field: fmt.Sprintf(field, i), text: text, accessor: accessor})
		}
	}
	for i := range s.matchConditions {
		add(matchCondition, i, "spec.matchConditions[%d].expression", (*matchconditions.MatchCondition)(&s.matchConditions[i]))
	}
	for i, v := range s.variables {
		add(variable, i, "spec.variables[%d].expression", &validating.Variable{Name: v.Name, Expression: v.Expression})
	}
	for i, v := range s.validations {
		add(validation, i, "spec.validations[%d].expression", &validating.ValidationCondition{Expression: v.Expression})
		add(message, i, "spec.validations[%d].messageExpression", &validating.MessageExpressionCondition{MessageExpression: v.MessageExpression})
	}
	for i, a := range s.auditAnnotations {
		add(auditAnnotation, i, "spec.auditAnnotations[%d].valueExpression", &validating.AuditAnnotationCondition{Key: a.Key, ValueExpression: a.ValueExpression})
	}
	for i, m := range s.mutations {
		if a := m.ApplyConfiguration; a != nil {
			add(applyConfiguration, i, "spec.mutations[%d].applyConfiguration.expression", &patch.ApplyConfigurationCondition{Expression: a.Expression})
		}
		if j := m.JSONPatch; j != nil {
			add(jsonPatch, i, "spec.mutations[%d].jsonPatch.expression", &patch.JSONPatchCondition{Expression: j.Expression})
		}
	}
	return all
}

// declared returns the optional variables that an API server declares for an expression
// (k8s.io/kubernetes/pkg/apis/admissionregistration/validation).
func (e expression) declared(hasParams bool) cel.OptionalVariableDeclarations {
	return cel.OptionalVariableDeclarations{HasParams: hasParams, HasAuthorizer: e.role != message, HasPatchTypes: e.patches()}
}

// name is the name of a variable.
func (e expression) name() string { return e.accessor.(cel.NamedExpressionAccessor).GetName() }

func (r role) patches() bool { return r == applyConfiguration || r == jsonPatch }

// in returns the typed environment that compiles the expression.
func (e expression) in(t *typedEnvironment) *celgo.Env {
	if e.patches() {
		return t.patch
	}
	return t.plain
}

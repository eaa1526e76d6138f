// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	admissionv1 "k8s.io/api/admission/v1"
	v1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/webhook-gen/webhook-gen/explain/internal/object"
	"github.com/webhook-gen/webhook-gen/explain/project"
)

// meter adds up the cost of expressions.
type meter struct{ cost int64 }

// take returns the cost since the last call.
func (m *meter) take() int64 {
	cost := m.cost
	m.cost = 0
	return cost
}

// evaluator is a cel.ConditionEvaluator or a cel.MutatingEvaluator, which differ in the result.
type evaluator[Result any] interface {
	ForInput(context.Context, *admission.VersionedAttributes, *admissionv1.AdmissionRequest, cel.OptionalVariableBindings, *corev1.Namespace, int64) (Result, int64, error)
	CompilationErrors() []error
}

// metered is expressions whose cost a meter adds up.
type metered[Result any] struct {
	evaluator[Result]
	*meter
}

func (e metered[Result]) ForInput(ctx context.Context, a *admission.VersionedAttributes, r *admissionv1.AdmissionRequest, b cel.OptionalVariableBindings, n *corev1.Namespace, budget int64) (Result, int64, error) {
	result, remaining, err := e.evaluator.ForInput(ctx, a, r, b, n, budget)
	e.cost += budget - max(remaining, 0) // it is negative if nothing of the budget is left
	return result, remaining, err
}

// matcher is matchConditions that remember their last result.
type matcher struct {
	matchconditions.Matcher
	last func(kind schema.GroupVersionKind, params runtime.Object, result matchconditions.MatchResult)
}

func (m matcher) Match(ctx context.Context, a *admission.VersionedAttributes, params runtime.Object, authz authorizer.UnconditionalAuthorizer) matchconditions.MatchResult {
	result := m.Matcher.Match(ctx, a, params, authz)
	m.last(a.VersionedKind, params, result)
	return result
}

// validatingPolicy is a ValidatingAdmissionPolicy. It is compiled for the first request that it matches.
type validatingPolicy struct {
	*v1.ValidatingAdmissionPolicy
	source   *unstructured.Unstructured // as it was read
	bindings []*v1.ValidatingAdmissionPolicyBinding
	// refused is the reason why an API server refuses the policy; empty if it has it.
	refused  string
	compiled func() (validating.Validator, error)
	*meter
	// matched is the result of the matchConditions in the last validation; nil without conditions.
	matched *matchconditions.MatchResult
}

// mutatingPolicy is a MutatingAdmissionPolicy.
type mutatingPolicy struct {
	*v1.MutatingAdmissionPolicy
	bindings []boundMutation
	refused  string
}

// refusedError is the reason why an API server refuses a policy: its expressions do not compile.
type refusedError struct{ error }

// installed returns the reason why an API server refuses a policy. Its error is another trouble.
func installed(refused string, trouble error) (string, error) {
	if does, ok := errors.AsType[refusedError](trouble); ok && refused == "" {
		return strings.TrimSpace(does.Error()), nil
	}
	return refused, trouble
}

// boundMutation is a MutatingAdmissionPolicy for one of its bindings, which its recorder knows. It is compiled for the
// first request that the policy matches.
type boundMutation struct {
	*v1.MutatingAdmissionPolicyBinding
	compiled func() (mutating.PolicyEvaluator, error)
	*mutationRecorder
}

// addValidating reads a policy, with the defaults of an API server.
func (e *Evaluator) addValidating(p project.Policy) error {
	policy := &validatingPolicy{ValidatingAdmissionPolicy: &v1.ValidatingAdmissionPolicy{}, source: &p.Object, meter: &meter{}, refused: p.Refused}
	if err := object.Decode(&p.Object, policy.ValidatingAdmissionPolicy); err != nil {
		return err
	}
	policy.Spec.FailurePolicy = cmp.Or(policy.Spec.FailurePolicy, new(v1.Fail))
	fillResources(policy.Spec.MatchConstraints)
	for i := range p.Bindings {
		b := &v1.ValidatingAdmissionPolicyBinding{}
		if err := object.Decode(&p.Bindings[i], b); err != nil {
			return err
		}
		if b.Spec.PolicyName != policy.Name {
			return fmt.Errorf("the binding %s is for the policy %s, and is listed with %s", b.Name, b.Spec.PolicyName, policy.Name)
		}
		fillResources(b.Spec.MatchResources)
		policy.bindings = append(policy.bindings, b)
	}
	policy.compiled = sync.OnceValues(func() (validating.Validator, error) { return policy.validator(e) })
	e.validating = append(e.validating, policy)
	return nil
}

// validator compiles the policy as k8s.io/apiserver/pkg/admission/plugin/policy/validating does (compilePolicy).
func (p *validatingPolicy) validator(e *Evaluator) (validating.Validator, error) {
	spec := &p.Spec
	all := cel.OptionalVariableDeclarations{HasParams: spec.ParamKind != nil, HasAuthorizer: true}
	messages := cel.OptionalVariableDeclarations{HasParams: spec.ParamKind != nil}
	compiler, err := e.compiler(spec.Variables, all.HasParams)
	if err != nil {
		return nil, err
	}
	var refused []error
	compile := func(expressions []cel.ExpressionAccessor, declared cel.OptionalVariableDeclarations) cel.ConditionEvaluator {
		compiled := compiler.CompileCondition(expressions, declared, environment.StoredExpressions)
		refused = append(refused, compiled.CompilationErrors()...)
		return metered[[]cel.EvaluationResult]{compiled, p.meter}
	}
	var validations, auditAnnotations []cel.ExpressionAccessor
	texts := make([]cel.ExpressionAccessor, len(spec.Validations)) // nil for a validation without a messageExpression
	for i, v := range spec.Validations {
		validations = append(validations, &validating.ValidationCondition{Expression: v.Expression, Message: v.Message, Reason: v.Reason})
		if v.MessageExpression != "" {
			texts[i] = &validating.MessageExpressionCondition{MessageExpression: v.MessageExpression}
		}
	}
	for _, a := range spec.AuditAnnotations {
		auditAnnotations = append(auditAnnotations, &validating.AuditAnnotationCondition{Key: a.Key, ValueExpression: a.ValueExpression})
	}
	var conditions matchconditions.Matcher
	if len(spec.MatchConditions) > 0 {
		conditions = matcher{
			matchconditions.NewMatcher(compile(matchConditions(spec.MatchConditions), all), spec.FailurePolicy, "policy", "validate", p.Name),
			func(_ schema.GroupVersionKind, _ runtime.Object, result matchconditions.MatchResult) {
				p.matched = &result
			},
		}
	}
	validator := validating.NewValidator(compile(validations, all), conditions, compile(auditAnnotations, all), compile(texts, messages), spec.FailurePolicy, nil)
	if len(refused) > 0 {
		return nil, refusedError{refused[0]}
	}
	return validator, nil
}

// addMutating reads a policy, with the defaults of an API server.
func (e *Evaluator) addMutating(p project.Policy) error {
	policy := &mutatingPolicy{MutatingAdmissionPolicy: &v1.MutatingAdmissionPolicy{}, refused: p.Refused}
	if err := object.Decode(&p.Object, policy.MutatingAdmissionPolicy); err != nil {
		return err
	}
	for i, m := range policy.Spec.Mutations {
		if m.PatchType == v1.PatchTypeJSONPatch && m.JSONPatch != nil || m.PatchType == v1.PatchTypeApplyConfiguration && m.ApplyConfiguration != nil {
			continue
		}
		if policy.refused != "" {
			break
		}
		return fmt.Errorf("MutatingAdmissionPolicy %s: spec.mutations[%d] has the patchType %q and no expression for it", policy.Name, i, m.PatchType)
	}
	policy.Spec.FailurePolicy = cmp.Or(policy.Spec.FailurePolicy, new(v1.Fail))
	fillResources(policy.Spec.MatchConstraints)
	for i := range p.Bindings {
		b := &v1.MutatingAdmissionPolicyBinding{}
		if err := object.Decode(&p.Bindings[i], b); err != nil {
			return err
		}
		if b.Spec.PolicyName != policy.Name {
			return fmt.Errorf("the binding %s is for the policy %s, and is listed with %s", b.Name, b.Spec.PolicyName, policy.Name)
		}
		fillResources(b.Spec.MatchResources)
		recorder := &mutationRecorder{objects: e.objects, source: &p.Object, policy: policy.Name, binding: b.Name}
		compiled := sync.OnceValues(func() (mutating.PolicyEvaluator, error) { return policy.evaluator(e, recorder) })
		policy.bindings = append(policy.bindings, boundMutation{b, compiled, recorder})
	}
	e.mutating = append(e.mutating, policy)
	return nil
}

// evaluator compiles the policy as k8s.io/apiserver/pkg/admission/plugin/policy/mutating does (compilePolicy). The
// recorder is told what it does.
func (p *mutatingPolicy) evaluator(e *Evaluator, r *mutationRecorder) (mutating.PolicyEvaluator, error) {
	all := cel.OptionalVariableDeclarations{HasParams: p.Spec.ParamKind != nil, HasAuthorizer: true}
	compiler, err := e.compiler(p.Spec.Variables, all.HasParams)
	if err != nil {
		return mutating.PolicyEvaluator{}, err
	}
	evaluator := mutating.PolicyEvaluator{CompositedCompiler: compiler}
	var refused []error
	if len(p.Spec.MatchConditions) > 0 {
		compiled := compiler.CompileCondition(matchConditions(p.Spec.MatchConditions), all, environment.StoredExpressions)
		refused = append(refused, compiled.CompilationErrors()...)
		conditions := metered[[]cel.EvaluationResult]{compiled, &r.meter}
		evaluator.Matcher = matcher{matchconditions.NewMatcher(conditions, p.Spec.FailurePolicy, "policy", "validate", p.Name), r.matched}
	}
	all.HasPatchTypes = true
	compile := func(expression cel.ExpressionAccessor) cel.MutatingEvaluator {
		compiled := compiler.CompileMutatingEvaluator(expression, all, environment.StoredExpressions)
		refused = append(refused, compiled.CompilationErrors()...)
		return metered[cel.EvaluationResult]{compiled, &r.meter}
	}
	for i, m := range p.Spec.Mutations {
		if m.PatchType == v1.PatchTypeJSONPatch {
			compiled := compile(&patch.JSONPatchCondition{Expression: m.JSONPatch.Expression})
			evaluator.Mutators = append(evaluator.Mutators, recordedPatcher{patch.NewJSONPatcher(compiled), r, i, false})
		} else {
			compiled := compile(&patch.ApplyConfigurationCondition{Expression: m.ApplyConfiguration.Expression})
			evaluator.Mutators = append(evaluator.Mutators, recordedPatcher{patch.NewApplyConfigurationPatcher(compiled), r, i, true})
		}
	}
	if len(refused) > 0 {
		return mutating.PolicyEvaluator{}, refusedError{refused[0]}
	}
	return evaluator, nil
}

// compiler returns a compiler for the expressions of a policy. Policies without variables share one, because it takes
// milliseconds to make.
func (e *Evaluator) compiler(declared []v1.Variable, hasParams bool) (*cel.CompositedCompiler, error) {
	if len(declared) == 0 {
		return e.withoutVariables()
	}
	compiler, err := newCompiler()
	if err != nil {
		return nil, err
	}
	all := cel.OptionalVariableDeclarations{HasParams: hasParams, HasAuthorizer: true}
	for _, v := range variables(declared) {
		if result := compiler.CompileAndStoreVariable(v, all, environment.StoredExpressions); result.Error != nil {
			return nil, refusedError{fmt.Errorf("the variable %s: %w", v.GetName(), result.Error)}
		}
	}
	return compiler, nil
}

func newCompiler() (*cel.CompositedCompiler, error) {
	base := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
	compiler, err := cel.NewCompositedCompiler(base)
	if err != nil {
		return nil, fmt.Errorf("set up CEL: %w", err)
	}
	return compiler, nil
}

func variables(declared []v1.Variable) []cel.NamedExpressionAccessor {
	var all []cel.NamedExpressionAccessor
	for _, v := range declared {
		all = append(all, &validating.Variable{Name: v.Name, Expression: v.Expression})
	}
	return all
}

func matchConditions(declared []v1.MatchCondition) []cel.ExpressionAccessor {
	var all []cel.ExpressionAccessor
	for i := range declared {
		all = append(all, (*matchconditions.MatchCondition)(&declared[i]))
	}
	return all
}

// fillResources sets the defaults of an API server (k8s.io/kubernetes/pkg/apis/admissionregistration/v1/defaults.go).
func fillResources(m *v1.MatchResources) {
	if m == nil {
		return
	}
	m.MatchPolicy = cmp.Or(m.MatchPolicy, new(v1.Equivalent))
	m.NamespaceSelector = cmp.Or(m.NamespaceSelector, &metav1.LabelSelector{})
	m.ObjectSelector = cmp.Or(m.ObjectSelector, &metav1.LabelSelector{})
	for _, rules := range [][]v1.NamedRuleWithOperations{m.ResourceRules, m.ExcludeResourceRules} {
		for i, r := range rules {
			rules[i].Scope = cmp.Or(r.Scope, new(v1.AllScopes))
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

// Package evaluate runs admission policies on requests, by the API server's own dispatchers, matchers and evaluators
// (k8s.io/apiserver/pkg/admission/plugin/policy).
package evaluate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/policy/generic"
	"k8s.io/apiserver/pkg/admission/plugin/policy/matching"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/webhook-gen/webhook-gen/explain/internal/admit"
	"github.com/webhook-gen/webhook-gen/explain/internal/object"
	"github.com/webhook-gen/webhook-gen/explain/internal/project"
	"github.com/webhook-gen/webhook-gen/explain/internal/served"
)

// Verdict is what a policy does.
type Verdict string

const (
	// Allowed means that every validation is true.
	Allowed Verdict = "allowed"
	// Denied means that a validation is false and the binding denies.
	Denied Verdict = "denied"
	// Warned means that a validation is false and the binding warns.
	Warned Verdict = "warned"
	// Audited means that a validation is false and the binding writes it into the audit log.
	Audited Verdict = "audited"
	// NotMatched means that the policy or the binding does not match the request.
	NotMatched Verdict = "notMatched"
	// ConditionFalse means that a matchCondition is false.
	ConditionFalse Verdict = "conditionFalse"
	// Error means that an expression fails. The failurePolicy decides about the request.
	Error Verdict = "error"
	// Changed means that a mutation changes the object.
	Changed Verdict = "changed"
	// Unchanged means that it does not.
	Unchanged Verdict = "unchanged"
)

// Phase is when a policy is evaluated.
type Phase string

// The phases in the order of an API server. A second round of mutations follows if an object was changed.
const (
	Mutation     Phase = "mutation"
	Reinvocation Phase = "reinvocation"
	Validation   Phase = "validation"
)

// Step is one evaluation of a policy by a binding, with one object of params.
type Step struct {
	Policy  string  `json:"policy"`
	Binding string  `json:"binding,omitempty"`
	Phase   Phase   `json:"phase"`
	Verdict Verdict `json:"verdict"`
	// Message is the message of the first failed validation, the error, or the reason why the policy does not match.
	Message string `json:"message,omitempty"`
	// Params is the object of params, as namespace/name; empty without one.
	Params string `json:"params,omitempty"`
	// Mutation is the index of the mutation in the policy.
	Mutation *int `json:"mutation,omitempty"`
	// Cost is the cost of all expressions of the step.
	Cost int64 `json:"cost"`
	// Object is the object after a mutation that changes it.
	Object map[string]any `json:"object,omitempty"`
}

// Answer is the result for one request.
type Answer struct {
	Allowed bool `json:"allowed"`
	// Code, Reason and Message describe the API server's refusal.
	Code             int32             `json:"code,omitempty"`
	Reason           string            `json:"reason,omitempty"`
	Message          string            `json:"message,omitempty"`
	Warnings         []string          `json:"warnings,omitempty"`
	AuditAnnotations map[string]string `json:"auditAnnotations,omitempty"`
	// Object is the object after the mutations.
	Object map[string]any `json:"object,omitempty"`
	Steps  []Step         `json:"steps"`
	// Error is the reason why the request cannot be evaluated here. All other fields are empty then.
	Error string `json:"error,omitempty"`
}

// Evaluator evaluates the policies of a project. It is for one goroutine.
type Evaluator struct {
	objects    *objects
	mutating   []*mutatingPolicy
	validating []*validatingPolicy
	client     kubernetes.Interface
}

// New compiles policies. An API server evaluates them in no certain order; an Evaluator sorts them by name.
func New(policies []project.Policy, types []project.Type, api *served.API) (*Evaluator, error) {
	known, err := newObjects(api, types)
	if err != nil {
		return nil, err
	}
	e := &Evaluator{objects: known}
	if e.client, err = kubernetes.NewForConfig(&rest.Config{}); err != nil { // never called: the caches have everything
		return nil, err
	}
	for _, p := range policies {
		switch p.Object.GetKind() {
		case "ValidatingAdmissionPolicy":
			policy, err := readValidating(p)
			if err != nil {
				return nil, err
			}
			e.validating = append(e.validating, policy)
		case "MutatingAdmissionPolicy":
			policy, err := readMutating(p, known)
			if err != nil {
				return nil, err
			}
			e.mutating = append(e.mutating, policy)
		default:
			return nil, fmt.Errorf("a policy of the kind %q: use ValidatingAdmissionPolicy or MutatingAdmissionPolicy", p.Object.GetKind())
		}
	}
	slices.SortStableFunc(e.validating, func(a, b *validatingPolicy) int { return strings.Compare(a.Name, b.Name) })
	slices.SortStableFunc(e.mutating, func(a, b *mutatingPolicy) int { return strings.Compare(a.Name, b.Name) })
	return e, nil
}

// Surroundings are the objects of the cluster that a request concerns.
type Surroundings struct {
	// Namespace is the namespace of the request; nil for a cluster-scoped request.
	Namespace *corev1.Namespace
	// Params are all objects that may be params.
	Params []runtime.Object
	// Authorized is the authorizer's answer to expressions.
	Authorized admit.Answer
}

// evaluation is the evaluation of one request.
type evaluation struct {
	*Evaluator
	Surroundings
	matcher *matching.Matcher
	rounds  rounds
	asked   bool // the authorizer
	answer  Answer
}

// Mutate runs the mutating policies. The object of the attributes is changed.
func (e *Evaluator) Mutate(ctx context.Context, a admission.Attributes, around Surroundings) Answer {
	v, err := e.begin(around)
	if err != nil {
		return Answer{Error: err.Error()}
	}
	return v.finish(v.mutate(ctx, a), a)
}

// inRounds runs the first round of the mutating policies, or the second one after a change of the object by others. Its
// answer has the steps of that round alone.
func (e *Evaluator) inRounds(ctx context.Context, a admission.Attributes, around Surroundings, second func() error) Answer {
	v, err := e.begin(around)
	if err != nil {
		return Answer{Error: err.Error()}
	}
	v.rounds = rounds{only: true, second: second}
	return v.finish(v.mutate(ctx, a), a)
}

// rounds are the rounds of mutating policies to run.
type rounds struct {
	// only runs the first round; with second, which changes the object, it runs the second one after it.
	only   bool
	second func() error
}

// Validate runs the validating policies.
func (e *Evaluator) Validate(ctx context.Context, a admission.Attributes, around Surroundings) Answer {
	v, err := e.begin(around)
	if err != nil {
		return Answer{Error: err.Error()}
	}
	return v.finish(v.validate(ctx, a), a)
}

func (e *Evaluator) begin(around Surroundings) (*evaluation, error) {
	e.objects.unknown = nil
	v := &evaluation{Evaluator: e, Surroundings: around, answer: Answer{Steps: []Step{}}}
	f := informers.NewSharedInformerFactory(e.client, 0)
	namespaces := f.Core().V1().Namespaces()
	if around.Namespace != nil {
		if err := namespaces.Informer().GetIndexer().Add(around.Namespace); err != nil {
			return nil, err
		}
	}
	v.matcher = matching.NewMatcher(namespaces.Lister(), e.client)
	return v, nil
}

// finish turns a refusal into the answer.
func (v *evaluation) finish(refusal error, a admission.Attributes) Answer {
	switch {
	case v.objects.unknown != nil:
		return Answer{Error: v.objects.unknown.Error()}
	case v.asked && v.Authorized == admit.Unknown:
		return Answer{Error: "a policy asks the authorizer, whose answer is not known here"}
	}
	v.answer.Allowed = refusal == nil
	if status, ok := errors.AsType[*apierrors.StatusError](refusal); ok {
		v.answer.Code, v.answer.Reason, v.answer.Message = status.ErrStatus.Code, string(status.ErrStatus.Reason), status.ErrStatus.Message
	} else if refusal != nil {
		v.answer.Code, v.answer.Reason, v.answer.Message = 500, "InternalError", refusal.Error()
	}
	v.answer.Object = content(a.GetObject())
	return v.answer
}

// Authorize answers every question of an expression alike, and remembers that there was one.
func (v *evaluation) Authorize(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
	v.asked = true
	if v.Authorized == admit.Allow {
		return authorizer.DecisionAllow, "", nil
	}
	return authorizer.DecisionNoOpinion, "", nil
}

// excluded reports requests that no policy sees
// (k8s.io/apiserver/pkg/admission/plugin/policy/generic, Plugin.Dispatch).
func excluded(a admission.Attributes) bool {
	of := a.GetResource().GroupResource()
	if of.Group == v1.GroupName {
		return slices.Contains([]string{
			"validatingadmissionpolicies", "validatingadmissionpolicybindings", "mutatingadmissionpolicies", "mutatingadmissionpolicybindings",
		}, of.Resource)
	}
	return slices.Contains(admit.Virtual(), of)
}

func (v *evaluation) mutate(ctx context.Context, a admission.Attributes) error {
	if excluded(a) || a.GetOperation() == admission.Delete {
		return nil
	}
	recorder := &mutationRecorder{objects: v.objects, phase: Mutation}
	var hooks []mutating.PolicyHook
	for _, p := range v.mutating {
		informer, scope, err := v.params(p.Spec.ParamKind)
		if err != nil {
			return err
		}
		for _, b := range p.bindings { // each with a hook of its own, which the recorder knows
			b.mutationRecorder.all = recorder
			b.take()
			hooks = append(hooks, mutating.PolicyHook{
				Policy: p.MutatingAdmissionPolicy, Bindings: []*v1.MutatingAdmissionPolicyBinding{b.MutatingAdmissionPolicyBinding}, Evaluator: b.PolicyEvaluator,
				ParamInformer: informer, ParamScope: scope,
			})
		}
	}
	d := mutating.NewDispatcher(v, v.matcher, v.objects)
	if err := d.Dispatch(ctx, a, v.objects, hooks); err != nil {
		v.addMutations(recorder, hooks, a)
		return err
	}
	v.addMutations(recorder, hooks, a)
	again := a.GetReinvocationContext()
	switch {
	case v.rounds.second != nil:
		v.answer.Steps = nil
		if err := v.rounds.second(); err != nil {
			return err
		}
	case v.rounds.only || !again.ShouldReinvoke():
		return nil
	}
	again.SetIsReinvoke()
	recorder.phase, recorder.steps = Reinvocation, nil
	err := d.Dispatch(ctx, a, v.objects, hooks)
	v.answer.Steps = append(v.answer.Steps, slices.DeleteFunc(recorder.steps, func(s Step) bool { return s.Verdict == ConditionFalse })...)
	return err
}

// addMutations adds the steps of the first round in the order of the hooks, and a step for each policy without one.
func (v *evaluation) addMutations(r *mutationRecorder, hooks []mutating.PolicyHook, a admission.Attributes) {
	match := generic.NewPolicyMatcher(v.matcher)
	for _, h := range hooks {
		b := h.Bindings[0]
		found := false
		for _, s := range r.steps {
			if s.Policy == h.Policy.Name && s.Binding == b.Name {
				found = true
				v.answer.Steps = append(v.answer.Steps, s)
			}
		}
		if found {
			continue
		}
		s := Step{Policy: h.Policy.Name, Binding: b.Name, Phase: Mutation}
		s.Verdict, s.Message = v.unmatched(match, a, mutating.NewMutatingAdmissionPolicyAccessor(h.Policy), mutating.NewMutatingAdmissionPolicyBindingAccessor(b))
		v.answer.Steps = append(v.answer.Steps, s)
	}
}

// unmatched explains why a policy is not evaluated.
func (v *evaluation) unmatched(match generic.PolicyMatcher, a admission.Attributes, p generic.PolicyAccessor, b generic.BindingAccessor) (Verdict, string) {
	matches, _, _, err := match.DefinitionMatches(a, v.objects, p)
	switch {
	case err != nil:
		return Error, err.Error()
	case !matches:
		return NotMatched, "the policy does not match the request"
	}
	matches, err = match.BindingMatches(a, v.objects, b)
	switch {
	case err != nil:
		return Error, err.Error()
	case !matches:
		return NotMatched, "the binding does not match the request"
	case p.GetParamKind() != nil && b.GetParamRef() != nil:
		informer, scope, err := v.params(p.GetParamKind())
		if err != nil {
			return Error, err.Error()
		}
		found, err := generic.CollectParams(p.GetParamKind(), informer, scope, b.GetParamRef(), a.GetNamespace(), nil, nil)
		if err != nil {
			return Error, err.Error()
		}
		if len(found) == 0 {
			return NotMatched, "there are no params for the binding"
		}
	}
	return Unchanged, "there is nothing to mutate"
}

func (v *evaluation) validate(ctx context.Context, a admission.Attributes) error {
	if excluded(a) {
		return nil
	}
	match := generic.NewPolicyMatcher(v.matcher)
	d := validating.NewDispatcher(v, match)
	var hooks []validating.PolicyHook
	for _, p := range v.validating {
		informer, scope, err := v.params(p.Spec.ParamKind)
		if err != nil {
			return err
		}
		hook := validating.PolicyHook{Policy: p.ValidatingAdmissionPolicy, Evaluator: p.validator, ParamInformer: informer, ParamScope: scope}
		for _, b := range p.bindings { // each alone, for its steps
			recorder := &validationRecorder{Validator: p.validator, policy: p, binding: b}
			one := hook
			one.Bindings, one.Evaluator = []*v1.ValidatingAdmissionPolicyBinding{b}, recorder
			refusal := d.Dispatch(warning.WithWarningRecorder(ctx, &warnings{}), recorded{a, map[string]string{}}, v.objects, []validating.PolicyHook{one})
			if len(recorder.steps) == 0 {
				s := Step{Policy: p.Name, Binding: b.Name, Phase: Validation}
				s.Verdict, s.Message = v.unmatched(match, a, validating.NewValidatingAdmissionPolicyAccessor(p.ValidatingAdmissionPolicy), validating.NewValidatingAdmissionPolicyBindingAccessor(b))
				if s.Verdict == Unchanged && refusal != nil {
					s.Verdict, s.Message = Error, refusal.Error()
				}
				recorder.steps = append(recorder.steps, s)
			}
			v.answer.Steps = append(v.answer.Steps, recorder.steps...)
		}
		hook.Bindings = p.bindings
		hooks = append(hooks, hook)
	}
	said := &warnings{}
	annotations := recorded{a, map[string]string{}}
	err := d.Dispatch(warning.WithWarningRecorder(ctx, said), annotations, v.objects, hooks)
	v.answer.Warnings = said.texts
	if len(annotations.annotations) > 0 {
		v.answer.AuditAnnotations = annotations.annotations
	}
	return err
}

// warnings are the warnings for the client.
type warnings struct{ texts []string }

func (w *warnings) AddWarning(_, text string) { w.texts = append(w.texts, text) }

// recorded is a request whose audit annotations can be read.
type recorded struct {
	admission.Attributes
	annotations map[string]string
}

func (r recorded) AddAnnotation(key, value string) error {
	r.annotations[key] = value
	return nil
}

// params returns the params of a kind as an API server's informer has them.
func (v *evaluation) params(of *v1.ParamKind) (informers.GenericInformer, meta.RESTScope, error) {
	if of == nil {
		return nil, nil, nil
	}
	kind := schema.FromAPIVersionAndKind(of.APIVersion, of.Kind)
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	namespaced, known := false, false
	if resources := v.objects.api.ForKind(kind); len(resources) > 0 {
		namespaced, known = resources[0].Namespaced, true
	}
	for _, p := range v.Params {
		if p.GetObjectKind().GroupVersionKind() != kind {
			continue
		}
		accessor, err := meta.Accessor(p)
		if err != nil {
			return nil, nil, fmt.Errorf("params: %w", err)
		}
		if !known && accessor.GetNamespace() != "" {
			namespaced = true
		}
		p = p.DeepCopyObject()
		if _, isCustom := p.(runtime.Unstructured); !isCustom {
			p.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{}) // informers have Go types without it
		}
		if err := indexer.Add(p); err != nil {
			return nil, nil, fmt.Errorf("params: %w", err)
		}
	}
	scope := meta.RESTScopeRoot
	if namespaced {
		scope = meta.RESTScopeNamespace
	}
	return paramInformer{cache.NewGenericLister(indexer, schema.GroupResource{Group: kind.Group, Resource: strings.ToLower(kind.Kind)})}, scope, nil
}

// paramInformer has all params.
type paramInformer struct{ lister cache.GenericLister }

func (p paramInformer) Informer() cache.SharedIndexInformer { return synced{} }
func (p paramInformer) Lister() cache.GenericLister         { return p.lister }

// synced is an informer that has read everything.
type synced struct{ cache.SharedIndexInformer }

func (synced) HasSynced() bool { return true }

// name is the name of params, with their namespace.
func name(params runtime.Object) string {
	if params == nil {
		return ""
	}
	m, ok := params.(interface{ ToUnstructured() any }) // as the dispatcher for validations wraps Go types
	if ok {
		if fields, ok := m.ToUnstructured().(map[string]any); ok {
			metadata, _ := fields["metadata"].(map[string]any)
			namespace, _ := metadata["namespace"].(string)
			name, _ := metadata["name"].(string)
			return strings.TrimPrefix(namespace+"/"+name, "/")
		}
	}
	accessor, err := meta.Accessor(params)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(accessor.GetNamespace()+"/"+accessor.GetName(), "/")
}

// content is an object as JSON.
func content(o runtime.Object) map[string]any {
	if o == nil {
		return nil
	}
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return nil
	}
	return fields
}

// validationRecorder makes a step of each validation.
type validationRecorder struct {
	validating.Validator
	policy  *validatingPolicy
	binding *v1.ValidatingAdmissionPolicyBinding
	steps   []Step
}

func (r *validationRecorder) Validate(ctx context.Context, resource schema.GroupVersionResource, a *admission.VersionedAttributes, params runtime.Object, namespace *corev1.Namespace, budget int64, authz authorizer.UnconditionalAuthorizer) validating.ValidateResult {
	r.policy.matched = nil
	r.policy.take()
	result := r.Validator.Validate(ctx, resource, a, params, namespace, budget, authz)
	s := Step{Policy: r.policy.Name, Binding: r.binding.Name, Phase: Validation, Params: name(params), Cost: r.policy.take(), Verdict: Allowed}
	if m := r.policy.matched; m != nil && m.Error == nil && !m.Matches {
		s.Verdict = ConditionFalse
		if m.FailedConditionName != "" {
			s.Message = fmt.Sprintf("the condition %q is false", m.FailedConditionName)
		} else {
			s.Message = "a condition fails, and failurePolicy is Ignore"
		}
	}
	for _, d := range result.Decisions {
		if s.Verdict != Allowed {
			break
		}
		switch {
		case d.Evaluation == validating.EvalError:
			s.Verdict, s.Message = Error, d.Message
		case d.Action == validating.ActionDeny:
			s.Verdict, s.Message = r.action(), d.Message
		}
	}
	for _, annotation := range result.AuditAnnotations {
		if annotation.Action == validating.AuditAnnotationActionError && s.Verdict == Allowed {
			s.Verdict, s.Message = Error, annotation.Error
		}
	}
	r.steps = append(r.steps, s)
	return result
}

// action is what the binding does if a validation is false.
func (r *validationRecorder) action() Verdict {
	for _, a := range []struct {
		action  v1.ValidationAction
		verdict Verdict
	}{{v1.Deny, Denied}, {v1.Warn, Warned}, {v1.Audit, Audited}} {
		if slices.Contains(r.binding.Spec.ValidationActions, a.action) {
			return a.verdict
		}
	}
	return Allowed
}

// mutationRecorder makes a step of each mutation by a policy and a binding.
type mutationRecorder struct {
	meter
	objects         *objects
	policy, binding string
	// all has the steps of all policies, and the phase.
	all   *mutationRecorder
	phase Phase
	steps []Step
}

// matched records matchConditions that end the evaluation.
func (r *mutationRecorder) matched(params runtime.Object, result matchconditions.MatchResult) {
	s := Step{Policy: r.policy, Binding: r.binding, Phase: r.all.phase, Params: name(params)}
	switch {
	case result.Error != nil:
		s.Verdict, s.Message = Error, result.Error.Error()
	case result.Matches:
		return
	case result.FailedConditionName != "":
		s.Verdict, s.Message = ConditionFalse, fmt.Sprintf("the condition %q is false", result.FailedConditionName)
	default:
		s.Verdict, s.Message = ConditionFalse, "a condition fails, and failurePolicy is Ignore"
	}
	s.Cost = r.take()
	r.all.steps = append(r.all.steps, s)
}

// recordedPatcher is a mutation that makes a step.
type recordedPatcher struct {
	patch.Patcher
	*mutationRecorder
	index int
}

func (p recordedPatcher) Patch(ctx context.Context, r patch.Request, budget int64) (runtime.Object, error) {
	before := r.VersionedAttributes.VersionedObject.Object()
	after, err := p.Patcher.Patch(ctx, r, budget)
	s := Step{
		Policy: p.policy, Binding: p.binding, Phase: p.all.phase, Params: name(r.OptionalVariables.VersionedParams), Mutation: &p.index, Cost: p.take(), Verdict: Unchanged,
	}
	if err != nil {
		s.Verdict, s.Message = Error, err.Error()
		p.all.steps = append(p.all.steps, s)
		return after, err
	}
	completed, err := p.complete(after)
	if err != nil {
		return nil, err
	}
	if was, is := content(before), content(completed); !equal(was, is) {
		s.Verdict, s.Object = Changed, is
	}
	p.all.steps = append(p.all.steps, s)
	return after, nil
}

// complete returns the object as the dispatcher stores it: of its Go type, and with defaults.
func (p recordedPatcher) complete(after runtime.Object) (runtime.Object, error) {
	u, ok := after.(runtime.Unstructured)
	if !ok {
		return after, nil
	}
	completed, err := object.Typed(asUnstructured(u))
	if err != nil {
		return nil, err
	}
	p.objects.Default(completed)
	return completed, nil
}

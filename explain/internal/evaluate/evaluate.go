// SPDX-License-Identifier: Apache-2.0

// Package evaluate runs admission policies and webhooks on requests, in the order of an API server and by its own
// dispatchers, matchers and evaluators (k8s.io/apiserver/pkg/admission/plugin).
package evaluate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	v1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/generic"
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
	"github.com/webhook-gen/webhook-gen/explain/internal/policy"
	"github.com/webhook-gen/webhook-gen/explain/internal/served"
	"github.com/webhook-gen/webhook-gen/explain/project"
)

// Verdict is what a policy or a webhook does.
type Verdict string

const (
	// Allowed means that every validation is true, or that a webhook allows the request.
	Allowed Verdict = "allowed"
	// Denied means that a validation is false and the binding denies, or that a webhook denies the request.
	Denied Verdict = "denied"
	// Warned means that a validation is false and the binding warns.
	Warned Verdict = "warned"
	// Audited means that a validation is false and the binding writes it into the audit log.
	Audited Verdict = "audited"
	// NotMatched means that the policy, the binding or the webhook does not match the request.
	NotMatched Verdict = "notMatched"
	// ConditionFalse means that a matchCondition is false.
	ConditionFalse Verdict = "conditionFalse"
	// Error means that an expression or a call fails. The failurePolicy decides about the request.
	Error Verdict = "error"
	// Changed means that a mutation or a webhook changes the object.
	Changed Verdict = "changed"
	// Unchanged means that a mutation does not.
	Unchanged Verdict = "unchanged"
	// Unknown means that a webhook is called, and that its answer is not known.
	Unknown Verdict = "unknown"
	// Undecided means that it is not known whether a webhook is called.
	Undecided Verdict = "undecided"
)

// Phase is when a policy is evaluated, or a webhook is called.
type Phase string

// The phases in the order of an API server. A second round of mutations follows if the object was changed.
const (
	Mutation     Phase = "mutation"
	Reinvocation Phase = "reinvocation"
	Validation   Phase = "validation"
)

// Step is one evaluation of a policy by a binding, with one object of params; or a webhook.
type Step struct {
	Policy  string `json:"policy,omitempty"`
	Binding string `json:"binding,omitempty"`
	// Configuration, Webhook and Index name a webhook: its configuration, and its name and place there.
	Configuration string  `json:"configuration,omitempty"`
	Webhook       string  `json:"webhook,omitempty"`
	Index         *int    `json:"index,omitempty"`
	Phase         Phase   `json:"phase"`
	Verdict       Verdict `json:"verdict"`
	// Message is the message of the first failed validation or of the webhook, the error, or the reason why the policy
	// or the webhook does not match.
	Message string `json:"message,omitempty"`
	// Advice says what to do about a call without an answer.
	Advice string `json:"advice,omitempty"`
	// Open are webhooks with unknown answers before the step, on which its verdict depends.
	Open []string `json:"open,omitempty"`
	// Params is the object of params, as namespace/name; empty without one.
	Params string `json:"params,omitempty"`
	// Mutation is the index of the mutation in the policy.
	Mutation *int `json:"mutation,omitempty"`
	// Cost is the cost of all expressions of a policy's step.
	Cost int64 `json:"cost,omitempty"`
	// EstimatedCost is the cost of these expressions for the most expensive object; at most math.MaxInt64. Explain
	// alone estimates it, if it knows the type of the object.
	EstimatedCost int64 `json:"estimatedCost,omitempty"`
	// Object is the object after a step that changes it.
	Object map[string]any `json:"object,omitempty"`
	// kind is the kind of the object as the policy sees it; empty if nothing is evaluated. source is the policy as it
	// was read.
	kind   schema.GroupVersionKind
	source *unstructured.Unstructured
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
	types      []project.Type
	checker    *policy.Checker // nil until a step needs an estimate
	estimates  map[estimateKey]*policy.Estimate
	// withoutVariables returns the compiler of all policies without variables.
	withoutVariables func() (*cel.CompositedCompiler, error)
}

// New reads policies. An API server evaluates them in no certain order; an Evaluator sorts them by name.
func New(policies []project.Policy, types []project.Type, api *served.API) (*Evaluator, error) {
	known, err := newObjects(api, types)
	if err != nil {
		return nil, err
	}
	client, err := kubernetes.NewForConfig(&rest.Config{}) // never called: the caches have everything
	if err != nil {
		return nil, err
	}
	e := &Evaluator{objects: known, types: types, client: client, withoutVariables: sync.OnceValues(newCompiler)}
	for _, p := range policies {
		switch p.Object.GetKind() {
		case "ValidatingAdmissionPolicy":
			err = e.addValidating(p)
		case "MutatingAdmissionPolicy":
			err = e.addMutating(p)
		default:
			err = fmt.Errorf("a policy of the kind %q: use ValidatingAdmissionPolicy or MutatingAdmissionPolicy", p.Object.GetKind())
		}
		if err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(e.validating, func(a, b *validatingPolicy) int { return strings.Compare(a.Name, b.Name) })
	slices.SortStableFunc(e.mutating, func(a, b *mutatingPolicy) int { return strings.Compare(a.Name, b.Name) })
	return e, nil
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

// mutate runs the mutating policies once.
func (v *evaluation) mutate(ctx context.Context, a admission.Attributes) error {
	if excluded(a) || a.GetOperation() == admission.Delete {
		return nil
	}
	phase := v.mutationPhase(a)
	var hooks []mutating.PolicyHook
	for _, p := range v.mutating {
		informer, scope, err := v.params(p.Spec.ParamKind)
		if err != nil {
			return err
		}
		irrelevant := v.irrelevant(a, mutating.NewMutatingAdmissionPolicyAccessor(p.MutatingAdmissionPolicy))
		for _, b := range p.bindings { // each with a hook of its own, which the recorder knows
			b.phase, b.steps = phase, nil
			b.take()
			if irrelevant {
				continue
			}
			if p.refused != "" {
				continue
			}
			compiled, err := b.compiled()
			if p.refused, err = installed(p.refused, err); err != nil {
				return err
			}
			if p.refused != "" {
				continue
			}
			hooks = append(hooks, mutating.PolicyHook{
				Policy: p.MutatingAdmissionPolicy, Bindings: []*v1.MutatingAdmissionPolicyBinding{b.MutatingAdmissionPolicyBinding}, Evaluator: compiled,
				ParamInformer: informer, ParamScope: scope,
			})
		}
	}
	err := mutating.NewDispatcher(v.authorizer, v.matcher, v.objects).Dispatch(ctx, a, v.objects, hooks)
	for _, p := range v.mutating {
		for _, b := range p.bindings {
			steps := b.steps
			switch {
			case phase == Reinvocation:
				steps = slices.DeleteFunc(steps, func(s Step) bool { return s.Verdict == ConditionFalse })
			case p.refused != "":
				steps = []Step{notInstalled(p.Name, b.Name, phase, p.refused)}
			case len(steps) == 0:
				steps = []Step{v.unmatched(phase, a, mutating.NewMutatingAdmissionPolicyAccessor(p.MutatingAdmissionPolicy), mutating.NewMutatingAdmissionPolicyBindingAccessor(b.MutatingAdmissionPolicyBinding))}
			}
			v.result.Steps = append(v.result.Steps, steps...)
		}
	}
	return err
}

// irrelevant reports a policy that an API server's dispatcher leaves out before it evaluates the others. It need not be
// compiled.
func (v *evaluation) irrelevant(a admission.Attributes, p generic.PolicyAccessor) bool {
	matches, _, _, err := generic.NewPolicyMatcher(v.matcher).DefinitionMatches(a, v.objects, p)
	return err == nil && !matches
}

// notInstalled is the step of a policy that an API server refuses.
func notInstalled(policy, binding string, phase Phase, reason string) Step {
	return Step{
		Policy: policy, Binding: binding, Phase: phase, Verdict: NotMatched, Message: "the API server refuses the policy, and so does not have it: " + reason,
	}
}

// unmatched is the step of a policy that is not evaluated, with the reason.
func (v *evaluation) unmatched(phase Phase, a admission.Attributes, p generic.PolicyAccessor, b generic.BindingAccessor) Step {
	s := Step{Policy: p.GetName(), Binding: b.GetName(), Phase: phase, Verdict: NotMatched}
	switch reason, err := v.mismatch(a, p, b); {
	case err != nil:
		s.Verdict, s.Message = Error, err.Error()
	case reason == "":
		s.Verdict, s.Message = Unchanged, "there is nothing to mutate"
	default:
		s.Message = reason
	}
	return s
}

// mismatch explains why a policy does not match; empty if it does.
func (v *evaluation) mismatch(a admission.Attributes, p generic.PolicyAccessor, b generic.BindingAccessor) (string, error) {
	match := generic.NewPolicyMatcher(v.matcher)
	if matches, _, _, err := match.DefinitionMatches(a, v.objects, p); err != nil || !matches {
		return "the policy does not match the request", err
	}
	if matches, err := match.BindingMatches(a, v.objects, b); err != nil || !matches {
		return "the binding does not match the request", err
	}
	if p.GetParamKind() == nil || b.GetParamRef() == nil {
		return "", nil
	}
	informer, scope, err := v.params(p.GetParamKind())
	if err != nil {
		return "", err
	}
	found, err := generic.CollectParams(p.GetParamKind(), informer, scope, b.GetParamRef(), a.GetNamespace(), nil, nil)
	if len(found) > 0 {
		return "", err
	}
	return "there are no params for the binding", err
}

// validate runs the validating policies.
func (v *evaluation) validate(ctx context.Context, a admission.Attributes) error {
	if excluded(a) {
		return nil
	}
	d := validating.NewDispatcher(v.authorizer, generic.NewPolicyMatcher(v.matcher))
	var hooks []validating.PolicyHook
	for _, p := range v.validating {
		accessor := validating.NewValidatingAdmissionPolicyAccessor(p.ValidatingAdmissionPolicy)
		if v.irrelevant(a, accessor) {
			for _, b := range p.bindings {
				v.result.Steps = append(v.result.Steps, v.unmatched(Validation, a, accessor, validating.NewValidatingAdmissionPolicyBindingAccessor(b)))
			}
			continue
		}
		informer, scope, err := v.params(p.Spec.ParamKind)
		if err != nil {
			return err
		}
		var validator validating.Validator
		if p.refused == "" {
			validator, err = p.compiled()
		}
		if p.refused, err = installed(p.refused, err); err != nil {
			return err
		}
		if p.refused != "" {
			for _, b := range p.bindings {
				v.result.Steps = append(v.result.Steps, notInstalled(p.Name, b.Name, Validation, p.refused))
			}
			continue
		}
		hook := validating.PolicyHook{Policy: p.ValidatingAdmissionPolicy, Evaluator: validator, ParamInformer: informer, ParamScope: scope}
		for _, b := range p.bindings { // each alone, for its steps
			recorder := &validationRecorder{Validator: validator, policy: p, binding: b}
			one := hook
			one.Bindings, one.Evaluator = []*v1.ValidatingAdmissionPolicyBinding{b}, recorder
			refusal := d.Dispatch(warning.WithWarningRecorder(ctx, nil), unrecorded{a}, v.objects, []validating.PolicyHook{one})
			if len(recorder.steps) == 0 {
				s := v.unmatched(Validation, a, accessor, validating.NewValidatingAdmissionPolicyBindingAccessor(b))
				if s.Verdict == Unchanged && refusal != nil {
					s.Verdict, s.Message = Error, refusal.Error()
				}
				recorder.steps = append(recorder.steps, s)
			}
			// An informer has no order.
			slices.SortStableFunc(recorder.steps, func(a, b Step) int { return strings.Compare(a.Params, b.Params) })
			v.result.Steps = append(v.result.Steps, recorder.steps...)
		}
		hook.Bindings = p.bindings
		hooks = append(hooks, hook)
	}
	return d.Dispatch(ctx, a, v.objects, hooks)
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
	if m, ok := params.(interface{ ToUnstructured() any }); ok { // as the dispatcher for validations wraps Go types
		if fields, ok := m.ToUnstructured().(map[string]any); ok {
			params = &unstructured.Unstructured{Object: fields}
		}
	}
	accessor, err := meta.Accessor(params)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(accessor.GetNamespace()+"/"+accessor.GetName(), "/")
}

// Content is an object as JSON; nil for none.
func Content(o runtime.Object) map[string]any {
	if o == nil {
		return nil
	}
	fields, _ := runtime.DefaultUnstructuredConverter.ToUnstructured(o) // nil with an error
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
	s := Step{
		Policy: r.policy.Name, Binding: r.binding.Name, Phase: Validation, Params: name(params), Cost: r.policy.take(), Verdict: Allowed,
		kind: a.VersionedKind, source: r.policy.source,
	}
	if m := r.policy.matched; m != nil && m.Error == nil && !m.Matches {
		s.Verdict, s.Message = ConditionFalse, falseCondition(*m)
	}
	// The first validation that counts, or else the first error that failurePolicy ignores. An error of an audit
	// annotation denies whatever the binding's validationActions are.
	denies := false
	for _, action := range []validating.PolicyDecisionAction{validating.ActionDeny, validating.ActionAdmit} {
		for _, d := range result.Decisions {
			if s.Verdict != Allowed || d.Action != action {
				continue
			}
			switch {
			case d.Evaluation == validating.EvalError:
				s.Verdict, s.Message = Error, d.Message
			case d.Action == validating.ActionDeny:
				s.Verdict, s.Message = r.action(), d.Message
			}
			denies = action == validating.ActionDeny && r.action() == Denied
		}
	}
	for _, annotation := range result.AuditAnnotations {
		if annotation.Action == validating.AuditAnnotationActionError && s.Verdict != ConditionFalse && !denies {
			s.Verdict, s.Message, denies = Error, annotation.Error, true
		}
	}
	r.steps = append(r.steps, s)
	return result
}

// falseCondition explains why matchConditions do not match.
func falseCondition(result matchconditions.MatchResult) string {
	if result.FailedConditionName == "" {
		return "a condition fails, and failurePolicy is Ignore"
	}
	return fmt.Sprintf("the condition %q is false", result.FailedConditionName)
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
	source          *unstructured.Unstructured // the policy
	policy, binding string
	phase           Phase
	steps           []Step // of the phase
}

// add adds a step.
func (r *mutationRecorder) add(s Step) {
	s.Policy, s.Binding, s.Phase, s.source = r.policy, r.binding, r.phase, r.source
	r.steps = append(r.steps, s)
}

// matched records matchConditions that end the evaluation.
func (r *mutationRecorder) matched(kind schema.GroupVersionKind, params runtime.Object, result matchconditions.MatchResult) {
	switch {
	case result.Error != nil:
		r.add(Step{Verdict: Error, Message: result.Error.Error(), Params: name(params), Cost: r.take(), kind: kind})
	case !result.Matches:
		r.add(Step{Verdict: ConditionFalse, Message: falseCondition(result), Params: name(params), Cost: r.take(), kind: kind})
	}
}

// recordedPatcher is a mutation that makes a step.
type recordedPatcher struct {
	patch.Patcher
	*mutationRecorder
	index int
	// merges reports an ApplyConfiguration, which needs the type of the object.
	merges bool
}

func (p recordedPatcher) Patch(ctx context.Context, r patch.Request, budget int64) (runtime.Object, error) {
	before := r.VersionedAttributes.VersionedObject.Object()
	if _, isUntyped := r.TypeConverter.(untyped); isUntyped && p.merges {
		p.objects.unknown = fmt.Errorf("the type of %s is not known here, and the mutation of %s needs it: --crds names its CustomResourceDefinition", r.VersionedAttributes.VersionedKind.Kind, p.policy)
		p.add(Step{Mutation: &p.index, Verdict: Error, Message: p.objects.unknown.Error()})
		return nil, p.objects.unknown
	}
	after, err := p.Patcher.Patch(ctx, r, budget)
	s := Step{Params: name(r.OptionalVariables.VersionedParams), Mutation: &p.index, Cost: p.take(), Verdict: Unchanged, kind: r.VersionedAttributes.VersionedKind}
	if err != nil {
		s.Verdict, s.Message = Error, err.Error()
		p.add(s)
		return after, err
	}
	completed, err := p.complete(after)
	if err != nil {
		s.Verdict, s.Message = Error, err.Error()
		p.add(s)
		return nil, err
	}
	if was, is := Content(before), Content(completed); !equality.Semantic.DeepEqual(was, is) {
		s.Verdict, s.Object = Changed, is
	}
	p.add(s)
	return after, nil
}

// complete returns the object as the dispatcher stores it: of its Go type, and with defaults.
func (p recordedPatcher) complete(after runtime.Object) (runtime.Object, error) {
	u, isUntyped := after.(runtime.Unstructured)
	if isUntyped {
		after = &unstructured.Unstructured{Object: u.UnstructuredContent()}
	}
	completed, err := p.objects.ConvertToVersion(after, nil)
	if err != nil || !isUntyped {
		return completed, err
	}
	p.objects.Default(completed)
	return completed, nil
}

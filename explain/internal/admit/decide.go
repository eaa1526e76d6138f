// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apiserver/pkg/admission/plugin/webhook"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/generic"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/object"

	"github.com/webhook-gen/webhook-gen/explain/internal/condition"
)

// decider evaluates one webhook with the plugin.
type decider struct {
	*plugin
	*objects
	compiler *condition.Compiler
	// defaulted reports that the request's objects already have an API server's defaults.
	defaulted bool
}

// withoutConditions is a webhook whose matchConditions are left aside.
type withoutConditions struct{ webhook.WebhookAccessor }

func (withoutConditions) GetMatchConditions() []admissionregistrationv1.MatchCondition { return nil }

// decide writes the result for the webhook into w.
func (d *decider) decide(ctx context.Context, h webhook.WebhookAccessor, w *Outcome) {
	invocation, refusal := d.ShouldCallHook(ctx, withoutConditions{h}, d.attributes, d.objects, d.objects)
	switch {
	case refusal != nil:
		w.Verdict, w.Step, w.Reason = Refuses, NamespaceSelector, refusal.Error()
		return
	case invocation == nil:
		w.Verdict = Skipped
		w.Step, w.Reason = d.skipped(h)
		return
	}
	d.matched(h, invocation, &w.Webhook)
	if len(h.GetMatchConditions()) > 0 && !d.conditions(ctx, h, invocation, &w.Webhook) {
		return
	}
	effects := *cmp.Or(h.GetSideEffects(), new(admissionregistrationv1.SideEffectClass("not said")))
	if d.attributes.IsDryRun() && effects != admissionregistrationv1.SideEffectClassNone && effects != admissionregistrationv1.SideEffectClassNoneOnDryRun {
		w.Verdict, w.Step = Refuses, SideEffects
		w.Reason = fmt.Sprintf("a dry run is refused where a webhook has side effects, whatever its failurePolicy: sideEffects is %s", effects)
		return
	}
	w.Verdict = Called
	d.guessed = false
	if _, err := d.VersionedAttribute(invocation.Kind); err == nil {
		w.unsent = d.guessed
	}
	if m, ok := h.GetMutatingWebhook(); ok {
		w.Reinvoked = m.ReinvocationPolicy != nil && *m.ReinvocationPolicy == admissionregistrationv1.IfNeededReinvocationPolicy
	}
}

// matched sets the rule that matches, and the resource that it matches as.
func (d *decider) matched(h webhook.WebhookAccessor, invocation *generic.WebhookInvocation, w *Webhook) {
	as := resourceOverride{d.attributes, invocation.Resource}
	if i := slices.IndexFunc(h.GetRules(), func(r admissionregistrationv1.RuleWithOperations) bool { return matches(r, as) }); i >= 0 {
		w.Rule = &i
	}
	if invocation.Resource != d.attributes.GetResource() {
		w.Converted = fmt.Sprintf("%s of %s", invocation.Kind.Kind, invocation.Kind.GroupVersion())
	}
}

// conditions evaluates the matchConditions, and reports whether they let the webhook be called.
func (d *decider) conditions(ctx context.Context, h webhook.WebhookAccessor, invocation *generic.WebhookInvocation, w *Webhook) bool {
	d.authorizer.asked = false
	called, refusal := d.ShouldCallHook(ctx, h, d.attributes, d.objects, d.objects)
	asked := d.authorizer.Unanswered()
	w.Step = MatchConditions
	versioned, err := d.VersionedAttribute(invocation.Kind)
	if err != nil {
		w.Verdict, w.Reason = Refuses, err.Error()
		return false
	}
	w.Conditions = d.compiler.Evaluate(ctx, h.GetMatchConditions(), versioned, d.authorizer)
	var read evidence
	for i, r := range w.Conditions {
		read = append(read, d.weigh(h.GetMatchConditions()[i], r.Result, asked))
	}
	rejecting, rejected := read.rejecting()
	switch {
	case rejected:
		w.Verdict, w.Reason = Skipped, fmt.Sprintf("the condition %q is false", rejecting.name)
		w.Undefaulted = rejecting.undefaulted
		return false
	case slices.ContainsFunc(read, func(e seen) bool { return e.guessed }):
		w.Verdict = Undecided
		w.Reason = fmt.Sprintf("a condition reads the object as %s, and how it is converted to that is not known here", w.Converted)
		return false
	case asked:
		w.Verdict = Undecided
		w.Reason = "a condition calls the authorizer, whose answer is not known here: --authorizer sets it"
		return false
	}
	w.Undefaulted = read.undefaulted()
	switch {
	case refusal != nil:
		w.Verdict, w.Reason = Refuses, "a condition fails, no other is false, and failurePolicy is Fail: "+w.failure()
	case called == nil:
		w.Verdict, w.Reason = Skipped, "a condition fails, and failurePolicy is Ignore: "+w.failure()
	default:
		w.Step = ""
		return true
	}
	return false
}

// failure describes the first condition that is neither true nor false, with its error.
func (w *Webhook) failure() string {
	for _, c := range w.Conditions {
		if c.Result != "true" && c.Result != "false" {
			return fmt.Sprintf("%q: %s", c.Name, c.Result)
		}
	}
	return ""
}

// skipped evaluates the predicates in their order, and returns the first step that does not match, with the reason.
func (d *decider) skipped(h webhook.WebhookAccessor) (Step, string) {
	if matches, err := d.namespaces.MatchNamespaceSelector(h, d.attributes); !matches && err == nil {
		return NamespaceSelector, d.namespaceReason(h)
	}
	if matches, err := (&object.Matcher{}).MatchObjectSelector(h, d.attributes); !matches && err == nil {
		return ObjectSelector, d.objectReason(h)
	}
	return Rules, d.rulesReason(h)
}

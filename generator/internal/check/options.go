// SPDX-License-Identifier: Apache-2.0

package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// handlerOptions reports arguments that configure a handler and have no effect, and webhooks with one handler and
// different arguments.
func handlerOptions(p *model.Project) (diags diag.List) {
	webhooks := slices.SortedFunc(slices.Values(p.Webhooks()), func(a, b *model.Webhook) int { return a.Pos.Compare(b.Pos) })
	for i, w := range webhooks {
		diags.Add(options(w)...)
		first := slices.IndexFunc(webhooks[:i], func(other *model.Webhook) bool { return w.Handler != nil && w.Handler == other.Handler })
		if first >= 0 {
			diags.Add(sharedOptions(w, webhooks[first])...)
		}
	}
	return diags
}

// options reports arguments `deleting`, `ratchet` and `enforcement` without effect.
func options(w *model.Webhook) (diags diag.List) {
	report := func(at diag.Range, rule, hint, format string, args ...any) {
		diags.Add(diag.Errorf(at, rule, format, args...).WithHint("%s", hint))
	}
	updated := w.UpdatedResources()
	own := slices.DeleteFunc(slices.Clone(updated), carriesAnother)
	switch at, rule := w.Deleting.At, model.RuleDeleting; {
	case !w.Deleting.IsSet():
	case len(updated) == 0:
		report(at, rule, "add update to the operations, or remove deleting", "deleting is about updates, and the webhook is not called for them")
	case len(own) == 0:
		report(at, rule, "remove deleting", "deleting is about objects that are being deleted, and the objects of %s have no deletionTimestamp", strings.Join(updated, ", "))
	case w.Deleting.V == model.DeletingUnchanged && !slices.ContainsFunc(own, func(r string) bool { return !strings.HasSuffix(r, "/status") }):
		report(at, rule, "set deleting: skip", "an update of %s does not change the spec, so that unchangedSpec never checks a deleting object", strings.Join(own, ", "))
	case w.Handler == nil:
		hint := "remove deleting"
		if expression := model.DeletingExpression(w.Deleting.V); expression != "" {
			hint = fmt.Sprintf("write the match condition alone: +webhook:matchCondition(name: \"not-being-deleted\")=%q", expression)
		}
		report(at, rule, hint, "deleting is a match condition and a check in the generated handler, and the webhook has no generated handler")
	}
	switch at, rule := w.Ratchet.At, model.RuleRatchet; {
	case !w.Ratchet.IsSet():
	case len(updated) == 0:
		report(at, rule, "add update to the operations, or remove ratchet", "ratchet is about updates, and the webhook is not called for them")
	case w.Handler == nil:
		report(at, rule, "remove ratchet", "ratchet is an option of the generated handler, and the webhook has no generated handler")
	case w.Handler.Object.IsZero():
		report(at, rule, "let the handler decode the object: without decode: none, and with rules for one kind", "ratchet compares the errors of two objects, and the handler decodes none")
	}
	if w.Enforcement.IsSet() && w.Handler == nil {
		report(w.Enforcement.At, model.RuleEnforcement, "remove enforcement", "enforcement is an option of the generated handler, and the webhook has no generated handler")
	}
	return diags
}

// carriesAnother reports a subresource whose requests carry an object of another kind, such as Scale.
func carriesAnother(resource string) bool {
	_, ok := model.SubresourceType(resource)
	return ok
}

// sharedOptions reports two webhooks that share a handler but differ in `deleting`, `ratchet` or `enforcement`.
func sharedOptions(w, first *model.Webhook) (diags diag.List) {
	differ := func(option, rule string, isSet bool, at, atFirst diag.Range) {
		other := first
		if !isSet {
			at, other = atFirst, w
		}
		diags.Add(diag.Errorf(at, rule, "%s and %s share a path and a handler, and differ in %s", first.Spec.Name, w.Spec.Name, option).
			WithHint("set the same %s for both, or give one another path", option).WithRelated(other.Range, "the other is here"))
	}
	updated := len(w.UpdatedResources()) > 0 && len(first.UpdatedResources()) > 0
	if updated && w.SkipsDeleting() != first.SkipsDeleting() {
		differ("deleting", model.RuleDeleting, w.Deleting.IsSet(), w.Deleting.At, first.Deleting.At)
	}
	if updated && w.Ratchet.V != first.Ratchet.V {
		differ("ratchet", model.RuleRatchet, w.Ratchet.V, w.Ratchet.At, first.Ratchet.At)
	}
	if cmp.Or(w.Enforcement.V, model.EnforceDeny) != cmp.Or(first.Enforcement.V, model.EnforceDeny) {
		differ("enforcement", model.RuleEnforcement, w.Enforcement.IsSet(), w.Enforcement.At, first.Enforcement.At)
	}
	return diags
}

// replacedOptions reports options of a webhook that the policy in its place cannot have.
func replacedOptions(p policyPass, w *model.Webhook) {
	if e := w.Enforcement; e.IsSet() && e.V != model.EnforceDeny {
		d := p.at("insteadOf", "the webhook %s has enforcement: %s, and the policy denies", w.Spec.Name, e.V)
		*d = d.WithHint("remove enforcement").WithRelated(e.At, "enforcement is here")
	}
}

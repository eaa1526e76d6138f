// SPDX-License-Identifier: Apache-2.0

package semantics

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// addDeleting adds the match condition for the argument `deleting` after the user's conditions. v1beta1 has no match
// conditions, so there the handler skips the request.
func (b *builder) addDeleting(w *model.Webhook) {
	expression := model.DeletingExpression(w.SkipsDeleting())
	if expression == "" || b.options.API == "v1beta1" {
		return
	}
	for i, c := range w.Spec.MatchConditions {
		if c.Name == model.DeletingCondition {
			b.diags.Add(diag.Errorf(w.Where(fmt.Sprintf("matchConditions[%d].name", i)), model.RuleDeleting,
				"deleting: %s makes a match condition %q", w.Deleting.V, c.Name).
				WithHint("give this one another name").WithRelated(w.Deleting.At, "deleting is here"))
			return
		}
	}
	w.At.Set(fmt.Sprintf("matchConditions[%d]", len(w.Spec.MatchConditions)), w.Deleting.At)
	w.Spec.MatchConditions = append(w.Spec.MatchConditions, admissionregistrationv1.MatchCondition{Name: model.DeletingCondition, Expression: expression})
}

// checkOptions reports arguments `deleting`, `ratchet` and `enforcement` without effect.
func (b *builder) checkOptions(w *model.Webhook) {
	report := func(at diag.Range, rule, hint, format string, args ...any) {
		b.diags.Add(diag.Errorf(at, rule, format, args...).WithHint("%s", hint))
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
}

// carriesAnother reports a subresource whose requests carry an object of another kind, such as Scale.
func carriesAnother(resource string) bool {
	_, ok := model.SubresourceType(resource)
	return ok
}

// sharedOptions reports two webhooks that share a handler but differ in `deleting`, `ratchet` or `enforcement`.
func (b *builder) sharedOptions(w, first *model.Webhook) {
	differ := func(option, rule string, isSet bool, at, atFirst diag.Range) {
		other := first
		if !isSet {
			at, other = atFirst, w
		}
		b.diags.Add(diag.Errorf(at, rule, "%s and %s share a path and a handler, and differ in %s", first.Spec.Name, w.Spec.Name, option).
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
}

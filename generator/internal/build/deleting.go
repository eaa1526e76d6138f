// SPDX-License-Identifier: Apache-2.0

package build

import (
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// addDeleting adds the match condition of the argument `deleting`, behind the user's. v1beta1 has no match conditions:
// there the handler alone skips.
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

// checkDeleting reports an argument `deleting` that has no effect.
func (b *builder) checkDeleting(w *model.Webhook) {
	if !w.Deleting.IsSet() {
		return
	}
	report := func(format string, args ...any) *diag.Diagnostic {
		b.diags.Add(diag.Errorf(w.Deleting.At, model.RuleDeleting, format, args...))
		return &b.diags[len(b.diags)-1]
	}
	updated := w.UpdatedResources()
	own := slices.DeleteFunc(slices.Clone(updated), carriesAnother)
	switch {
	case len(updated) == 0:
		report("deleting is about updates, and the webhook is not called for them").Hint = "add update to the operations, or remove deleting"
	case len(own) == 0:
		report("deleting is about objects that are being deleted, and the objects of %s have no deletionTimestamp", strings.Join(updated, ", ")).Hint = "remove deleting"
	case w.Deleting.V == model.DeletingUnchanged && !slices.ContainsFunc(own, func(r string) bool { return !strings.HasSuffix(r, "/status") }):
		report("an update of %s does not change the spec, so that unchangedSpec never checks a deleting object", strings.Join(own, ", ")).Hint = "set deleting: skip"
	case w.Handler == nil:
		d := report("deleting is a match condition and a check in the generated handler, and the webhook has no generated handler")
		if expression := model.DeletingExpression(w.Deleting.V); expression != "" {
			d.Hint = fmt.Sprintf("write the match condition alone: +webhook:matchCondition(name: \"not-being-deleted\")=%q", expression)
		} else {
			d.Hint = "remove deleting"
		}
	}
}

// carriesAnother reports a subresource whose requests carry an object of another kind, such as Scale.
func carriesAnother(resource string) bool {
	_, ok := model.SubresourceType(resource)
	return ok
}

// sharedDeleting reports two webhooks with one handler that differ in `deleting`: the handler would skip for both.
func (b *builder) sharedDeleting(w, first *model.Webhook) {
	if len(w.UpdatedResources()) == 0 || len(first.UpdatedResources()) == 0 || w.SkipsDeleting() == first.SkipsDeleting() {
		return
	}
	said, other := w, first
	if !said.Deleting.IsSet() {
		said, other = first, w
	}
	b.diags.Add(diag.Errorf(said.Deleting.At, model.RuleDeleting, "%s and %s share a path and a handler, and differ in deleting", first.Spec.Name, w.Spec.Name).
		WithHint("set the same deleting for both, or give one another path").WithRelated(other.Range, "the other is here"))
}

// SPDX-License-Identifier: Apache-2.0

package semantics

import (
	"fmt"

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

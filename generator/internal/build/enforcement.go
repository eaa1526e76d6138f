// SPDX-License-Identifier: Apache-2.0

package build

import (
	"cmp"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// checkEnforcement reports an argument `enforcement` without a handler that could honour it.
func (b *builder) checkEnforcement(w *model.Webhook) {
	if w.Enforcement.IsSet() && w.Handler == nil {
		b.diags.Add(diag.Errorf(w.Enforcement.At, model.RuleEnforcement, "enforcement is an option of the generated handler, and the webhook has no generated handler").
			WithHint("remove enforcement"))
	}
}

// sharedEnforcement reports two webhooks with one handler that differ in `enforcement`.
func (b *builder) sharedEnforcement(w, first *model.Webhook) {
	if of := func(w *model.Webhook) string { return cmp.Or(w.Enforcement.V, model.EnforceDeny) }; of(w) == of(first) {
		return
	}
	said, other := w, first
	if !said.Enforcement.IsSet() {
		said, other = first, w
	}
	b.diags.Add(diag.Errorf(said.Enforcement.At, model.RuleEnforcement, "%s and %s share a path and a handler, and differ in enforcement", first.Spec.Name, w.Spec.Name).
		WithHint("set the same enforcement for both, or give one another path").WithRelated(other.Range, "the other is here"))
}

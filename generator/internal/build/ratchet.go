// SPDX-License-Identifier: Apache-2.0

package build

import (
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// checkRatchet reports an argument `ratchet` that can have no effect.
func (b *builder) checkRatchet(w *model.Webhook) {
	report := func(hint, message string) {
		b.diags.Add(diag.Errorf(w.Ratchet.At, model.RuleRatchet, "%s", message).WithHint("%s", hint))
	}
	switch {
	case !w.Ratchet.IsSet():
	case len(w.UpdatedResources()) == 0:
		report("add update to the operations, or remove ratchet", "ratchet is about updates, and the webhook is not called for them")
	case w.Handler == nil:
		report("remove ratchet", "ratchet is an option of the generated handler, and the webhook has no generated handler")
	case w.Handler.Object.IsZero():
		report("let the handler decode the object: without decode: none, and with rules for one kind", "ratchet compares the errors of two objects, and the handler decodes none")
	}
}

// sharedRatchet reports two webhooks with one handler that differ in `ratchet`.
func (b *builder) sharedRatchet(w, first *model.Webhook) {
	if len(w.UpdatedResources()) == 0 || len(first.UpdatedResources()) == 0 || w.Ratchet.V == first.Ratchet.V {
		return
	}
	said, other := w, first
	if !said.Ratchet.V {
		said, other = first, w
	}
	b.diags.Add(diag.Errorf(said.Ratchet.At, model.RuleRatchet, "%s and %s share a path and a handler, and differ in ratchet", first.Spec.Name, w.Spec.Name).
		WithHint("set the same ratchet for both, or give one another path").WithRelated(other.Range, "the other is here"))
}

// SPDX-License-Identifier: Apache-2.0

package build

import (
	"errors"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/spec"
)

// patch applies a +webhook:patch to the finished webhook. A field that it changes is from then
// on said by the patch.
func patch(w *model.Webhook, said diag.Sourced[string]) error {
	patched, problems := spec.Patch(w.Spec, w.Mutating, said.V)
	for _, field := range spec.Changed(w.Spec, patched) {
		w.At[field] = said.At
		delete(w.Expressions, field)
	}
	w.Spec = patched
	return errors.Join(problems...)
}

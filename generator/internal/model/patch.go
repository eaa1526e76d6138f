package model

import (
	"encoding/json"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/kubebuilder"
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
)

// patch applies a +webhook:patch to the finished webhook. A field that it sets is from then on
// said by the patch.
func (w *Webhook) patch(said marker.Field[string]) error {
	patched, err := kubebuilder.Patch(w.Spec, w.Mutating, said.V)
	if err != nil {
		return err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(said.V), &fields); err != nil {
		return err
	}
	for field := range fields {
		for at := range w.At {
			if end := strings.IndexAny(at, ".["); at == field || end >= 0 && at[:end] == field {
				delete(w.At, at)
			}
		}
		w.At[field] = said.At
	}
	w.Spec = patched
	return nil
}

// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"context"

	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
)

// Generate makes the files for the markers, if an API server accepts their expressions.
func Generate(ctx context.Context, c engine.Config) engine.Result {
	run := c.Resolve()
	state := run.Read(ctx, engine.Edits{})
	if !state.Diagnostics.HasErrors() {
		state.Diagnostics.Add(refused(ctx, state.Module, state.Project)...)
	}
	return run.Generate(ctx, state, engine.Edits{})
}

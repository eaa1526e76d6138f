// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/inspect"
)

// generate makes the files for the markers. The companion compiles their CEL expressions first, if there are any.
func (p companion) generate(ctx context.Context, c engine.Config) engine.Result {
	run := c.Resolve()
	state := run.Read(ctx, engine.Edits{})
	if !state.Diagnostics.HasErrors() {
		state.Diagnostics.Add(inspect.Refused(ctx, state.Module, state.Project, p.reader(ctx, c.Dir, ""))...)
	}
	return run.Generate(ctx, state, engine.Edits{})
}

// reader has the companion read CEL expressions.
func (p companion) reader(ctx context.Context, dir, kubeVersion string) inspect.ExpressionReader {
	return func(project inspect.Description) ([]inspect.ExpressionFinding, error) {
		var out bytes.Buffer
		if err := p.run(ctx, &out, dir, "conditions", question{project, map[string]any{"kube-version": kubeVersion}}); err != nil {
			return nil, err
		}
		var answer struct {
			Findings []inspect.ExpressionFinding `json:"findings"`
		}
		if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
			return nil, fmt.Errorf("the answer of %s: %w", companionName, err)
		}
		return answer.Findings, nil
	}
}

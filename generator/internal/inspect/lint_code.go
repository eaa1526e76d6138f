// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"context"
	"errors"
	"os/exec"

	"github.com/webhook-gen/webhook-gen/explain/vet"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/lint"
	"github.com/webhook-gen/webhook-gen/internal/program"
)

// LintCode checks the code of packages, by default of all in the folder, against the rules that lint leaves out. The go
// command loads the packages.
func LintCode(ctx context.Context, c engine.Config) (diag.List, error) {
	// Package packages runs the go command that PATH has first.
	safe, err := program.Find("go", c.Dir)
	if err != nil {
		return nil, err
	}
	if first, err := exec.LookPath("go"); err != nil || first != safe {
		return nil, errors.New("the first go command in PATH lies in the project, and is not run: remove it from PATH")
	}
	patterns := c.Patterns
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	found, err := vet.Check(ctx, c.Dir, c.Tags, patterns)
	if err != nil {
		return nil, err
	}
	var list diag.List
	for _, f := range found {
		list.Add(diag.Diagnostic{Range: diag.Range{Pos: diag.At(f.Position)}, Severity: lint.Severity(f.Rule), Rule: f.Rule, Message: f.Message})
	}
	return list.Sorted(), nil
}

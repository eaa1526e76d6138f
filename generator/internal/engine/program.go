// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"path/filepath"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/convert"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/render"
)

// checkProgram reports packages that have the same field name in the program's struct.
func checkProgram(project *model.Project, planned []*convert.Package, o render.Options) diag.List {
	if o.Program.Dir == "" || !slices.Contains(o.Outputs, output.Handlers) {
		return nil
	}
	var diags diag.List
	named := map[string]render.ProgramField{}
	for _, f := range render.ProgramFields(project, planned, o) {
		if first, ok := named[f.Name]; ok {
			diags.Add(diag.Errorf(f.Range, model.RuleProgram, "%s and %s are both called %s in %s", first.Path, f.Path, f.Name, filepath.Base(render.ProgramFile(""))).
				WithHint("give the folder of one of them another name").WithRelated(first.Range, "the other package's webhooks begin here"))
			continue
		}
		named[f.Name] = f
	}
	return diags
}

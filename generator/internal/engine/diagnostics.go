// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"cmp"
	"io"
	"slices"

	"github.com/webhook-gen/webhook-gen/docs"
	"github.com/webhook-gen/webhook-gen/generator/internal/check"
	"github.com/webhook-gen/webhook-gen/generator/internal/config"
	"github.com/webhook-gen/webhook-gen/generator/internal/convert"
	"github.com/webhook-gen/webhook-gen/generator/internal/crd"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/kubebuilder"
	"github.com/webhook-gen/webhook-gen/generator/internal/lint"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/manifest"
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

// PrintDiagnostics writes the findings in one of diag.Formats, with paths relative to dir.
func PrintDiagnostics(w io.Writer, format, dir string, list diag.List) error {
	return diag.Print(w, format, dir, list, explained)
}

// explained returns all rules, with their texts from the manual.
func explained() []diag.Rule {
	rules, texts := slices.Concat(Rules(), LintRules()), docs.Rules()
	for i, r := range rules {
		if rules[i].Doc = cmp.Or(r.Doc, texts[r.ID]); r.Fix != "" {
			rules[i].Doc += " Fix: " + r.Fix + "."
		}
	}
	return rules
}

// Rules returns the rules of all phases, in the order of the phases.
func Rules() []diag.Rule {
	return slices.Concat(
		config.Rules(), load.Rules(), marker.Rules(), kubebuilder.Rules(), model.Rules(), convert.Rules(), check.Rules(), crd.Rules(), output.Rules(),
	)
}

// LintRules returns the rules that only lint reports.
func LintRules() []diag.Rule { return slices.Concat(manifest.Rules(), lint.Rules()) }

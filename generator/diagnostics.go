// SPDX-License-Identifier: Apache-2.0

package generator

import (
	"io"
	"slices"

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

// Diagnostics are findings, each with its position, its rule and advice.
type Diagnostics = diag.List

// Formats are the output formats of PrintDiagnostics: text, json, github, sarif.
func Formats() []string { return diag.Formats() }

// PrintDiagnostics writes the findings in one of the Formats, with paths relative to dir.
func PrintDiagnostics(w io.Writer, format, dir string, list Diagnostics) error {
	return diag.Print(w, format, dir, list, slices.Concat(rules(), lintRules()))
}

// rules returns the rules of all phases, in the order of the phases.
func rules() []diag.Rule {
	var all []diag.Rule
	for _, phase := range [][]diag.Rule{
		config.Rules(), load.Rules(), marker.Rules(), kubebuilder.Rules(), model.Rules(), convert.Rules(), check.Rules(), crd.Rules(), output.Rules(),
	} {
		all = append(all, phase...)
	}
	return all
}

// lintRules returns the rules that only lint reports.
func lintRules() []diag.Rule { return slices.Concat(manifest.Rules(), lint.Rules()) }

// SPDX-License-Identifier: Apache-2.0

package vet

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/webhook-gen/webhook-gen/internal/program"
)

// Finding is a broken rule in code.
type Finding struct {
	// Rule is W17, W27 or W33.
	Rule     string
	Position token.Position
	Message  string
}

// Check loads packages with the go command in a folder, and returns the findings in their code. The packages and their
// dependencies must compile; packages that use cgo have the C compiler run.
func Check(ctx context.Context, dir string, tags, patterns []string) ([]Finding, error) {
	if err := program.CheckSources(dir); err != nil {
		return nil, err
	}
	config := &packages.Config{
		Context: ctx, Dir: dir, Mode: packages.LoadAllSyntax | packages.NeedModule, // syntax of dependencies for their facts
		Env: append(os.Environ(), "GOPACKAGESDRIVER=off"),
	}
	if len(tags) > 0 {
		config.BuildFlags = []string{"-tags=" + strings.Join(tags, ",")}
	}
	loaded, err := packages.Load(config, patterns...)
	if err != nil {
		return nil, err
	}
	if err := broken(loaded); err != nil {
		return nil, err
	}
	graph, err := checker.Analyze(Analyzers(), loaded, nil)
	if err != nil {
		return nil, err
	}
	var found []Finding
	for _, action := range graph.Roots {
		if action.Err != nil {
			return nil, action.Err
		}
		for _, d := range action.Diagnostics {
			found = append(found, Finding{d.Category, action.Package.Fset.Position(d.Pos), strings.TrimSuffix(d.Message, ending(d.Category))})
		}
	}
	return found, nil
}

// broken returns the first errors of packages that do not compile.
func broken(loaded []*packages.Package) error {
	const most = 10
	var all []string
	packages.Visit(loaded, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			if text := e.Error(); !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
	})
	if len(all) == 0 {
		return nil
	}
	if len(all) > most {
		all = append(all[:most], fmt.Sprintf("and %d more", len(all)-most))
	}
	return errors.New("the code does not compile:\n  " + strings.Join(all, "\n  "))
}

// ending ends the messages of a rule, for go vet, which prints nothing but the message.
func ending(id string) string { return " [" + id + "]" }

// report reports a broken rule.
func report(pass *analysis.Pass, id string, at token.Pos, format string, args ...any) {
	pass.Report(analysis.Diagnostic{Pos: at, Category: id, Message: fmt.Sprintf(format, args...) + ending(id)})
}

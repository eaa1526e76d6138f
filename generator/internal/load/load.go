// SPDX-License-Identifier: Apache-2.0

// Package load finds the Go packages that contain markers and reads only the files it needs.
//
// It neither runs the go command nor type-checks. It finds folders by the go command's rules, filters files by their
// bytes, and parses only the rest. It therefore never meets an error in a file without markers or in a dependency. It
// reads further files of the same packages (Package.FilesWith) or of others (Module.Locate) on demand.
package load

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// Config contains the folders to search and the texts to find.
type Config struct {
	// Dir is the folder that relative patterns start from; absolute.
	Dir string
	// Patterns are package patterns as the go command takes them: folders, absolute or beginning with ./ or ../, and
	// import paths. An import path is in the module or in a module that go.work uses. Each pattern may have "...".
	// Without patterns, the whole module around Dir is loaded, or the modules of its go.work if Dir is in no module.
	Patterns []string
	// Tags are build tags besides the platform's. Without any, the tags of GOFLAGS apply.
	Tags []string
	// Markers are texts. A file is parsed only if it contains one of them.
	Markers []string
	// Overlay is read in place of the disk.
	Overlay Overlay
	// Everything also reads files that build constraints exclude, nested modules, and folders that go.mod ignores.
	Everything bool
}

// Result contains the packages and files that a run reads.
type Result struct {
	// Module is the module around Dir or, if Dir is in no module, the module of the first pattern's packages. It is
	// nil only if no module was found.
	Module *Module
	// Packages are the packages that hold a marker, by import path. A marker may yet turn
	// out to be plain text, in a string for example.
	Packages []*Package
	// Generated are the files that the patterns cover and that are of our own making
	// (zz_generated.*.go with our header, tests too): absolute, sorted.
	Generated []string
}

// Load reads the packages that the patterns cover. The result is good as far as it goes even
// where there are errors, and it depends neither on the order of the patterns nor on timing.
func Load(ctx context.Context, c Config) (Result, diag.List) {
	selection := newSelection(c.Tags, readGoenv(), c.Overlay)
	selection.everything = c.Everything
	modules := &modules{selection: selection, byDir: map[string]*Module{}, works: map[string]*workspace{}}
	scope := modules.resolve(filepath.Clean(c.Dir), c.Patterns)
	w := scope.walk(ctx, c.Markers, modules)
	result := Result{Module: scope.module, Packages: w.assemble(), Generated: w.generated}
	slices.Sort(result.Generated)

	problems := slices.Concat(modules.problems, w.problems)
	if err := context.Cause(ctx); err != nil {
		problems.Add(diag.Errorf(diag.Range{}, "", "reading was broken off: %v", err))
	}
	if len(problems) == 0 && !c.Everything { // else a package may lack a file
		for _, p := range result.Packages {
			p.Module.workspace.located[p.Path] = location{pkg: p}
		}
	}
	return result, problems.Sorted()
}

// Nested returns the patterns of the modules below the root of a module that its go.work uses. "./..." covers none of
// them.
func Nested(root string) (patterns []string) {
	modules := &modules{selection: newSelection(nil, readGoenv(), nil), byDir: map[string]*Module{}, works: map[string]*workspace{}}
	w := modules.workspaceAround(root)
	if w == nil || !slices.ContainsFunc(w.modules, func(m *Module) bool { return m.Dir == root }) {
		return nil
	}
	for _, m := range w.modules {
		if rel, err := filepath.Rel(root, m.Dir); err == nil && m.Dir != root && filepath.IsLocal(rel) {
			patterns = append(patterns, "./"+filepath.ToSlash(rel)+"/...")
		}
	}
	slices.Sort(patterns)
	return patterns
}

// WhyUnread returns why "./..." of the module in root does not cover a file: the folder of the module that it is in, or
// the text of its build constraint. Both are empty if it is covered, or if the platform in its name excludes it.
func WhyUnread(root, file string) (module, constraint string) {
	for dir := range upward(filepath.Dir(file)) {
		if dir == root {
			break
		}
		if holds(dir, "go.mod") {
			return dir, ""
		}
	}
	for line := range strings.Lines(string(ReadText(file).Content)) {
		if expression, ok := strings.CutPrefix(line, "//go:build "); ok {
			return "", strings.TrimSpace(expression)
		}
		if strings.HasPrefix(line, "package ") {
			break
		}
	}
	return "", ""
}

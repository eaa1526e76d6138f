// SPDX-License-Identifier: Apache-2.0

// Package load finds the Go packages that contain markers, and reads only the files that it needs.
//
// It does not run the go command and does not type-check. It finds folders with the go command's rules, filters files
// by their bytes, and parses only the remaining files. Errors in files without markers or in dependencies therefore
// do not affect it. On demand, it reads more files of the same packages (Package.FilesWith) or of others
// (Module.Locate).
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
	// Dir is the absolute folder to which relative patterns refer.
	Dir string
	// Patterns are package patterns in the go command's syntax: folders, absolute or beginning with ./ or ../, or
	// import paths. An import path must be in the module or in a module of go.work. A pattern may contain "...".
	// Without patterns, Load reads the module around Dir or, if Dir is in no module, the modules of its go.work.
	Patterns []string
	// Tags are build tags in addition to the platform's. If empty, the tags of GOFLAGS apply.
	Tags []string
	// Markers are search texts. Load parses only files that contain one of them.
	Markers []string
	// Overlay replaces files on disk.
	Overlay Overlay
	// Everything includes files excluded by build constraints or by their names, nested modules, and folders ignored by
	// go.mod.
	Everything bool
}

// Result contains the packages and files that a run reads.
type Result struct {
	// Module is the module around Dir or, if Dir is in no module, that of the first pattern's packages. It is nil if
	// no module was found.
	Module *Module
	// Packages are the packages with a marker, by import path. The marker may be other text, for example in a string.
	Packages []*Package
	// Generated are the generated files that the patterns match (zz_generated.*.go with our header, including tests),
	// as sorted absolute paths.
	Generated []string
}

// Load reads the packages that the patterns match. After errors, the result contains the valid part. The result does
// not depend on timing or on the order of the patterns.
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

// Nested returns patterns for the modules in go.work that are below the root of another module. "./..." does not
// match them.
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

// WhyUnread returns the reason why "./..." in the module at root does not match a file: the folder of another module,
// or the text of its build constraint. Both are empty if the pattern matches the file or if its name is for another
// platform.
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

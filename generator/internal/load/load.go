// SPDX-License-Identifier: Apache-2.0

// Package load finds the Go packages that hold markers and reads only what is needed.
//
// It neither runs the go command nor type-checks: folders are found by the go command's
// rules, files are filtered by their bytes, and only what passes is parsed. An error in a
// file without markers or in a dependency is therefore never met. What is needed later of
// the same packages (Package.FilesWith) or of others (Module.Locate) is read on demand.
package load

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// Config says where to look and what for.
type Config struct {
	// Dir is the folder that relative patterns start from; absolute.
	Dir string
	// Patterns are package patterns as the go command takes them: folders, absolute or
	// beginning with ./ or ../, and import paths of the module or of those that go.work
	// uses, each with or without "...". None means all of the module that Dir stands in, or
	// of the modules of its go.work if it stands in none.
	Patterns []string
	// Tags are build tags besides those of the platform. None means those of GOFLAGS.
	Tags []string
	// Markers are texts of which a file must hold one to be parsed.
	Markers []string
	// Overlay is read in place of the disk.
	Overlay Overlay
}

// Result is what a run reads.
type Result struct {
	// Module is the module that Dir stands in or, if it stands in none, that of the first
	// pattern's packages. It is nil only if no module was found.
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
	env := readGoenv()
	selection := newSelection(c.Tags, env, c.Overlay)
	modules := newModules(env, selection)
	scope := modules.resolve(filepath.Clean(c.Dir), c.Patterns)
	folders, unread := scope.walk(ctx, c.Markers, c.Overlay)
	files, unparsed := selection.parse(ctx, folders)
	packages, disagreements := assemble(folders, files, selection)

	result := Result{Module: scope.module, Packages: packages}
	for _, f := range folders {
		result.Generated = append(result.Generated, f.generated...)
	}
	slices.Sort(result.Generated)

	problems := slices.Concat(modules.problems, unread, unparsed, disagreements)
	if err := context.Cause(ctx); err != nil {
		problems.Add(diag.Errorf(diag.Range{}, "", "reading was broken off: %v", err))
	}
	return result, problems.Sort()
}

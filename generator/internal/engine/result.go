// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"io"
	"path/filepath"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/render"
)

// Result is the outcome of a run.
type Result struct {
	// Root is the module's folder.
	Root string
	// Diagnostics are the findings of every phase, sorted.
	Diagnostics diag.List
	// Files are the generated files. It is empty if there are errors.
	Files []output.File
	// Changes are the changes on disk. It is empty if there are errors.
	Changes []output.Change
	// LacksRuntime is true if generated files import the runtime module and go.mod does not require it.
	LacksRuntime bool

	project *model.Project
	options render.Options
}

// with returns the result with its findings. If there are errors, it has no files and no changes.
func (r Result) with(diags diag.List, strict bool) Result {
	if strict {
		diags = diags.Promote()
	}
	if r.Diagnostics = diags.Sorted(); diags.HasErrors() {
		r.Files, r.Changes, r.LacksRuntime = nil, nil, false
	}
	return r
}

// Direct returns the webhook configurations and the patches of the CustomResourceDefinitions with conversion webhooks,
// in the form in which an API server calls the program itself. They do not depend on how the project is deployed.
func (r Result) Direct() ([][]byte, error) { return render.Direct(r.project, r.options) }

// Webhooks returns the webhooks of all markers.
func (r Result) Webhooks() []*model.Webhook { return r.project.Webhooks() }

// Manifest returns the text of the webhook configurations in all manifests, or nil if there are none.
func (r Result) Manifest() (text []byte) {
	for _, f := range r.Files {
		if f.Owner == output.Manifest {
			text = append(text, f.Content...)
		}
	}
	return text
}

// Notes returns the notes on the changes, without duplicates.
func (r Result) Notes() []string {
	var notes []string
	for _, c := range r.Changes {
		if c.Note != "" && !slices.Contains(notes, c.Note) {
			notes = append(notes, c.Note)
		}
	}
	return notes
}

// Write makes all changes, or none if one fails. It also removes the temporary files of earlier, killed runs in the
// same folders.
func (r Result) Write() diag.List {
	var folders []string
	for _, f := range r.Files {
		folders = append(folders, filepath.Dir(f.Path))
	}
	for _, c := range r.Changes {
		folders = append(folders, filepath.Dir(c.Path))
	}
	slices.Sort(folders)
	output.Sweep(slices.Compact(folders))
	return output.Write(r.Changes)
}

// Diff prints the changes as a unified diff. Paths are relative to the module.
func (r Result) Diff(w io.Writer) error { return output.Diff(w, r.Root, r.Changes) }

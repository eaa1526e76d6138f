// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// Edits are a command's changes to the user's files. They apply before the generator reads the files.
type Edits struct {
	// Create are files that are written if they are missing.
	Create []output.File
	// Change lists changes of existing files.
	Change []output.Change
}

// Put replaces a file. If old is nil, it creates the file, and if text is nil, it removes it. A later call for the
// same path overrides an earlier one.
func (e *Edits) Put(path string, old, text []byte) {
	action := output.Replace
	switch {
	case text == nil:
		action = output.Remove
	case old == nil:
		action = output.Create
	}
	e.Change = slices.DeleteFunc(e.Change, func(c output.Change) bool { return c.Path == path })
	e.Change = append(e.Change, output.Change{Path: path, Action: action, Old: old, New: text})
}

// Overlay returns the edited files for load.
func (e Edits) Overlay() load.Overlay {
	overlay := load.Overlay{}
	for _, f := range e.Create {
		if filepath.Ext(f.Path) == ".go" && !regular.Exists(f.Path) {
			overlay[f.Path] = f.Content
		}
	}
	for _, c := range e.Change {
		if filepath.Ext(c.Path) == ".go" {
			overlay[c.Path] = c.New
		}
	}
	return overlay
}

// Among adds the edits of existing files to the other changes, sorted by path.
func (e Edits) Among(changes []output.Change) []output.Change {
	all := slices.Concat(changes, e.Change)
	slices.SortStableFunc(all, func(a, b output.Change) int { return cmp.Compare(a.Path, b.Path) })
	return all
}

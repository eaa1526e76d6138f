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

// Edits are a command's changes to the user's files, made before anything is generated from them.
type Edits struct {
	// Create are files that are written if they are missing.
	Create []output.File
	// Change are the files to change, whatever they contain.
	Change []output.Change
}

// Put replaces a file. It creates the file if old is nil, and removes it if text is nil. The last call for a path
// counts.
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

// Overlay returns the edited files, for reading the packages.
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

// SPDX-License-Identifier: Apache-2.0

package generator

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

// edits are a command's changes to the user's files, made before anything is generated from them.
type edits struct {
	// create are files that are written if they are missing.
	create []output.File
	// change are the files to replace or remove.
	change []Change
}

// put replaces a file or, if text is nil, removes it. The last call for a path counts.
func (e *edits) put(path string, old, text []byte) {
	e.change = slices.DeleteFunc(e.change, func(c Change) bool { return c.Path == path })
	if text == nil {
		e.change = append(e.change, Change{Path: path, Action: output.Remove, Old: old})
		return
	}
	e.change = append(e.change, Change{Path: path, Action: output.Replace, Old: old, New: text})
}

// overlay returns the edited files, for reading the packages.
func (e edits) overlay() load.Overlay {
	overlay := load.Overlay{}
	for _, f := range e.create {
		if filepath.Ext(f.Path) == ".go" && !exists(f.Path) {
			overlay[f.Path] = f.Content
		}
	}
	for _, c := range e.change {
		if filepath.Ext(c.Path) == ".go" {
			overlay[c.Path] = c.New
		}
	}
	return overlay
}

// among adds the edits of existing files to the other changes, sorted by path.
func (e edits) among(changes []Change) []Change {
	all := slices.Concat(changes, e.change)
	slices.SortStableFunc(all, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	return all
}

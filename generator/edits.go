// SPDX-License-Identifier: Apache-2.0

package generator

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

// edits are what a command does to files that are the user's, before anything is generated from them.
type edits struct {
	// create are files that are written where they are missing.
	create []output.File
	// change are files that are replaced or removed.
	change []Change
}

// put has a file replaced or, without text, removed. What is put last counts.
func (e *edits) put(path string, old, text []byte) {
	e.change = slices.DeleteFunc(e.change, func(c Change) bool { return c.Path == path })
	if text == nil {
		e.change = append(e.change, Change{Path: path, Action: output.Remove, Old: old})
		return
	}
	e.change = append(e.change, Change{Path: path, Action: output.Replace, Old: old, New: text})
}

// overlay is what the packages are read with.
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

// among puts the edits to existing files among the other changes, by path.
func (e edits) among(changes []Change) []Change {
	all := slices.Concat(changes, e.change)
	slices.SortStableFunc(all, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	return all
}

// SPDX-License-Identifier: Apache-2.0

package output

import "github.com/webhook-gen/webhook-gen/generator/internal/diag"

// Action is an operation on a file.
type Action int

const (
	// Create writes a new file.
	Create Action = iota
	// Replace overwrites an existing file.
	Replace
	// Remove deletes a file.
	Remove
)

func (a Action) String() string { return [...]string{"create", "replace", "remove"}[a] }

// Stale returns a diagnostic for each change: generate would write another file.
func Stale(changes []Change) diag.List {
	words := map[Action]string{
		Create: "this generated file is missing", Replace: "this generated file is out of date", Remove: "no marker needs this generated file any more",
	}
	var stale diag.List
	for _, c := range changes {
		d := at(c.Path, diag.Range{}, RuleStale, "%s", words[c.Action]).WithHint("run webhook-gen and commit the result")
		if c.Cause.IsValid() {
			d = d.WithRelated(c.Cause, "the marker is here")
		}
		stale.Add(d)
	}
	return stale
}

// Change is the change of one file.
type Change struct {
	// Path is the file's absolute path below the root, after links.
	Path   string
	Action Action
	// Old and New are the file's bytes before and after the change. Old is nil for Create, New for Remove.
	Old, New []byte
	// Cause is the marker that needs the file. It is invalid for Remove.
	Cause diag.Range
	// Note is the note of the File.
	Note string
}

// SPDX-License-Identifier: Apache-2.0

package output

import "github.com/webhook-gen/webhook-gen/generator/internal/diag"

// Action is what happens to a file.
type Action int

const (
	// Create writes a new file.
	Create Action = iota
	// Replace writes another text to a file that is there.
	Replace
	// Remove deletes a file.
	Remove
)

func (a Action) String() string { return [...]string{"create", "replace", "remove"}[a] }

// Stale reports each change as a finding: the file is not what generate would write.
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

// Change is one file's change.
type Change struct {
	// Path is the file's absolute path below the root, with links followed.
	Path   string
	Action Action
	// Old is what the file holds and New what it shall hold, both to the byte. Old is nil for Create, New for Remove.
	Old, New []byte
	// Cause is the marker that needs the file; invalid for Remove.
	Cause diag.Range
	// Note is the file's.
	Note string
}

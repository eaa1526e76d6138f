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

func (a Action) String() string {
	switch a {
	case Create:
		return "create"
	case Replace:
		return "replace"
	}
	return "remove"
}

// Change is one file's change.
type Change struct {
	// Path is the file's absolute path below the root, with links followed.
	Path   string
	Action Action
	// Old is what the file holds and New what it shall hold, both to the byte. Old is nil for Create, New for Remove.
	Old, New []byte
	// Cause is the marker that asks for the file; invalid for Remove.
	Cause diag.Range
	// Note is the file's.
	Note string
}

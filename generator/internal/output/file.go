// SPDX-License-Identifier: Apache-2.0

// Package output writes the files of a run to disk. Compare finds the changes, Diff prints them, and Write makes all
// of them or none.
//
// It never overwrites the user's work. It replaces or removes a file only if the file's Ownership allows it, and
// writes nothing outside the module. A file that is up to date keeps its modification time, so that build caches stay
// valid.
package output

import "github.com/webhook-gen/webhook-gen/generator/internal/diag"

// Ownership defines who may change a file once it exists.
type Ownership int

const (
	// Generated files belong to the generator. They are replaced and removed if they have our header.
	Generated Ownership = iota
	// Manifest is the file at the configured path. Without our header, it is replaced only if it contains nothing but
	// webhook configurations, such as controller-gen's output.
	Manifest
	// Part files belong to the user, and a part of them is generated. They are replaced if they still have the
	// content that the new text is based on.
	Part
	// Once files belong to the user. They are created if missing and never changed.
	Once
)

// File is a file that the run generates.
type File struct {
	// Path is absolute.
	Path    string
	Content []byte
	Owner   Ownership
	// Base is the text that the content of a Part is based on.
	Base []byte
	// Cause is the marker that needs the file. It is invalid if more than one marker does.
	Cause diag.Range
	// Bare files get no Heading.
	Bare bool
	// Note is a note for the user, such as the reason why a Part may be rewritten. It may be empty.
	Note string
}

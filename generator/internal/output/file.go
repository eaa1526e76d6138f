// SPDX-License-Identifier: Apache-2.0

// Package output brings the disk into line with what a run wants on it, or says what that
// would take: Compare finds the changes, Write carries out all of them or none, Diff prints them.
//
// Nobody's work is lost. A file is replaced or removed only if it is known to be ours (see
// Ownership), nothing outside the module is touched, and a file that is right already keeps
// its time of modification, so that build caches stay warm.
package output

import "github.com/webhook-gen/webhook-gen/generator/internal/diag"

// Ownership is the owner of a file once it exists.
type Ownership int

const (
	// Generated files are ours for ever. They are replaced and removed only where they carry our header.
	Generated Ownership = iota
	// Manifest is the file at the configured path. It may also be replaced where it lacks our
	// header, if it holds nothing but webhook configurations: controller-gen's output, or nothing at all.
	Manifest
	// Part files are the user's, and a part of them is ours: they are replaced as long as they hold what
	// the new text was made from.
	Part
	// Once files are the user's: created where missing, never touched again.
	Once
)

// File is a file that a run wants on disk.
type File struct {
	// Path is absolute.
	Path    string
	Content []byte
	Owner   Ownership
	// Base is the text that the content of a Part was made from.
	Base []byte
	// Cause is the marker that needs the file; invalid if no single one does.
	Cause diag.Range
	// Bare is true if the content has no Heading above it.
	Bare bool
	// Note is what the user has to know of the file, such as why a Part may have to be written again; it may be empty.
	Note string
}

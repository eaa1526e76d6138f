// SPDX-License-Identifier: Apache-2.0

// Package generator generates the manifests and Go code of +webhook markers, for tools that embed webhook-gen. The
// program webhook-gen is package command.
//
// Generate writes nothing. Its Result can be written, shown as a diff, or dropped.
package generator

import (
	"context"
	"fmt"
	"io"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/internal/lock"
)

// Config is the input of a run. Empty fields take their values from webhook-gen.yaml.
type Config struct {
	// Dir is the absolute working directory of the run.
	Dir string
	// Patterns select packages in the syntax of the go command.
	Patterns []string
	// Tags are build tags in addition to the platform's.
	Tags []string
	// Strict turns warnings into errors.
	Strict bool
	// AdmissionRegistration is "v1" or "v1beta1".
	AdmissionRegistration string
	// Outputs are the kinds of files to make: "manifests", "handlers", "conversions", "tests", "delivery".
	Outputs []string
	// Manifest is the manifest's absolute path.
	Manifest string
	// AcceptRemoval lets webhooks, policies, definitions and conversions go although the user has not removed them, for
	// example because a package is not read. Without it, that is an Error.
	AcceptRemoval bool
}

// Result is the outcome of a run.
type Result struct {
	// Root is the module's folder.
	Root string
	// Diagnostics are the findings of the run, sorted by position.
	Diagnostics []Diagnostic
	// Files are all files made from the markers; empty if there are errors.
	Files []File
	// Changes are the changes to make on disk; empty if there are errors.
	Changes []Change

	result engine.Result
}

// File is a file made from the markers.
type File struct {
	// Path is absolute.
	Path    string
	Content []byte
}

// Change is a change to one file.
type Change struct {
	// Path is absolute.
	Path string
	// Old is the present content; nil if the change creates the file.
	Old []byte
	// New is the content to write; nil if the change removes the file.
	New []byte
}

// Severity determines whether a finding stops the run.
type Severity string

const (
	// Error stops the run: nothing is written.
	Error Severity = "error"
	// Warning does not stop the run. Config.Strict makes it an Error.
	Warning Severity = "warning"
	// Note is advice.
	Note Severity = "note"
)

// Diagnostic is one finding.
type Diagnostic struct {
	// Position is the position of the mistake; the zero Position concerns the run as a whole.
	Position Position
	// End is the position behind the mistake.
	End      Position
	Severity Severity
	// Rule is the id under which docs/reference/rules.md explains the finding; it may be empty.
	Rule string
	// Message describes the mistake in one line.
	Message string
	// Hint is the advice for fixing it; it may be empty.
	Hint string
}

// Position is a position in a source file.
type Position struct {
	// File is an absolute path.
	File string
	// Line and Column count from 1, the latter in bytes.
	Line, Column int
}

// String returns the finding in the form of compilers: file:line:column: severity: message [rule].
func (d Diagnostic) String() string {
	text := fmt.Sprintf("%s: %s", d.Severity, d.Message)
	if d.Rule != "" {
		text += " [" + d.Rule + "]"
	}
	if d.Position.File != "" {
		text = fmt.Sprintf("%s:%d:%d: %s", d.Position.File, d.Position.Line, d.Position.Column, text)
	}
	return text
}

// Generate reads the packages and makes the files for their markers.
func Generate(ctx context.Context, c Config) Result {
	r := engine.Generate(ctx, engine.Config{
		Dir: c.Dir, Patterns: c.Patterns, Tags: c.Tags, Strict: c.Strict, AdmissionRegistration: c.AdmissionRegistration,
		Outputs: c.Outputs, Manifest: c.Manifest, AcceptRemoval: c.AcceptRemoval,
	})
	result := Result{Root: r.Root, Diagnostics: diagnostics(r.Diagnostics), result: r}
	for _, f := range r.Files {
		result.Files = append(result.Files, File{f.Path, f.Content})
	}
	for _, change := range r.Changes {
		result.Changes = append(result.Changes, Change{change.Path, change.Old, change.New})
	}
	return result
}

// HasErrors reports whether a finding stopped the run.
func (r Result) HasErrors() bool { return r.result.Diagnostics.HasErrors() }

// Write carries out all changes, or none if one fails. It returns the reasons of a failure. While another run writes to
// the module, Write waits for up to ten seconds. It fails if a file to change is not what Generate has read.
func (r Result) Write() []Diagnostic {
	release, err := lock.Module(context.Background(), r.Root, io.Discard)
	if err != nil {
		return []Diagnostic{{Severity: Error, Message: err.Error()}}
	}
	defer release()
	return diagnostics(r.result.Write())
}

// Diff writes the changes as a unified diff. Paths are relative to the module.
func (r Result) Diff(w io.Writer) error { return r.result.Diff(w) }

func diagnostics(list diag.List) []Diagnostic {
	var all []Diagnostic
	for _, d := range list {
		all = append(all, Diagnostic{Position(d.Pos), Position(d.End), Severity(d.Severity.String()), d.Rule, d.Message, d.Hint})
	}
	return all
}

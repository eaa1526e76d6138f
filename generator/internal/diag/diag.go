// SPDX-License-Identifier: Apache-2.0

// Package diag describes errors, warnings and notes of all phases. A Diagnostic is a value with a position, a rule
// and a hint.
//
// Phases collect diagnostics in a List and continue. So one run reports all errors, in the same order each time.
package diag

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// Position is a position in a source file: absolute path, 1-based line and column. Columns count bytes, as in go/token.
// The zero Position belongs to no file.
type Position struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// At returns the Position for a go/token position.
func At(p token.Position) Position {
	return Position{File: p.Filename, Line: p.Line, Column: p.Column}
}

// Compare orders positions by file, line and column.
func (p Position) Compare(q Position) int {
	return cmp.Or(strings.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
}

// IsValid reports whether the position names a file.
func (p Position) IsValid() bool { return p.File != "" }

// Range is a range of source text from Pos to End, without End.
type Range struct {
	Pos, End Position
}

// InFile returns the range of a whole file.
func InFile(path string) Range { return Range{Pos: Position{File: path}} }

// IsValid reports whether the range names a file.
func (r Range) IsValid() bool { return r.Pos.IsValid() }

// Severity is the severity of a diagnostic.
type Severity int

const (
	// Error stops the run: nothing is written.
	Error Severity = iota
	// Warning is reported and does not stop the run. --strict makes it an Error.
	Warning
	// Note is advice. It is reported and never makes a run fail.
	Note
)

func (s Severity) String() string { return [...]string{"error", "warning", "note"}[s] }

// Diagnostic is an error, a warning or a note.
type Diagnostic struct {
	// Range is the position of the mistake. The zero Range is the whole run.
	Range
	Severity Severity
	// Rule is the id of the rule, which docs/reference/rules.md explains.
	Rule string
	// Message describes the mistake in one line, without a full stop.
	Message string
	// Hint is advice on the fix. It may be empty.
	Hint string
	// Related are more positions of the mistake.
	Related []Related
}

// Related is another position of a Diagnostic.
type Related struct {
	Range
	Message string
}

// Errorf returns an Error.
func Errorf(at Range, rule, format string, args ...any) Diagnostic {
	return Diagnostic{Range: at, Rule: rule, Message: fmt.Sprintf(format, args...)}
}

// Warningf returns a Warning.
func Warningf(at Range, rule, format string, args ...any) Diagnostic {
	return Diagnostic{Range: at, Severity: Warning, Rule: rule, Message: fmt.Sprintf(format, args...)}
}

// WithHint returns the diagnostic with a hint.
func (d Diagnostic) WithHint(format string, args ...any) Diagnostic {
	d.Hint = fmt.Sprintf(format, args...)
	return d
}

// WithRelated returns the diagnostic with one more related position.
func (d Diagnostic) WithRelated(at Range, format string, args ...any) Diagnostic {
	d.Related = append(slices.Clip(d.Related), Related{Range: at, Message: fmt.Sprintf(format, args...)})
	return d
}

// List contains the findings of a run.
type List []Diagnostic

// Add appends diagnostics.
func (l *List) Add(d ...Diagnostic) { *l = append(*l, d...) }

// HasErrors reports whether any diagnostic stops the run.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d Diagnostic) bool { return d.Severity == Error })
}

// Sorted returns the diagnostics by file, line, column, rule and message, without exact duplicates, so that the order
// of the phases does not matter. It does not change the list itself: slices.Compact would clear the end, and a zero
// Diagnostic is an Error.
func (l List) Sorted() List {
	sorted := slices.Clone(l)
	slices.SortStableFunc(sorted, func(a, b Diagnostic) int {
		return cmp.Or(
			a.Pos.Compare(b.Pos),
			strings.Compare(a.Rule, b.Rule),
			strings.Compare(a.Message, b.Message),
			cmp.Compare(a.Severity, b.Severity), // for two findings with the same text, keep the error
		)
	})
	return slices.CompactFunc(sorted, func(a, b Diagnostic) bool {
		return a.Range == b.Range && a.Rule == b.Rule && a.Message == b.Message
	})
}

// Promote returns the list with every warning as an error, for --strict.
func (l List) Promote() List {
	out := slices.Clone(l)
	for i := range out {
		if out[i].Severity == Warning {
			out[i].Severity = Error
		}
	}
	return out
}

// Sourced is a value from the source, with its position.
type Sourced[T any] struct {
	V T
	// At is the position of the value in the source. It is invalid if the source does not set the value.
	At Range
	// Each contains the positions of a list's elements.
	Each []Range
	// Part returns the position of V[from:to], for text.
	Part func(from, to int) Range
}

// IsSet reports whether the source sets the value.
func (s Sourced[T]) IsSet() bool { return s.At.IsValid() }

// Or returns the value or, if the source does not set it, the other value.
func (s Sourced[T]) Or(other Sourced[T]) Sourced[T] {
	if s.IsSet() {
		return s
	}
	return other
}

// Rule documents a rule of diagnostics. Each phase has a table of its rules, from which docs/reference/rules.md is
// generated.
type Rule struct {
	// ID is a letter for the phase and a number. It is never reused.
	ID string
	// Title is the rule in one line.
	Title string
	// Severity is the default severity.
	Severity Severity
	// Doc explains the rule, with the upstream function if it is a rule of Kubernetes. It is empty in the tables of
	// the phases, whose text is in docs/reference/rules.md. Only the rules in the registry's entries set it.
	Doc string
	// Fix describes the fix as a clause. It may be empty.
	Fix string
}

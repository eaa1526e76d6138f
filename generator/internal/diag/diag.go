// SPDX-License-Identifier: Apache-2.0

// Package diag reports mistakes for every phase of the generator. A Diagnostic is a value with a position, the broken
// rule, and advice.
//
// Phases collect diagnostics in a List and go on. One run therefore reports every mistake at once and, sorted, always
// in the same order.
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

// At converts a go/token position.
func At(p token.Position) Position {
	return Position{File: p.Filename, Line: p.Line, Column: p.Column}
}

// Compare orders positions by file, line and column.
func (p Position) Compare(q Position) int {
	return cmp.Or(strings.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
}

// IsValid reports whether the position names a file.
func (p Position) IsValid() bool { return p.File != "" }

// Range is a range of source text: from Pos up to, not including, End.
type Range struct {
	Pos, End Position
}

// InFile returns the range of a file as a whole.
func InFile(path string) Range { return Range{Pos: Position{File: path}} }

// IsValid reports whether the range names a file.
func (r Range) IsValid() bool { return r.Pos.IsValid() }

// Severity determines whether a diagnostic stops the run.
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

// Diagnostic is one finding.
type Diagnostic struct {
	// Range is the position of the mistake; the zero Range concerns the run as a whole.
	Range
	Severity Severity
	// Rule is the id under which docs/reference/rules.md explains the finding.
	Rule string
	// Message describes the mistake, in one line, without a full stop.
	Message string
	// Hint is the advice for fixing it; it may be empty.
	Hint string
	// Related are other positions that belong to the mistake.
	Related []Related
}

// Related is a second position of a Diagnostic.
type Related struct {
	Range
	Message string
}

// Errorf makes an Error.
func Errorf(at Range, rule, format string, args ...any) Diagnostic {
	return Diagnostic{Range: at, Rule: rule, Message: fmt.Sprintf(format, args...)}
}

// Warningf makes a Warning.
func Warningf(at Range, rule, format string, args ...any) Diagnostic {
	return Diagnostic{Range: at, Severity: Warning, Rule: rule, Message: fmt.Sprintf(format, args...)}
}

// WithHint returns the diagnostic with advice.
func (d Diagnostic) WithHint(format string, args ...any) Diagnostic {
	d.Hint = fmt.Sprintf(format, args...)
	return d
}

// WithRelated returns the diagnostic with one more related position.
func (d Diagnostic) WithRelated(at Range, format string, args ...any) Diagnostic {
	d.Related = append(slices.Clip(d.Related), Related{Range: at, Message: fmt.Sprintf(format, args...)})
	return d
}

// List is the findings of a run.
type List []Diagnostic

// Add appends diagnostics.
func (l *List) Add(d ...Diagnostic) { *l = append(*l, d...) }

// HasErrors reports whether any diagnostic stops the run.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d Diagnostic) bool { return d.Severity == Error })
}

// Sorted returns the diagnostics by file, line, column, rule and message, without exact duplicates. The same input
// gives the same report, regardless of the order of the phases. The list itself stays as it is: slices.Compact would
// clear its tail, and a zero Diagnostic is an Error.
func (l List) Sorted() List {
	sorted := slices.Clone(l)
	slices.SortStableFunc(sorted, func(a, b Diagnostic) int {
		return cmp.Or(
			a.Pos.Compare(b.Pos),
			strings.Compare(a.Rule, b.Rule),
			strings.Compare(a.Message, b.Message),
			cmp.Compare(a.Severity, b.Severity), // of two findings with one text, the error stays
		)
	})
	return slices.CompactFunc(sorted, func(a, b Diagnostic) bool {
		return a.Range == b.Range && a.Rule == b.Rule && a.Message == b.Message
	})
}

// Promote turns every warning into an error, as for --strict.
func (l List) Promote() List {
	out := slices.Clone(l)
	for i := range out {
		if out[i].Severity == Warning {
			out[i].Severity = Error
		}
	}
	return out
}

// Sourced is a value that the source sets, with its position.
type Sourced[T any] struct {
	V T
	// At is the position of the value in the source. It is invalid if the source does not set the value.
	At Range
	// Each is, for a list, the position of each element.
	Each []Range
	// Part is, for text, the position of V[from:to].
	Part func(from, to int) Range
}

// IsSet reports whether the source sets the value.
func (s Sourced[T]) IsSet() bool { return s.At.IsValid() }

// Or returns the value or, if the source does not set it, another value.
func (s Sourced[T]) Or(other Sourced[T]) Sourced[T] {
	if s.IsSet() {
		return s
	}
	return other
}

// Rule documents one id of diagnostics. Each phase declares the rules it reports as a table; docs/reference/rules.md is
// generated from all of them.
type Rule struct {
	// ID is short and never reused: a letter for the phase and a number.
	ID string
	// Title states the rule in one line.
	Title string
	// Severity is the default severity of a broken rule.
	Severity Severity
	// Doc explains the rule. If the rule comes from Kubernetes, Doc names the upstream function. It is empty in the tables
	// of the phases: docs/reference/rules.md has the text. Only the rules in the registry's entries have their own.
	Doc string
	// Fix describes the fix, as a clause; it may be empty.
	Fix string
}

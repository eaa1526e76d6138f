// SPDX-License-Identifier: Apache-2.0

// Package diag is how every phase of the generator says what is wrong: a
// Diagnostic is a value with a place, the rule that was broken, and what to do.
//
// Phases collect diagnostics in a List and go on, so that one run reports every
// mistake at once and, sorted, in the same order every time.
package diag

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// Position is a place in a source file: absolute path, 1-based line and column.
// Columns count bytes, as in go/token. The zero Position belongs to no file.
type Position struct {
	File   string
	Line   int
	Column int
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

// Range is a piece of one source line or of several: from Pos up to, not including, End.
type Range struct {
	Pos, End Position
}

// IsValid reports whether the range names a file.
func (r Range) IsValid() bool { return r.Pos.IsValid() }

// Severity says whether a diagnostic stops the run.
type Severity int

const (
	// Error stops the run: nothing is written.
	Error Severity = iota
	// Warning is reported and the run goes on. --strict makes it an Error.
	Warning
	// Note is advice: it is reported, and no run fails for it.
	Note
)

func (s Severity) String() string {
	switch s {
	case Warning:
		return "warning"
	case Note:
		return "note"
	}
	return "error"
}

// Diagnostic is one finding.
type Diagnostic struct {
	// Range is where the mistake stands; the zero Range concerns the run as a whole.
	Range
	Severity Severity
	// Rule is the id under which docs/rules.md explains the finding.
	Rule string
	// Message says what is wrong, in one line, without a full stop.
	Message string
	// Hint says what to do about it; it may be empty.
	Hint string
	// Related are other places that take part in the mistake.
	Related []Related
}

// Related is a second place that a Diagnostic speaks of.
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

// WithHint returns the diagnostic with what to do about it.
func (d Diagnostic) WithHint(format string, args ...any) Diagnostic {
	d.Hint = fmt.Sprintf(format, args...)
	return d
}

// WithRelated returns the diagnostic with one more related place.
func (d Diagnostic) WithRelated(at Range, format string, args ...any) Diagnostic {
	d.Related = append(slices.Clip(d.Related), Related{Range: at, Message: fmt.Sprintf(format, args...)})
	return d
}

// List is the findings of a run.
type List []Diagnostic

// Add appends diagnostics.
func (l *List) Add(d ...Diagnostic) { *l = append(*l, d...) }

// HasErrors reports whether any finding stops the run.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d Diagnostic) bool { return d.Severity == Error })
}

// Sort orders the list by file, line, column, rule and message and drops exact repetitions,
// so that the same input gives the same report however the phases ran.
func (l List) Sort() List {
	slices.SortStableFunc(l, func(a, b Diagnostic) int {
		return cmp.Or(
			a.Pos.Compare(b.Pos),
			strings.Compare(a.Rule, b.Rule),
			strings.Compare(a.Message, b.Message),
		)
	})
	return slices.CompactFunc(l, func(a, b Diagnostic) bool {
		return a.Range == b.Range && a.Rule == b.Rule && a.Message == b.Message
	})
}

// Promote turns every warning into an error, as --strict asks.
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
	// At is the value in the source; it is invalid while nothing sets the value.
	At Range
	// Each is, for a list, the position of each element.
	Each []Range
	// Part is, for text, the position of V[from:to].
	Part func(from, to int) Range
}

// IsSet reports whether the source sets the value.
func (s Sourced[T]) IsSet() bool { return s.At.IsValid() }

// Or is the value or, where the source does not set it, another one.
func (s Sourced[T]) Or(other Sourced[T]) Sourced[T] {
	if s.IsSet() {
		return s
	}
	return other
}

// Rule documents one id under which diagnostics are reported. Each phase declares the
// rules it reports as a table; docs/rules.md is generated from all of them.
type Rule struct {
	// ID is short and never reused: a letter for the phase and a number.
	ID string
	// Title says what must hold, in one line.
	Title string
	// Severity is how a broken rule is reported by default.
	Severity Severity
	// Doc explains the rule and what to do; where it comes from Kubernetes it names the upstream function.
	Doc string
	// Fix says what to do, as a clause; it may be empty.
	Fix string
}

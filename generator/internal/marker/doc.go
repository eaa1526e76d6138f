// SPDX-License-Identifier: Apache-2.0

// Package marker is the marker engine. It finds markers in Go comments, finds the declaration of each, and decodes
// their arguments into the variables of a Definition. It is independent of Kubernetes.
//
// The grammar is that of k8s.io/gengo/v2/codetags, which Kubernetes' own generators use:
//
//	+name
//	+name(argument: value, argument: "text")
//	+name="value"
//	+name(argument: value)=`value` # a comment
//
// A value is a word, a whole number, true, false, or a Go string in double quotes or backticks. A list is one string
// with semicolons: "create;update". If codetags and the Go language differ, Go's rules apply: double quotes have Go's
// escapes, and backticks have none.
//
// A marker begins a comment line and continues on the next lines until its parentheses and quotes are closed. In
// double quotes, a line break with the blanks around it is one blank. In backticks, it is a line break. A comment
// line indented by a tab is a code example, as in gofmt, and never begins a marker.
package marker

import "github.com/webhook-gen/webhook-gen/generator/internal/diag"

// Marker is one parsed marker.
type Marker struct {
	// Range is the whole marker, beginning with its +.
	diag.Range
	// Name is the text between the + and the arguments.
	Name string
	// NameAt is the range of the name without the +.
	NameAt diag.Range
	// Arguments are the arguments in parentheses, in source order.
	Arguments []Argument
	// Value is the value after the equals sign, or nil.
	Value *Value
	// Equations are the arguments of a marker in controller-gen's grammar, +name:argument=value,argument=value. Name
	// then ends with the first argument's name.
	Equations []Argument

	syntax diag.List // the errors of such a marker in this package's grammar
}

// Argument is one "name: value".
type Argument struct {
	// Name is empty for a positional argument.
	Name string
	// NameAt is the range of the name.
	NameAt diag.Range
	Value  Value
}

// Value is the right-hand side of an argument or of a marker.
type Value struct {
	// Range is the range of the value with its quotes.
	diag.Range
	// Text is the value without quotes and escapes.
	Text string
	// Quoted is true if the value is a string, not a word or number.
	Quoted bool

	positions []diag.Position // of each byte of Text, and of its end
}

// Part returns the range of Text[from:to] in the source.
func (v Value) Part(from, to int) diag.Range {
	if v.positions == nil || from >= to {
		return v.Range
	}
	end := v.positions[to-1]
	end.Column++
	if next := v.positions[to]; next.Line == end.Line {
		end = next // after the whole escape sequence
	}
	return diag.Range{Pos: v.positions[from], End: end}
}

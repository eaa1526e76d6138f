// SPDX-License-Identifier: Apache-2.0

// Package marker is the marker engine. It finds markers in Go comments, finds the declaration of each, and decodes
// their arguments into the variables that a Definition names. It is independent of Kubernetes.
//
// The grammar comes from k8s.io/gengo/v2/codetags, which Kubernetes' own generators use:
//
//	+name
//	+name(argument: value, argument: "text")
//	+name="value"
//	+name(argument: value)=`value` # a comment
//
// A value is a word, a whole number, true, false, or a Go string in double quotes or
// backticks; a list is one string with semicolons, "create;update". Where codetags and the
// Go language differ the Go language wins: escapes in double quotes are Go's, backticks have none.
//
// A marker begins a comment line and runs on over the lines that follow until its
// parentheses and quotes are closed. In double quotes a line break with the blanks around
// it is one blank; in backticks it is a line break. A comment line indented by a tab is a
// code example to gofmt and to this package, and never begins a marker.
package marker

import "github.com/webhook-gen/webhook-gen/generator/internal/diag"

// Marker is one parsed marker.
type Marker struct {
	// Range is the whole marker, from its + on.
	diag.Range
	// Name is the text between the + and the arguments.
	Name string
	// NameAt is the name, the + left out.
	NameAt diag.Range
	// Arguments are the arguments in parentheses, in the order written.
	Arguments []Argument
	// Value is the value after the equals sign; nil without an equals sign.
	Value *Value
	// Equations are set for a marker that follows the grammar of controller-gen instead,
	// +name:argument=value,argument=value. Name ends with the first argument's name.
	Equations []Argument

	syntax diag.List // of such a marker in this package's own grammar
}

// Argument is one "name: value".
type Argument struct {
	// Name is empty for a positional argument.
	Name string
	// NameAt is the name.
	NameAt diag.Range
	Value  Value
}

// Value is the right-hand side of an argument or of a marker.
type Value struct {
	// Range is the value with its quotes.
	diag.Range
	// Text is the value without quotes and escapes.
	Text string
	// Quoted is true if the value is a string, and no word or number.
	Quoted bool

	positions []diag.Position // of each byte of Text, and of the end
}

// Part is the range of Text[from:to] in the source.
func (v Value) Part(from, to int) diag.Range {
	if v.positions == nil || from >= to {
		return v.Range
	}
	end := v.positions[to-1]
	end.Column++
	if next := v.positions[to]; next.Line == end.Line {
		end = next // past the whole of an escape
	}
	return diag.Range{Pos: v.positions[from], End: end}
}

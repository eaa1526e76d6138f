// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// Type is a Go type.
type Type = resolve.Type

// Types are the types of a value of the spoke and of a value of the hub.
type Types struct {
	Sides[*Type]
	// Same is true if the two types are identical.
	Same bool
}

func typesOf(spoke, hub *Type) Types { return typesIn(Sides[*Type]{spoke, hub}) }

func typesIn(s Sides[*Type]) Types { return Types{s, resolve.Identical(s.Spoke, s.Hub)} }

// Test is the check in generated code that a value is set.
type Test int

const (
	// NotZero compares with nil, 0 or the empty string. A bool is its own check.
	NotZero Test = iota
	// NotEmpty checks the length.
	NotEmpty
	// NotIsZero calls the type's method IsZero.
	NotIsZero
	// NotEqual compares with the zero value.
	NotEqual
	// AnyPart checks each exported field of a struct, or each element of an array.
	AnyPart
)

// Set is a check in generated code that a value of a type is set.
type Set struct {
	Type *Type
	Test Test
}

// SetOf returns the check that a value is not the zero value.
func SetOf(t *resolve.Type) *Set {
	s := &Set{Type: t}
	switch kind := t.Kind(); {
	case kind != resolve.Struct && kind != resolve.Array:
	case t.HasMethod("IsZero"):
		s.Test = NotIsZero
	case comparable(t):
		s.Test = NotEqual
	default:
		s.Test = AnyPart
	}
	return s
}

// FieldSet is SetOf for a field. An empty list or map that JSON omits is not set: it would be missing when the object
// returns.
func FieldSet(f *resolve.Field) *Set {
	if kind := f.Type.Kind(); f.OmitEmpty && (kind == resolve.Slice || kind == resolve.Map) {
		return &Set{Type: f.Type, Test: NotEmpty}
	}
	return SetOf(f.Type)
}

// comparable reports whether Go can compare values of the type with == and compares their content.
func comparable(t *resolve.Type) bool {
	return consistsOf(t, func(t *resolve.Type) bool { return t.Kind() == resolve.Basic || t.Kind() == resolve.Pointer })
}

// consistsOf reports whether a function accepts a type, or the types of all its fields or elements.
func consistsOf(t *resolve.Type, is func(*resolve.Type) bool) bool {
	switch {
	case is(t):
		return true
	case t.Kind() == resolve.Array:
		return consistsOf(t.Elem(), is)
	case t.Kind() == resolve.Struct:
		return !slices.ContainsFunc(t.Fields(), func(f *resolve.Field) bool { return !consistsOf(f.Type, is) })
	}
	return false
}

// pointers reports whether any field before the last one is a pointer.
func (p Path) pointers() bool {
	return slices.ContainsFunc(p[:len(p)-1], func(f *resolve.Field) bool { return f.Type.Kind() == resolve.Pointer })
}

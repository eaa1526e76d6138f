// SPDX-License-Identifier: Apache-2.0

package fields

import "github.com/webhook-gen/webhook-gen/generator/internal/resolve"

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
	Type *resolve.Type
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
	return t.ConsistsOf(func(t *resolve.Type) bool { return t.Kind() == resolve.Basic || t.Kind() == resolve.Pointer })
}

// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// Type is a Go type as written in generated code.
type Type struct {
	// Package and Name are the package and the name of the declaration. A predeclared type has only a name, and so does
	// a type that is written literally.
	Package, Name string
	Args          []*Type
	// An unnamed map has a Key. An unnamed pointer, slice or array has its signs, such as "[]", before Elem.
	Signs     string
	Key, Elem *Type
}

// Types are the types of a value of the spoke and of a value of the hub.
type Types struct {
	Spoke, Hub *Type
	// Same is true if the two types are identical.
	Same bool
}

func typesOf(spoke, hub *resolve.Type) Types {
	return Types{typeOf(spoke), typeOf(hub), resolve.Identical(spoke, hub)}
}

func typeOf(t *resolve.Type) *Type {
	w := &Type{Package: t.Package, Name: t.Name}
	for _, a := range t.Args {
		w.Args = append(w.Args, typeOf(a))
	}
	if t.Name != "" {
		return w
	}
	switch t.Kind() {
	case resolve.Pointer:
		w.Signs = "*"
	case resolve.Slice:
		w.Signs = "[]"
	case resolve.Array:
		w.Signs = "[" + t.Len() + "]"
	case resolve.Map:
		w.Key = typeOf(t.Key())
	default:
		w.Name = t.String()
		return w
	}
	w.Elem = typeOf(t.Elem())
	return w
}

// String returns equal texts exactly for types that are written alike.
func (t *Type) String() string {
	var args []string
	for _, a := range t.Args {
		args = append(args, a.String())
	}
	switch {
	case t.Name != "":
		return t.Package + "." + t.Name + "[" + strings.Join(args, ",") + "]"
	case t.Key != nil:
		return "map[" + t.Key.String() + "]" + t.Elem.String()
	}
	return t.Signs + t.Elem.String()
}

// Test is the check in generated code that a value is set.
type Test int

const (
	// NotNil compares with nil.
	NotNil Test = iota
	// NotEmpty checks the length.
	NotEmpty
	// True is the value, a bool, itself.
	True
	// NotBlank compares with the empty string.
	NotBlank
	// NotNull compares with the number 0.
	NotNull
	// NotIsZero calls the type's method IsZero.
	NotIsZero
	// NotEqual compares with the zero value.
	NotEqual
	// AnyField checks each field.
	AnyField
)

// Set is a check in generated code that a value of a type is set.
type Set struct {
	Type *Type
	Test Test
	// Fields are the fields to check for AnyField.
	Fields []SetField
}

// SetField is a field of a struct with an AnyField.
type SetField struct {
	Name string
	*Set
}

// setOf returns the check that a value is not the zero value.
func setOf(t *resolve.Type) *Set {
	s := &Set{Type: typeOf(t)}
	kind := t.Kind()
	switch isWhole := kind == resolve.Struct || kind == resolve.Array; {
	case isBool(t):
		s.Test = True
	case isText(t):
		s.Test = NotBlank
	case kind == resolve.Basic:
		s.Test = NotNull
	case isWhole && t.HasMethod("IsZero"):
		s.Test = NotIsZero
	case isWhole && comparable(t):
		s.Test = NotEqual
	case isWhole:
		s.Test = AnyField
		for _, f := range t.Fields() {
			if f.Exported {
				s.Fields = append(s.Fields, SetField{f.Name, fieldSet(f)})
			}
		}
	}
	return s
}

// fieldSet is setOf for a field. An empty list or map that JSON omits is not set: it would be missing when the object
// returns.
func fieldSet(f *resolve.Field) *Set {
	if kind := f.Type.Kind(); f.OmitEmpty && (kind == resolve.Slice || kind == resolve.Map) {
		return &Set{Type: typeOf(f.Type), Test: NotEmpty}
	}
	return setOf(f.Type)
}

// comparable reports whether Go can compare values of the type with == and compares their content.
func comparable(t *resolve.Type) bool {
	switch t.Kind() {
	case resolve.Basic, resolve.Pointer:
		return true
	case resolve.Array:
		return comparable(t.Elem())
	case resolve.Struct:
		return !slices.ContainsFunc(t.Fields(), func(f *resolve.Field) bool { return !comparable(f.Type) })
	}
	return false
}

// Step is a field on a path.
type Step struct {
	Name string
	// Pointer is the type of the field's target. It is nil if the field is not a pointer.
	Pointer *Type
	// Struct is the type of a struct, or of the one that a pointer leads to.
	Struct *Type
}

// Steps returns the fields on the path.
func (p Path) Steps() []Step {
	var steps []Step
	for _, f := range p {
		s := Step{Name: f.Name, Struct: typeOf(pointee(f.Type))}
		if f.Type.Kind() == resolve.Pointer {
			s.Pointer = typeOf(f.Type.Elem())
		}
		steps = append(steps, s)
	}
	return steps
}

// pointers reports whether any field before the last one is a pointer.
func (p Path) pointers() bool {
	return slices.ContainsFunc(p[:len(p)-1], func(f *resolve.Field) bool { return f.Type.Kind() == resolve.Pointer })
}

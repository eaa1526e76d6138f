// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// Type is a Go type as generated code writes it.
type Type struct {
	// Package and Name are those of the declaration. A predeclared type has only a name, and so has one that is written
	// as it is.
	Package, Name string
	Args          []*Type
	// An unnamed map has a Key; an unnamed pointer, slice or array has its signs, such as "[]", before Elem.
	Signs     string
	Key, Elem *Type
}

// Types are the types of a value of the spoke and of one of the hub.
type Types struct {
	Spoke, Hub *Type
	// Same says that they are one.
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

// String is the same for types that are written alike, and for no others.
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

// Test is how generated code tells that a value is set.
type Test int

const (
	// NotNil compares with nil.
	NotNil Test = iota
	// NotEmpty asks for the length.
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
	// AnyField asks for each field.
	AnyField
)

// Set says how generated code tells that a value of a type is set.
type Set struct {
	Type *Type
	Test Test
	// Fields are those of AnyField.
	Fields []SetField
}

// SetField is a field of a struct with an AnyField.
type SetField struct {
	Name string
	*Set
}

// setOf says how it is told that a value is not the zero value.
func setOf(t *resolve.Type) *Set {
	s := &Set{Type: typeOf(t)}
	switch t.Kind() {
	case resolve.Basic:
		switch t.Basic() {
		case "bool":
			s.Test = True
		case "string":
			s.Test = NotBlank
		default:
			s.Test = NotNull
		}
	case resolve.Struct, resolve.Array:
		switch {
		case t.HasMethod("IsZero"):
			s.Test = NotIsZero
		case comparable(t):
			s.Test = NotEqual
		default:
			s.Test = AnyField
			for _, f := range t.Fields() {
				if f.Exported {
					s.Fields = append(s.Fields, SetField{f.Name, fieldSet(f)})
				}
			}
		}
	}
	return s
}

// fieldSet is setOf for a field. An empty list or map that JSON leaves out is not set: it would not be there any more
// when the object returns.
func fieldSet(f *resolve.Field) *Set {
	if kind := f.Type.Kind(); f.OmitEmpty && (kind == resolve.Slice || kind == resolve.Map) {
		return &Set{Type: typeOf(f.Type), Test: NotEmpty}
	}
	return setOf(f.Type)
}

// comparable reports whether Go can compare values of the type with == and that does what it looks like.
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
	// Pointer is what the field points to; nil where it is no pointer.
	Pointer *Type
}

// Steps are the fields on the path.
func (p Path) Steps() []Step {
	var steps []Step
	for _, f := range p {
		s := Step{Name: f.Name}
		if f.Type.Kind() == resolve.Pointer {
			s.Pointer = typeOf(f.Type.Elem())
		}
		steps = append(steps, s)
	}
	return steps
}

// pointers reports whether there is a pointer on the way to the last field.
func (p Path) pointers() bool {
	return slices.ContainsFunc(p[:len(p)-1], func(f *resolve.Field) bool { return f.Type.Kind() == resolve.Pointer })
}

// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"slices"
	"strings"
)

// Target returns the Elem of a Pointer, even of a named one, and other types unchanged.
func (t *Type) Target() *Type {
	if t.Kind() == Pointer {
		return t.Elem()
	}
	return t
}

// Innermost returns the type within pointers, lists and maps.
func (t *Type) Innermost() *Type {
	for t.Elem() != nil {
		t = t.Elem()
	}
	return t
}

// Is reports whether a type has a package and a name.
func (t *Type) Is(path, name string) bool { return t.Package == path && t.Name == name }

// IsText reports whether the values are strings.
func (t *Type) IsText() bool { return t.Basic() == "string" }

// IsBool reports whether the values are bools.
func (t *Type) IsBool() bool { return t.Basic() == "bool" }

// IsWhole reports whether the values are whole numbers.
func (t *Type) IsWhole() bool {
	basic := t.Basic()
	return strings.HasPrefix(basic, "int") || strings.HasPrefix(basic, "uint") && basic != "uintptr"
}

// EncodesItself reports whether a type has its own JSON encoding, different from Go's default.
func (t *Type) EncodesItself() bool {
	return t.HasPromoted("MarshalJSON") || t.HasPromoted("MarshalText")
}

// IsHidden reports whether a struct has fields that only its own package can read.
func (t *Type) IsHidden() bool {
	return slices.ContainsFunc(t.Fields(), func(f *Field) bool { return !f.Exported })
}

// ConsistsOf reports whether a function accepts a type, or the types of all its fields or elements.
func (t *Type) ConsistsOf(is func(*Type) bool) bool {
	switch {
	case is(t):
		return true
	case t.Kind() == Array:
		return t.Elem().ConsistsOf(is)
	case t.Kind() == Struct:
		return !slices.ContainsFunc(t.Fields(), func(f *Field) bool { return !f.Type.ConsistsOf(is) })
	}
	return false
}

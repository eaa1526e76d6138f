// SPDX-License-Identifier: Apache-2.0

package wire

import "reflect"

// Target is what pointers lead to in the end.
func (s *Shape) Target() *Shape {
	for s.Kind == Pointer {
		s = s.Elem
	}
	return s
}

// PointedAt follows pointers to what they point to in the end; the value is invalid if there is none.
func (s *Shape) PointedAt(v reflect.Value) (*Shape, reflect.Value) {
	for s.Kind == Pointer {
		if v.IsNil() {
			return s, reflect.Value{}
		}
		s, v = s.Elem, v.Elem()
	}
	return s, v
}

// Structs returns the struct that a value is or points to; nothing where it is none.
func (s *Shape) Structs(v reflect.Value, present bool) reflect.Value {
	if !present {
		return reflect.Value{}
	}
	below, target := s.PointedAt(v)
	if below.Kind != Structure {
		return reflect.Value{}
	}
	return target
}

// Present returns a field of a struct, and whether JSON has it.
func (f *Member) Present(v reflect.Value) (reflect.Value, bool) {
	value, ok := f.In(v)
	return value, ok && !f.Omits(value)
}

// Root returns the field of the struct v that the field is or lies in, which may be an embedded pointer that is nil.
func (f *Member) Root(v reflect.Value) reflect.Value { return v.Field(f.path[0]) }

// With is the shape of a struct with those of its fields that keep wants, which may change them.
func (s *Shape) With(keep func(f *Member) bool) *Shape {
	kept := &Shape{Kind: s.Kind, Typ: s.Typ, Index: map[string]int{}}
	for _, f := range s.Fields {
		if keep(&f) {
			kept.Index[f.Name] = len(kept.Fields)
			kept.Fields = append(kept.Fields, f)
		}
	}
	return kept
}

// HasAll says whether there are members of all names.
func (s *Shape) HasAll(names []string) bool {
	for _, name := range names {
		if _, ok := s.Index[name]; !ok {
			return false
		}
	}
	return true
}

// SPDX-License-Identifier: Apache-2.0

package wire

import "reflect"

// Target returns the shape at the end of a chain of pointers.
func (s *Shape) Target() *Shape {
	for s.Kind == Pointer {
		s = s.Elem
	}
	return s
}

// Inside follows pointers, lists and dicts to their content. A type that contains nothing but itself has none, and the
// result is any shape then.
func (s *Shape) Inside() *Shape {
	const most = 16
	for i := 0; s.Elem != nil && i < most; i++ {
		s = s.Elem
	}
	return s
}

// PointedAt follows pointers to the end, and returns the shape and the value there. The value is invalid if a pointer
// is nil.
func (s *Shape) PointedAt(v reflect.Value) (*Shape, reflect.Value) {
	for s.Kind == Pointer {
		if v.IsNil() {
			return s, reflect.Value{}
		}
		s, v = s.Elem, v.Elem()
	}
	return s, v
}

// Structs returns the struct that v is or points to. It returns an invalid value if there is no such struct.
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

// Root returns the field of the struct v that is the member or contains it. It may be a nil embedded pointer.
func (f *Member) Root(v reflect.Value) reflect.Value { return v.Field(f.path[0]) }

// With returns the shape of a struct with only the fields for which keep returns true. The function keep may change
// them.
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

// IsEmbedded reports whether the field is in an embedded struct, which a pointer may lead to.
func (f *Member) IsEmbedded() bool { return len(f.path) > 1 }

// HasAll reports whether the shape has members of all names.
func (s *Shape) HasAll(names []string) bool {
	for _, name := range names {
		if _, ok := s.Index[name]; !ok {
			return false
		}
	}
	return true
}

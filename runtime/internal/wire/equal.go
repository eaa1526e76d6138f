// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"maps"
	"reflect"
)

// Equal reports whether two values are the same. Values that JSON does not tell apart may be different, such as an
// empty list and a nil list.
func (s *Shape) Equal(a, b reflect.Value) bool {
	switch s.Kind {
	case Boolean:
		return a.Bool() == b.Bool()
	case Integer:
		return a.Int() == b.Int()
	case Unsigned:
		return a.Uint() == b.Uint()
	case Str:
		return a.String() == b.String()
	case Pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() && b.IsNil()
		}
		return s.Elem.Equal(a.Elem(), b.Elem())
	case List:
		if a.Len() != b.Len() || a.IsNil() != b.IsNil() {
			return false
		}
		for i := range a.Len() {
			if !s.Elem.Equal(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case Structure:
		for i := range s.Fields {
			x, ok := s.Fields[i].In(a)
			y, ok2 := s.Fields[i].In(b)
			if ok != ok2 || ok && !s.Fields[i].Shape.Equal(x, y) {
				return false
			}
		}
		return true
	case Dict:
		x, ok := a.Interface().(map[string]string)
		y, ok2 := b.Interface().(map[string]string)
		if ok && ok2 { // without an allocation for each entry
			return (x == nil) == (y == nil) && maps.Equal(x, y)
		}
	case Self:
		if a.Comparable() && a.Equal(b) {
			return true
		}
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

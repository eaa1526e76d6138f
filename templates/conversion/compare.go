package conversion

import "reflect"

// structs compares two structs of a shape, of which most are mostly equal. Only where they differ, and are not structs again, are
// they written in JSON, and compared as that.
func (c *comparison) structs(at []step, s *shape, base, want reflect.Value, schema Schema) error {
	for i := range s.fields {
		f := &s.fields[i]
		below := schema.member(f.name)
		if below.Dropped {
			continue
		}
		b, hasBase := f.present(base)
		w, hasWant := f.present(want)
		if hasBase == hasWant && (!hasBase || f.shape.equal(b, w)) {
			continue
		}
		here := append(at, step{name: f.name, scattered: below.Scattered})
		var err error
		switch inner, is := f.shape.structs(b, hasBase), f.shape.structs(w, hasWant); {
		case inner.IsValid() && is.IsValid():
			err = c.structs(here, f.shape.target(), inner, is, below)
		case !hasBase && below.isEmpty():
			err = c.add(here, f.shape, w)
		default:
			err = c.fields(here, f, b, hasBase, w, hasWant, below)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// add records a value that has to be added.
func (c *comparison) add(at []step, s *shape, want reflect.Value) error {
	c.begin(at)
	c.list.key("is")
	c.list.value(s, want)
	return c.end(toMake(at))
}

// fields compares two values of a field in JSON.
func (c *comparison) fields(at []step, f *member, base reflect.Value, hasBase bool, want reflect.Value, hasWant bool, schema Schema) error {
	b, err := f.decoded(base, hasBase)
	if err != nil {
		return err
	}
	w, err := f.decoded(want, hasWant)
	if err != nil {
		return err
	}
	return c.values(at, b, w, schema)
}

// present returns a field of a struct, and whether JSON has it.
func (f *member) present(v reflect.Value) (reflect.Value, bool) {
	value, ok := f.in(v)
	return value, ok && !f.omits(value)
}

// target is what pointers lead to in the end.
func (s *shape) target() *shape {
	for s.kind == pointer {
		s = s.elem
	}
	return s
}

// structs returns the struct that a value is or points to; nothing where it is none.
func (s *shape) structs(v reflect.Value, present bool) reflect.Value {
	if !present {
		return reflect.Value{}
	}
	below, target := s.pointedAt(v)
	if below.kind != structure {
		return reflect.Value{}
	}
	return target
}

// equal reports whether two values are the same. Those that JSON does not tell apart may be different, such as a list that is empty
// and one that is nil.
func (s *shape) equal(a, b reflect.Value) bool {
	switch s.kind {
	case boolean:
		return a.Bool() == b.Bool()
	case integer:
		return a.Int() == b.Int()
	case unsigned:
		return a.Uint() == b.Uint()
	case str:
		return a.String() == b.String()
	case pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() && b.IsNil()
		}
		return s.elem.equal(a.Elem(), b.Elem())
	case list:
		if a.Len() != b.Len() || a.IsNil() != b.IsNil() {
			return false
		}
		for i := range a.Len() {
			if !s.elem.equal(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case structure:
		for i := range s.fields {
			x, ok := s.fields[i].in(a)
			y, ok2 := s.fields[i].in(b)
			if ok != ok2 || ok && !s.fields[i].shape.equal(x, y) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

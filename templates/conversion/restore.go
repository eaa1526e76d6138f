package conversion

import (
	"encoding/json"
	"reflect"
)

// carryOut carries a change out on a struct, if what it leads to is still what it was. What stood in a part that is gone is gone
// with it, and what does not fit the type is dropped.
func (c change) carryOut(s *shape, v reflect.Value, at []step) {
	name := at[0].name
	i, ok := s.index[name]
	if !ok {
		return
	}
	f := &s.fields[i]
	value, present := f.present(v)
	if below := f.shape.structs(value, present); below.IsValid() && len(at) > 1 {
		c.carryOut(f.shape.target(), below, at[1:])
		return
	}
	if c.Was == "" && len(at) == 1 && c.Around == nil {
		if !present && c.Is != nil {
			f.set(v, c.Is)
		}
		return
	}
	object := map[string]any{}
	if present {
		live, err := f.decoded(value, present)
		if err != nil {
			return
		}
		object[name] = live
	}
	c.apply(object, at)
	restored, ok := object[name]
	switch {
	case ok:
		text, err := json.Marshal(restored)
		fits := reflect.New(f.shape.typ).Elem()
		if err == nil && decode(text, span{0, len(text)}, nil, f.shape, fits) == nil {
			f.make(v).Set(fits)
		}
	case present:
		value.SetZero()
	}
}

// set sets a field, which JSON does not have so far, to what JSON says, unless that does not fit.
func (f *member) set(v reflect.Value, text []byte) {
	value := f.make(v)
	value.SetZero()
	if decode(text, span{0, len(text)}, nil, f.shape, value) != nil {
		value.SetZero()
	}
}

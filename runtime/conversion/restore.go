package conversion

import (
	"encoding/json"
	"reflect"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// carryOut carries a change out on a struct, if what it leads to is still what it was. What stood in a part that is gone is gone
// with it, and what does not fit the type is dropped.
func (c change) carryOut(s *wire.Shape, v reflect.Value, at []step, schema Schema) {
	name := at[0].name
	i, ok := s.Index[name]
	if !ok {
		return
	}
	f := &s.Fields[i]
	value, present := f.Present(v)
	if below := f.Shape.Structs(value, present); below.IsValid() && len(at) > 1 {
		c.carryOut(f.Shape.Target(), below, at[1:], schema.member(name))
		return
	}
	if c.Was == "" && len(at) == 1 && c.Around == nil {
		if !present && c.Is != nil {
			f.Set(v, c.Is)
		}
		return
	}
	object := map[string]any{}
	if present {
		live, err := decodedField(f, value, present)
		if err != nil {
			return
		}
		object[name] = live
	}
	c.apply(object, at, schema)
	restored, ok := object[name]
	switch {
	case ok:
		text, err := json.Marshal(restored)
		fits := reflect.New(f.Shape.Typ).Elem()
		if err == nil && wire.Decode(text, wire.Whole(text), nil, f.Shape, fits) == nil {
			f.Make(v).Set(fits)
		}
	case present:
		value.SetZero()
	}
}

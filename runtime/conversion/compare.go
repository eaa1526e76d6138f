// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"reflect"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// structs compares two structs of a shape. Most structs are mostly equal. Only fields that differ, and are not structs
// again, are written in JSON and compared there.
func (c *comparison) structs(at []step, s *wire.Shape, base, want reflect.Value, schema Schema) error {
	for i := range s.Fields {
		f := &s.Fields[i]
		below := schema.member(f.Name)
		if below.Dropped {
			continue
		}
		b, hasBase := f.Present(base)
		w, hasWant := f.Present(want)
		if hasBase == hasWant && (!hasBase || f.Shape.Equal(b, w)) {
			continue
		}
		here := append(at, step{name: f.Name, scattered: below.Scattered})
		var err error
		switch inner, is := f.Shape.Structs(b, hasBase), f.Shape.Structs(w, hasWant); {
		case inner.IsValid() && is.IsValid():
			err = c.structs(here, f.Shape.Target(), inner, is, below)
		case !hasBase && below.isEmpty():
			err = c.add(here, f.Shape, w)
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
func (c *comparison) add(at []step, s *wire.Shape, want reflect.Value) error {
	c.begin(at)
	c.list.key("is")
	c.list.value(s, want)
	return c.end(toMake(at))
}

// fields compares two values of a field in JSON.
func (c *comparison) fields(at []step, f *wire.Member, base reflect.Value, hasBase bool, want reflect.Value, hasWant bool, schema Schema) error {
	b, err := decodedField(f, base, hasBase)
	if err != nil {
		return err
	}
	w, err := decodedField(f, want, hasWant)
	if err != nil {
		return err
	}
	return c.values(at, b, w, schema)
}

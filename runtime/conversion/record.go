// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// change is one difference between two values of a type.
type change struct {
	// At is the path of the value.
	At []step
	// Was is the digest of the value that is changed. It is empty if there was no value.
	Was string
	// Is is the new value. It is nil if the value is removed. A null is a value.
	Is json.RawMessage
	// Index is where an element is inserted. With Around, it is the index of the list's one element, or -1 if the list
	// had no such element.
	Index int
	// Around is the step to the one element of a list around which Is has the other elements.
	Around *step
	// Each are the digests of the elements of a list without keys, before the change. Is has as many elements.
	Each []uint64
	// Order are the steps to the elements of a list in their order, which the other version does not have.
	Order []step
	// Custom means that a function of the user converts the value, or a part of it.
	Custom bool
}

// holds reports whether a value is the one that is changed.
func (c change) holds(value any) bool {
	if c.Was == "" || value == (absent{}) {
		return c.Was == "" && value == (absent{})
	}
	d, err := digest(value)
	return err == nil && d == c.Was
}

// comparison writes the changes from one value to another, or collects them. Its methods must not keep the path of a
// value after they return.
type comparison struct {
	work     *work
	hooks    *plan // nil without any
	collects bool
	found    []change
	inside   bool    // whether the compared structs are in elements of lists
	list     encoder // the changes, as encoder.next writes them but for the bracket at the end
	value    encoder // one value
	texts    []byte  // the values of a field
	changes  int
	paths    int // bytes of paths, or of their steps
	lost     int // changes for which there is no room
}

// maxPaths is how many bytes of paths are written for one object. An annotation has room for far less.
const maxPaths = 4 << 20

// json returns a value as text.
func (c *comparison) json(value any) []byte {
	text, err := json.Marshal(value)
	c.work.fail(err)
	return text
}

// record writes or collects a change of the value at a path. The new value may be nil if the schema does not describe
// its content.
func (c *comparison) record(at []step, found change, value any) {
	c.changes++
	found.At, found.Custom = at, c.hooks != nil && c.hooks.hasHook(at, value)
	switch {
	case c.paths > maxPaths:
		c.lost++
	case c.collects:
		found.At, found.Is = slices.Clone(at), slices.Clone(found.Is)
		c.found = append(c.found, found)
		c.paths += len(at) * len("a usual name")
	default:
		before := len(c.list.out)
		c.list.next(found)
		c.paths += len(c.list.out) - before - len(found.Is)
	}
	c.work.fail(c.list.err)
}

// add records a value that has to be added.
func (c *comparison) add(at []step, s *wire.Shape, want reflect.Value) {
	c.value.out = c.value.out[:0]
	c.value.value(s, want)
	c.work.fail(c.value.err)
	c.record(at, change{Is: c.value.out}, nil)
}

// text returns the list of changes. There must be at least one.
func (c *comparison) text() []byte { return append(c.list.out, ']') }

// next writes a change behind others, as an object without empty members.
func (e *encoder) next(c change) {
	if len(e.out) == 0 {
		e.out = append(e.out, '[')
	}
	e.comma()
	e.out = append(e.out, `{"at":`...)
	e.steps(c.At)
	if c.Was != "" {
		e.text("was", c.Was)
	}
	if c.Is != nil {
		e.member("is", c.Is)
	}
	if c.Index != 0 {
		e.key("index")
		e.out = strconv.AppendInt(e.out, int64(c.Index), 10)
	}
	if c.Around != nil {
		e.key("around")
		e.keys(*c.Around)
	}
	if c.Each != nil {
		e.key("each")
		e.out = append(e.out, '[')
		for _, sum := range c.Each {
			e.comma()
			e.out = append(appendSum(append(e.out, '"'), sum), '"')
		}
		e.out = append(e.out, ']')
	}
	if c.Order != nil {
		e.key("order")
		e.out = append(e.out, '[')
		for _, key := range c.Order {
			e.comma()
			e.keys(key)
		}
		e.out = append(e.out, ']')
	}
	if c.Custom {
		e.member("custom", []byte("true"))
	}
	e.out = append(e.out, '}')
}

// steps writes a path.
func (e *encoder) steps(at []step) {
	e.out = append(e.out, '[')
	for _, s := range at {
		e.comma()
		if s.keys == nil {
			e.out = wire.AppendText(e.out, s.name)
		} else {
			e.keys(s)
		}
	}
	e.out = append(e.out, ']')
}

// keys writes the keys of a step.
func (e *encoder) keys(s step) {
	e.out = append(e.out, '{')
	for i, key := range s.keys {
		e.key(key)
		if text, ok := s.values[i].(string); ok {
			before := len(e.out)
			e.out = wire.AppendText(e.out, text)
			if !bytes.ContainsAny(e.out[before:], `<>&\`) {
				continue
			}
			e.out = e.out[:before]
		}
		e.json(s.values[i])
	}
	e.out = append(e.out, '}')
}

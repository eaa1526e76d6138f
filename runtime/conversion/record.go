// SPDX-License-Identifier: Apache-2.0

package conversion

import (
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
	// On are the values of the converted object on which the change depends, as dependences writes them.
	On json.RawMessage
}

// holds reports whether a value is the one that is changed.
func (c change) holds(value any) bool {
	if c.Was == "" || value == (absent{}) {
		return c.Was == "" && value == (absent{})
	}
	d, err := digest(value)
	return err == nil && d == c.Was
}

// comparison writes the changes from one value to another, as a list of objects without empty members.
//
// Its methods must not keep the path of a value after they return.
type comparison struct {
	work    work
	list    encoder // without the bracket at its end
	changes int
	paths   int // bytes of paths in the list
	lost    int // changes for which the list has no room
}

// maxPaths is how many bytes of paths are written for one object. An annotation has room for far less.
const maxPaths = 4 << 20

func (c *comparison) any() bool { return c.changes > 0 }

// text returns the list of changes. There must be at least one.
func (c *comparison) text() []byte { return append(c.list.out, ']') }

// complete writes the changes again, completed by a function, if this adds anything.
func (c *comparison) complete(l layout, with func([]change) error) error {
	changes := readChanges(c.text(), l)
	if err := with(changes); err != nil {
		return err
	}
	if !slices.ContainsFunc(changes, func(c change) bool { return c.On != nil }) {
		return nil
	}
	*c = comparison{work: c.work}
	for _, found := range changes {
		if err := c.record(found); err != nil {
			return err
		}
	}
	return nil
}

// begin begins a change of the value at a path. It returns false if there are more paths than an annotation could have.
func (c *comparison) begin(at []step) bool {
	c.changes++
	if c.paths > maxPaths {
		c.lost++
		return false
	}
	before := len(c.list.out)
	if before > 0 {
		c.list.out = append(c.list.out, ',')
	} else {
		c.list.out = append(c.list.out, '[')
	}
	c.list.out = append(c.list.out, `{"at":`...)
	c.list.steps(at)
	c.paths += len(c.list.out) - before
	return true
}

// steps writes a path.
func (e *encoder) steps(at []step) {
	e.out = append(e.out, '[')
	for i, s := range at {
		if i > 0 {
			e.out = append(e.out, ',')
		}
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
		e.json(s.values[i])
	}
	e.out = append(e.out, '}')
}

// end ends a change of the value at a path. It writes how many scattered objects right around the value are made if
// they are missing, for earlier versions of this package.
func (c *comparison) end(at []step) error {
	objects := 0
	for _, s := range slices.Backward(at[:len(at)-1]) {
		if !s.scattered {
			break
		}
		objects++
	}
	if objects > 0 {
		c.list.key("make")
		c.list.out = strconv.AppendInt(c.list.out, int64(objects), 10)
	}
	c.list.out = append(c.list.out, '}')
	return c.list.err
}

// add records a value that has to be added.
func (c *comparison) add(at []step, s *wire.Shape, want reflect.Value) error {
	if !c.begin(at) {
		return nil
	}
	c.list.key("is")
	c.list.value(s, want)
	return c.end(at)
}

// record writes a change.
func (c *comparison) record(found change) error {
	if !c.begin(found.At) {
		return nil
	}
	if found.Was != "" {
		c.list.key("was")
		c.list.out = wire.AppendText(c.list.out, found.Was)
	}
	if found.Is != nil {
		c.list.key("is")
		c.list.out = append(c.list.out, found.Is...)
	}
	if found.Index != 0 {
		c.list.key("index")
		c.list.out = strconv.AppendInt(c.list.out, int64(found.Index), 10)
	}
	if found.Around != nil {
		c.list.key("around")
		c.list.keys(*found.Around)
	}
	if found.On != nil {
		c.list.key("on")
		c.list.out = append(c.list.out, found.On...)
	}
	return c.end(found.At)
}

// readChange reads a change that comparison.record has written, or how many values were left out in its place. A change
// without a path is none: the text is from somebody else, or of a type that had other fields. The steps of the path are
// appended to the given steps.
func readChange(text []byte, steps []step, l layout, names *wire.Texts) (c change, cut int, _ []step) {
	first, around, fits := len(steps), false, true
	for m := range entries(text) {
		switch {
		case m.is("at") && fits && len(steps) == first:
			steps, fits = readPath(m.value, steps, l, names)
		case m.is("was"):
			c.Was, _ = stringOf(m.value)
		case m.is("is"):
			c.Is = m.value
		case m.is("index"):
			c.Index, _ = strconv.Atoi(string(m.value))
		case m.is("around"):
			around = true
		case m.is("on"):
			c.On = m.value
		case m.is("cut"):
			cut, _ = strconv.Atoi(string(m.value))
		}
	}
	c.At = steps[first:]
	if p := l.plan.at(c.At); around && p.One != nil {
		c.Around = &p.one
	} else if around {
		c.At = nil
	}
	return c, cut, steps
}

// readChanges reads the changes that a comparison has written.
func readChanges(list []byte, l layout) (changes []change) {
	for text := range elements(list) {
		if c, _, _ := readChange(text, nil, l, nil); len(c.At) > 0 {
			changes = append(changes, c)
		}
	}
	return changes
}

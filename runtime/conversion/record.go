// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// comparison writes the changes from one value to another, as a list of objects without empty members.
//
// Its methods must not keep the path of a value after they return.
type comparison struct {
	list    encoder // without the bracket at its end
	changes int
}

func (c *comparison) any() bool { return c.changes > 0 }

// text returns the list of changes. There must be at least one.
func (c *comparison) text() []byte { return append(c.list.out, ']') }

// complete writes the changes again, completed by a function, if this adds anything.
func (c *comparison) complete(with func([]change) error) error {
	changes := readChanges(c.text())
	if err := with(changes); err != nil {
		return err
	}
	if !slices.ContainsFunc(changes, func(c change) bool { return c.On != nil }) {
		return nil
	}
	*c = comparison{}
	for _, found := range changes {
		if err := c.record(found); err != nil {
			return err
		}
	}
	return nil
}

// begin begins a change of the value at a path.
func (c *comparison) begin(at []step) {
	if c.any() {
		c.list.out = append(c.list.out, ',')
	} else {
		c.list.out = append(c.list.out, '[')
	}
	c.changes++
	c.list.out = append(c.list.out, `{"at":`...)
	c.list.steps(at)
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
			e.json(s.keys)
		}
	}
	e.out = append(e.out, ']')
}

// end ends a change. The argument make is how many objects right around the value may have to be made.
func (c *comparison) end(make int) error {
	if make != 0 {
		c.list.key("make")
		c.list.out = strconv.AppendInt(c.list.out, int64(make), 10)
	}
	c.list.out = append(c.list.out, '}')
	return c.list.err
}

// record writes a change.
func (c *comparison) record(found change) error {
	c.begin(found.At)
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
		c.list.json(found.Around)
	}
	if found.On != nil {
		c.list.dependences(found.On)
	}
	return c.end(found.Make)
}

// readChange reads a change that comparison.record has written. Text from somebody else may not be a change. The steps
// of the path are appended to the given steps.
func readChange(text []byte, steps []step, names *wire.Texts) (c change, _ []step) {
	for m := range entries(text) {
		switch {
		case m.is("at"):
			first := len(steps)
			for s := range elements(m.value) {
				steps = append(steps, readStep(s, names))
			}
			c.At = steps[first:]
		case m.is("was"):
			c.Was, _ = stringOf(m.value)
		case m.is("is"):
			c.Is = m.value
		case m.is("index"):
			c.Index, _ = strconv.Atoi(string(m.value))
		case m.is("around"):
			_ = json.Unmarshal(m.value, &c.Around)
		case m.is("on"):
			c.On = readDependences(m.value, names)
		case m.is("make"):
			c.Make, _ = strconv.Atoi(string(m.value))
		case m.is("cut"):
			c.Cut, _ = strconv.Atoi(string(m.value))
		}
	}
	return c, steps
}

// readStep reads a step. Any other value becomes an empty step, which leads nowhere.
func readStep(raw []byte, names *wire.Texts) (s step) {
	switch raw[0] {
	case '{':
		keys, _ := parsed(raw)
		s.keys, _ = keys.(map[string]any)
	case '"':
		s.name = names.Of(wire.Text(raw, wire.Whole(raw)))
	}
	return s
}

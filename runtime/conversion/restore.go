// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"context"
	"encoding/json"
	"reflect"
	"regexp"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// restoring applies kept changes to one object, each once, in time that grows with the size of the object and of the
// changes.
type restoring struct {
	ctx context.Context
	// applied counts the changes that were applied.
	applied int
	// undo are the fields that were set, with their earlier values, in order.
	undo []restored
	// undone restore the metadata.
	undone []func()
	// err is the reason why the work ended early.
	err error
	// unlimited means that the markers of types are ignored.
	unlimited bool
	patterns  map[string]*regexp.Regexp
}

// restored is a field that a change has set.
type restored struct{ field, was reflect.Value }

// rollback restores the object to its state before the changes.
func (r *restoring) rollback() {
	for i := len(r.undo) - 1; i >= 0; i-- {
		r.undo[i].field.Set(r.undo[i].was)
	}
	for _, undo := range r.undone {
		undo()
	}
	r.undo, r.undone = nil, nil
}

// remember notes the value of a field before it is set.
func (r *restoring) remember(f *wire.Member, v reflect.Value) {
	field, ok := f.In(v)
	if !ok { // the field is behind a nil embedded pointer, which will be set
		field = f.Root(v)
	}
	was := reflect.New(field.Type()).Elem()
	was.Set(field)
	r.undo = append(r.undo, restored{field, was})
}

// over reports whether nobody waits for the object any more.
func (r *restoring) over() bool {
	if r.err == nil {
		r.err = context.Cause(r.ctx)
	}
	return r.err != nil
}

// fields applies the changes below a struct. It drops changes within a part that the object no longer has, and values
// that do not fit the type or break the type's markers.
func (r *restoring) fields(s *wire.Shape, v reflect.Value, n *node, schema Schema) {
	for _, child := range n.below {
		i, ok := s.Index[child.step.name]
		if !ok || child.step.keys != nil || r.over() {
			continue
		}
		f := &s.Fields[i]
		below := schema.member(child.step.name)
		value, present := f.Present(v)
		c := child.leaf
		if c == nil {
			if inner := f.Shape.Structs(value, present); inner.IsValid() {
				r.fields(f.Shape.Target(), inner, child, below)
				continue
			}
		}
		if c == nil || c.Was != "" || c.Around != nil {
			r.field(f, v, value, present, child, below)
			continue
		}
		if present || c.Is == nil || !r.allows(below, c.Is) {
			continue
		}
		fits := reflect.New(f.Shape.Typ).Elem()
		if wire.Decode(c.Is, wire.Whole(c.Is), nil, f.Shape, fits) == nil {
			r.remember(f, v)
			f.Make(v).Set(fits)
			r.applied++
		}
	}
}

// field applies the changes of a field that is missing or not a struct. It uses JSON for this: the field is written and
// read once.
func (r *restoring) field(f *wire.Member, v, value reflect.Value, present bool, n *node, schema Schema) {
	object := map[string]any{}
	if present {
		live, err := decodedField(f, value, present)
		if err != nil {
			return
		}
		object[f.Name] = live
	}
	before := r.applied
	r.member(object, f.Shape, n, schema, 0)
	if r.applied == before || r.err != nil {
		return
	}
	restored, ok := object[f.Name]
	if !ok {
		if present {
			r.remember(f, v)
			value.SetZero()
		}
		return
	}
	text, err := json.Marshal(restored)
	fits := reflect.New(f.Shape.Typ).Elem()
	if err == nil && wire.Decode(text, wire.Whole(text), nil, f.Shape, fits) == nil {
		r.remember(f, v)
		f.Make(v).Set(fits)
	}
}

// below applies the changes below an object or list of JSON, and returns the result. The shape is nil if there is no Go
// type. The argument made counts the objects right around it that had to be made.
func (r *restoring) below(live any, s *wire.Shape, n *node, schema Schema, made int) any {
	switch live := live.(type) {
	case map[string]any:
		for _, child := range n.below {
			if child.step.keys != nil || r.over() {
				continue
			}
			below, ok := memberShape(s, child.step.name)
			if !ok {
				continue
			}
			r.member(live, below, child, schema.member(child.step.name), made)
		}
	case []any:
		return r.elements(live, s, n, schema)
	}
	return live
}

// member applies the changes of an object's member and below it. If the member itself has a change, only this change is
// applied, unless it puts elements around an element.
func (r *restoring) member(object map[string]any, s *wire.Shape, n *node, schema Schema, made int) {
	name := n.step.name
	value := memberOf(object, name)
	if c := n.leaf; c != nil && c.Around != nil && c.Make >= made {
		if !r.allowsElements(schema, c.Is) || !fits(s, c.Is) {
			return
		}
		if list, ok := c.surround(value).([]any); ok && r.allowsLength(schema, len(list)) {
			object[name], value = list, list
			r.applied++
		}
	} else if c != nil {
		switch {
		case c.Make < made || !c.holds(value):
		case c.Is == nil:
			delete(object, name)
			r.applied++
		case r.allows(schema, c.Is) && fits(s, c.Is):
			object[name] = c.Is
			r.applied++
		}
		return
	}
	switch {
	case len(n.below) == 0:
	case value == (absent{}):
		if made := r.below(map[string]any{}, s, n, schema, made+1).(map[string]any); len(made) > 0 {
			object[name] = made
		}
	default:
		object[name] = r.below(value, s, n, schema, 0)
	}
}

// elements applies the changes of a list's elements and below them. At most one node changes an element. A change whose
// keys match several elements is skipped, unless the schema has One.
func (r *restoring) elements(list []any, s *wire.Shape, n *node, schema Schema) []any {
	element, ok := elementShape(s)
	if !ok {
		return list
	}
	var (
		tables  []*table
		taken   = make(map[int]bool, len(n.below))
		removed = make(map[int]bool)
		added   []*change
	)
	for _, child := range n.below {
		if child.step.keys == nil || r.over() {
			continue
		}
		t := tableFor(&tables, list, child.step.keys)
		if t == nil {
			continue
		}
		i, several := t.find(child.step.keys)
		if i >= 0 && (taken[i] || several && schema.One == nil) {
			continue
		}
		c := child.leaf
		switch {
		case i >= 0:
			taken[i] = true
			switch {
			case c == nil:
				list[i] = r.below(list[i], element, child, schema.element(), 0)
			case c.Was == "" || !c.holds(list[i]):
			case c.Is == nil:
				removed[i] = true
			case r.allows(schema.element(), c.Is) && fits(element, c.Is):
				list[i] = c.Is
				r.applied++
			}
		case c != nil && c.Was == "" && c.Is != nil && r.allows(schema.element(), c.Is) && fits(element, c.Is):
			added = append(added, c)
		}
	}
	if len(removed)+len(added) == 0 {
		return list
	}
	merged := make([]any, 0, len(list)+len(added))
	next := 0
	take := func(until int) {
		for ; next < len(list) && len(merged) < until; next++ {
			if !removed[next] {
				merged = append(merged, list[next])
			}
		}
	}
	for _, c := range added {
		take(c.Index)
		merged = append(merged, c.Is)
	}
	take(len(list) + len(added))
	if !r.allowsLength(schema, len(merged)) {
		return list
	}
	r.applied += len(removed) + len(added)
	return merged
}

// fits reports whether a value can be decoded into the type of a shape.
func fits(s *wire.Shape, text json.RawMessage) bool {
	return len(text) > 0 && (s == nil || wire.Decode(text, wire.Whole(text), nil, s, reflect.New(s.Typ).Elem()) == nil)
}

// memberShape returns the shape of an object's member: nil if there is no Go type, and false if the type lacks the
// member.
func memberShape(s *wire.Shape, name string) (*wire.Shape, bool) {
	if s == nil {
		return nil, true
	}
	switch s = s.Target(); s.Kind {
	case wire.Structure:
		i, ok := s.Index[name]
		if !ok {
			return nil, false
		}
		return s.Fields[i].Shape, true
	case wire.Dict:
		return s.Elem, true
	case wire.Self, wire.Opaque, wire.Dynamic:
		return nil, true
	}
	return nil, false
}

// elementShape is memberShape for the elements of a list.
func elementShape(s *wire.Shape) (*wire.Shape, bool) {
	if s == nil {
		return nil, true
	}
	switch s = s.Target(); s.Kind {
	case wire.List:
		return s.Elem, true
	case wire.Self, wire.Opaque, wire.Dynamic:
		return nil, true
	}
	return nil, false
}

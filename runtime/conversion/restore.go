// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// restoring applies kept changes to one object, each once. The work ends when it is spent or the caller has gone.
type restoring struct {
	work *work
	// applied counts the changes that were applied.
	applied int
	// undo restores earlier values, in order.
	undo []func()
	// unlimited means that the markers of types are ignored.
	unlimited bool
	// lacks reports whether the source object lacks the struct at the path of the place; nil if that is unknown.
	lacks func(path []string) bool
	at    []string
	// gone is set below a struct that the object lacks.
	gone bool
}

// rollback restores the object to its state before the changes.
func (r *restoring) rollback() {
	for _, undo := range slices.Backward(r.undo) {
		undo()
	}
	r.undo = nil
}

// set sets a field of a struct, or unsets it if the value is invalid.
func (r *restoring) set(f *wire.Member, v, value reflect.Value) {
	field, ok := f.In(v)
	if !ok { // the field is behind a nil embedded pointer, which will be set
		field = f.Root(v)
	}
	was := reflect.New(field.Type()).Elem()
	was.Set(field)
	r.undo = append(r.undo, func() { field.Set(was) })
	if value.IsValid() {
		f.Make(v).Set(value)
	} else {
		field.SetZero()
	}
}

// fields applies the changes below a struct. It drops changes within a part that the object no longer has, and values
// that do not fit the type or break the type's markers.
func (r *restoring) fields(v reflect.Value, n *node) {
	s := n.shape.Target()
	for _, child := range n.below {
		i, ok := s.Index[child.step.name]
		if !ok || !r.work.take(len(child.step.name)) {
			continue
		}
		f := &s.Fields[i]
		value, present := f.Present(v)
		if child.adds() && present && !value.IsZero() && r.work.take(len(child.leaf.Is)) {
			child = child.spread() // the conversion has made the struct, for members that the other version has
		}
		c := child.leaf
		if inner := f.Shape.Structs(value, present); c == nil && inner.IsValid() {
			r.at = append(r.at, f.Name)
			around := r.gone
			r.gone = around || r.isGone(f)
			r.fields(inner, child)
			r.gone = around
			r.at = r.at[:len(r.at)-1]
		} else if !child.adds() {
			r.field(f, v, value, present, child)
		} else if r.gone {
			continue
		} else if text := r.allowed(child, c.Is); text != nil && r.read(f, v, text) { // in place of a zero, if any
			r.applied++
		}
	}
}

// isGone reports whether the object lacks a struct that Go writes even if it is missing. Values that the annotation
// keeps for its members go with it, even if the conversion sets other members: a negated bool is true without a struct.
// Members that are missing there stay missing.
func (r *restoring) isGone(f *wire.Member) bool {
	return r.lacks != nil && f.MayBeMissing() && r.lacks(r.at)
}

// read sets a field of a struct to a value in JSON, and reports whether it fits.
func (r *restoring) read(f *wire.Member, v reflect.Value, text []byte) bool {
	value := reflect.New(f.Shape.Typ).Elem()
	if wire.Decode(text, wire.Whole(text), nil, f.Shape, value) != nil {
		return false
	}
	r.set(f, v, value)
	return true
}

// field applies the changes of a field that is missing or not a struct. It uses JSON for this: the field is written and
// read once.
func (r *restoring) field(f *wire.Member, v, value reflect.Value, present bool, n *node) {
	before := r.applied
	restored := r.value(decodedField(f, value, present, r.work), n)
	if r.applied == before || r.work.err != nil {
		return
	}
	if restored == (absent{}) {
		if present {
			r.set(f, v, reflect.Value{})
		}
	} else if text, err := json.Marshal(restored); err == nil && r.work.take(len(text)) {
		r.read(f, v, text)
	}
}

// value applies the change of a value in JSON, or the changes below it, and returns the result. Elements around the one
// element of a list go together with changes below. A missing object is made if it is scattered.
func (r *restoring) value(live any, n *node) any {
	c := n.leaf
	switch {
	case c == nil:
	case r.gone && (c.Is != nil || c.Order != nil):
		return live
	case c.Around != nil:
		live = r.surround(live, n)
	case c.Order != nil:
		live = r.reorder(live, c)
	case c.Each != nil:
		return r.each(live, n)
	case !c.holds(live) && !(n.adds() && isZero(live, n.shape, r.work)):
		if !n.adds() || !r.work.take(len(c.Is)) {
			return live
		}
		n = n.spread()
	case c.Is == nil:
		r.applied++
		return absent{}
	default:
		if text := r.fitting(n, c.Is); text != nil {
			r.applied++
			return text
		}
		return live
	}
	switch object := live.(type) {
	case map[string]any:
		r.members(object, n)
	case []any:
		return r.elements(object, n)
	case absent:
		if made := map[string]any{}; n.plan.Scattered {
			if r.members(made, n); len(made) > 0 {
				return made
			}
		}
	}
	return live
}

// adds reports whether a node has a change that adds a value where there was none.
func (n *node) adds() bool {
	c := n.leaf
	return c != nil && c.Was == "" && c.Is != nil && c.Around == nil && c.Order == nil
}

// isZero reports whether a value in JSON is the zero of its Go type, and not that of a pointer.
func isZero(live any, s *wire.Shape, w *work) bool {
	return s != nil && s.Kind != wire.Pointer && isUnset(live, s, w)
}

// members applies the changes below an object.
func (r *restoring) members(object map[string]any, n *node) {
	for _, child := range n.below {
		if child.step.keys != nil || !r.work.take(len(child.step.name)) {
			continue
		}
		if value := r.value(memberOf(object, child.step.name), child); value == (absent{}) {
			delete(object, child.step.name)
		} else {
			object[child.step.name] = value
		}
	}
}

// elements applies the changes of a list's elements and below them. At most one node changes an element. A change whose
// keys match several elements is skipped.
func (r *restoring) elements(list []any, n *node) []any {
	var (
		found   tables
		taken   = make(map[int]bool, len(n.below))
		removed = make(map[int]bool)
		added   []*change
	)
	for _, child := range n.below {
		if child.step.keys == nil || !r.work.take(0) {
			continue
		}
		i, several := found.find(list, child.step, r.work)
		if i >= 0 && (taken[i] || several && n.plan.One == nil) {
			continue
		}
		c := child.leaf
		switch {
		case i >= 0:
			taken[i] = true
			if value := r.value(list[i], child); value == (absent{}) {
				removed[i] = true
			} else {
				list[i] = value
			}
		case c != nil && c.Was == "" && c.Is != nil:
			if text := r.fitting(child, c.Is); text != nil {
				added = append(added, &change{Is: text, Index: c.Index})
			}
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
	if !r.allowsLength(n.plan, len(merged)) {
		r.applied -= len(removed)
		return list
	}
	r.applied += len(added)
	return merged
}

// surround puts the kept elements of a list around its one element. If the list no longer has this element, no other
// element takes its place.
func (r *restoring) surround(live any, n *node) any {
	c, list, others := n.leaf, []any(nil), []any(nil)
	if kept, err := parsed(c.Is); err == nil {
		others, _ = kept.([]any)
	}
	list, _ = live.([]any)
	forbidden := func(e any) bool { return !r.allowsValue(n.plan.elements, e) }
	if others == nil || !r.work.take(len(c.Is)+len(list)*tableCost) || slices.ContainsFunc(others, forbidden) || !fits(n.shape, c.Is) {
		return live
	}
	isOne := c.Around.leadsTo
	i, j := slices.IndexFunc(list, isOne), c.Index
	switch {
	case i < 0 && c.Index >= 0:
		others = slices.DeleteFunc(others, isOne)
	case i >= 0 && c.Index < 0:
		if j = slices.IndexFunc(others, isOne); j >= 0 {
			others = slices.Delete(others, j, j+1)
		} else {
			j = len(others)
		}
	}
	if i >= 0 {
		others = slices.Insert(others, min(j, len(others)), list[i])
	}
	if len(others) == 0 || !r.allowsLength(n.plan, len(others)) {
		return live
	}
	r.applied++
	return others
}

// each puts kept elements in place of the elements of a list without keys that are as the conversion made them. Equal
// elements are interchangeable. If some of them were removed, and the kept ones differ, none is restored.
func (r *restoring) each(live any, n *node) any {
	list, ok := live.([]any)
	if !ok || !r.work.take(len(n.leaf.Is)+(len(list)+len(n.leaf.Each))*tableCost) {
		return live
	}
	kept, found := map[string][]json.RawMessage{}, map[string][]int{}
	left := n.leaf.Each
	for e := range elements(n.leaf.Is) {
		if len(left) > 0 {
			kept[left[0]], left = append(kept[left[0]], e.value), left[1:]
		}
	}
	for i, e := range list {
		if was, err := digest(e); err == nil && kept[was] != nil {
			found[was] = append(found[was], i)
		}
	}
	element, restored := n.child(step{keys: []string{}}), false
	for was, at := range found {
		all := kept[was]
		differs := func(e json.RawMessage) bool { return !bytes.Equal(e, all[0]) }
		if len(at) < len(all) && slices.ContainsFunc(all, differs) {
			continue
		}
		for i := range min(len(at), len(all)) {
			if text := r.fitting(element, all[i]); text != nil {
				list[at[i]], restored = text, true
			}
		}
	}
	if restored {
		r.applied++
	}
	return list
}

// fitting returns a value in JSON as it can be restored at a place: without the members that markers refuse, and nil if
// the rest cannot be decoded.
func (r *restoring) fitting(n *node, text json.RawMessage) json.RawMessage {
	if !r.work.take(len(text)) {
		return nil
	}
	if text = r.allowed(n, text); text == nil || !fits(n.shape, text) {
		return nil
	}
	return text
}

// reorder puts the elements of a list in the order that they had. Other elements follow.
func (r *restoring) reorder(live any, c *change) any {
	list, ok := live.([]any)
	if !ok || !r.work.take((len(list)+len(c.Order))*tableCost) {
		return live
	}
	rank := make(map[string]int, len(c.Order))
	for i, key := range c.Order {
		rank[keyText(key.values)] = i
	}
	rankOf := func(e any) int {
		if i, ok := rank[keyText(c.Order[0].to(e).values)]; ok {
			return i
		}
		return len(rank)
	}
	byRank := func(a, b any) int { return rankOf(a) - rankOf(b) }
	if !slices.IsSortedFunc(list, byRank) {
		slices.SortStableFunc(list, byRank)
		r.applied++
	}
	return list
}

// fits reports whether a value can be decoded into the type of a shape.
func fits(s *wire.Shape, text json.RawMessage) bool {
	return len(text) > 0 && (s == nil || wire.Decode(text, wire.Whole(text), nil, s, reflect.New(s.Typ).Elem()) == nil)
}

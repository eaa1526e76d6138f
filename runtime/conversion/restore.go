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
	work  *work
	texts *wire.Texts // short texts to be used again
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
	gone    bool
	encoded encoder // a value
	text    []byte  // the same, as canonical writes it
	// inside is set in the elements of a list that is a copy.
	inside bool
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
	if !r.inside || f.IsEmbedded() { // the list around an element is a copy
		was := reflect.New(field.Type()).Elem()
		was.Set(field)
		r.undo = append(r.undo, func() { field.Set(was) })
	}
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
		value, present := present(f, v, r.inside)
		if child.adds() && present && !value.IsZero() && r.work.take(len(child.leaf.Is)) {
			child = child.spread() // the conversion has made the struct, for members that the other version has
		}
		c := child.leaf
		if inner := f.Shape.Structs(value, present); c == nil && inner.IsValid() {
			r.at = append(r.at, f.Name)
			around := r.gone
			r.gone = around || r.isGone(f)
			r.fields(r.own(f, value, inner), child)
			r.gone = around
			r.at = r.at[:len(r.at)-1]
		} else if present && (r.keyed(f, v, value, child) || r.eachOf(f, v, value, child)) {
			continue
		} else if !child.adds() {
			r.field(f, v, value, present, child)
		} else if r.gone {
			continue
		} else if text := r.allowed(child.plan, child.shape, c.Is); text != nil && r.read(f, v, text) { // in place of a zero, if any
			r.applied++
		}
	}
}

// isGone reports whether the object lacks a struct that Go writes even if it is missing. Values that the annotation
// keeps for its members go with it, even if the conversion sets other members: a negated bool is true without a struct.
// Members that are missing there stay missing.
func (r *restoring) isGone(f *wire.Member) bool {
	return !r.inside && r.lacks != nil && f.MayBeMissing() && r.lacks(r.at)
}

// read sets a field of a struct to a value in JSON, and reports whether it fits.
func (r *restoring) read(f *wire.Member, v reflect.Value, text []byte) bool {
	value := reflect.New(f.Shape.Typ).Elem()
	if wire.Decode(text, wire.Whole(text), r.texts, f.Shape, value) != nil {
		return false
	}
	r.set(f, v, value)
	return true
}

// field applies the changes of a field that is missing or not a struct. It uses JSON for this: the field is written and
// read once.
func (r *restoring) field(f *wire.Member, v, value reflect.Value, present bool, n *node) {
	before := r.applied
	if c := n.leaf; present && c != nil && c.Was != "" && c.Around == nil && c.Order == nil && c.Each == nil {
		switch {
		case r.gone && c.Is != nil || !bytes.Equal(appendSum(nil, r.sum(f, value)), []byte(c.Was)) || r.work.err != nil:
		case c.Is == nil:
			r.applied++
			r.set(f, v, reflect.Value{})
		case r.work.take(len(c.Is)):
			if text := r.allowed(n.plan, n.shape, c.Is); text != nil && r.read(f, v, text) {
				r.applied++
			}
		}
		return
	}
	restored := r.value(decodedField(f, value, present, r.inside, r.work), n)
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

// sum returns the number of a value's digest. A value that cannot be written ends the work.
func (r *restoring) sum(f *wire.Member, v reflect.Value) uint64 {
	r.encoded.out = r.encoded.out[:0]
	r.encoded.valueOf(f, v, r.inside)
	if r.work.fail(r.encoded.err); !r.work.take(len(r.encoded.out)) {
		return 0
	}
	r.text = canonical(r.text[:0], r.encoded.out)
	return sumOf(r.text)
}

// own returns the struct in a field, and makes the copy of an element have a struct of its own.
func (r *restoring) own(f *wire.Member, value, inner reflect.Value) reflect.Value {
	if !r.inside || f.Shape.Kind != wire.Pointer {
		return inner
	}
	copied := reflect.New(f.Shape.Typ.Elem())
	copied.Elem().Set(value.Elem())
	value.Set(copied)
	return f.Shape.Structs(value, true)
}

// keyed applies the changes of a list's elements and below them, as elements does. It returns false for other values.
func (r *restoring) keyed(f *wire.Member, v, value reflect.Value, n *node) bool {
	list, ok := keyedOf(f.Shape, value, n.plan)
	otherKeys := func(c *node) bool { return !slices.Equal(c.step.keys, n.plan.key.keys) }
	if !ok || n.leaf != nil || slices.ContainsFunc(n.below, otherKeys) {
		return false
	}
	length := list.list.Len()
	if !r.work.take(length * (len(list.keys) + 1) * tableCost) {
		return true
	}
	before, found := r.applied, list.table()
	copied := reflect.MakeSlice(list.list.Type(), length, length)
	reflect.Copy(copied, list.list)
	m := merging{length: length}
	for _, child := range n.below {
		if !r.work.take(0) {
			return true
		}
		i, several := found.at(list.textIn(child.step))
		switch c := child.leaf; {
		case several:
		case i < 0 && child.adds():
			if text := r.fitting(child.plan, child.shape, c.Is); text != nil {
				m.added = append(m.added, &change{Is: text, Index: c.Index})
			}
		case i < 0:
		case c == nil:
			r.element(copied.Index(i), list.element, child)
		default:
			here := &wire.Member{Shape: f.Shape.Elem}
			at := r.applied
			restored := r.value(decodedField(here, copied.Index(i), true, true, r.work), child)
			if restored == (absent{}) {
				m.remove(i)
			} else if text, err := json.Marshal(restored); err == nil && r.applied > at && r.work.take(len(text)) {
				r.decode(f.Shape.Elem, copied.Index(i), text)
			}
		}
	}
	if m.changes() {
		if r.allowsLength(n.plan, m.total()) {
			merged := reflect.MakeSlice(copied.Type(), 0, m.total())
			m.each(func(i int) { merged = reflect.Append(merged, copied.Index(i)) }, func(c *change) {
				merged = reflect.Append(merged, reflect.Zero(copied.Type().Elem()))
				r.decode(f.Shape.Elem, merged.Index(merged.Len()-1), c.Is)
			})
			copied = merged
			r.applied += len(m.added)
		} else {
			r.applied -= len(m.removed)
		}
	}
	if r.applied > before && r.work.err == nil {
		r.set(f, v, copied)
	}
	return true
}

// element applies the changes below an element of a copied list.
func (r *restoring) element(e reflect.Value, s *wire.Shape, n *node) {
	if e.Kind() == reflect.Pointer {
		own := reflect.New(s.Typ)
		own.Elem().Set(e.Elem())
		e.Set(own)
		e = own.Elem()
	}
	around := r.inside
	r.inside = true
	r.fields(e, n)
	r.inside = around
}

// decode reads a value in JSON in place of an element. The element stays if the value does not fit.
func (r *restoring) decode(s *wire.Shape, e reflect.Value, text []byte) {
	was := reflect.New(e.Type()).Elem()
	was.Set(e)
	e.SetZero()
	if wire.Decode(text, wire.Whole(text), r.texts, s, e) != nil {
		e.Set(was)
	}
}

// merging removes elements of a list and adds others at their indexes.
type merging struct {
	length  int
	removed map[int]bool
	added   []*change
}

func (m *merging) remove(i int) {
	if m.removed == nil {
		m.removed = map[int]bool{}
	}
	m.removed[i] = true
}

func (m *merging) changes() bool { return len(m.removed)+len(m.added) > 0 }

func (m *merging) total() int { return m.length - len(m.removed) + len(m.added) }

// each calls take with the index of each element that stays, and add with each added one, in their order.
func (m *merging) each(take func(i int), add func(c *change)) {
	next, done := 0, 0
	until := func(n int) {
		for ; next < m.length && done < n; next++ {
			if !m.removed[next] {
				take(next)
				done++
			}
		}
	}
	for _, c := range m.added {
		until(c.Index)
		add(c)
		done++
	}
	until(m.length + len(m.added))
}

// eachOf is each for a list in Go. It returns false for other values.
func (r *restoring) eachOf(f *wire.Member, v, value reflect.Value, n *node) bool {
	if n.leaf == nil || n.leaf.Each == nil || f.Shape.Kind != wire.List || value.IsNil() || r.gone {
		return false
	}
	length := value.Len()
	if !r.work.take(len(n.leaf.Is) + (length+len(n.leaf.Each))*tableCost) {
		return true
	}
	before := r.applied
	copied := reflect.MakeSlice(value.Type(), length, length)
	reflect.Copy(copied, value)
	element := &wire.Member{Shape: f.Shape.Elem}
	sum := func(i int) uint64 { return r.sum(element, value.Index(i)) }
	r.matched(n.leaf, length, sum, func(i int, text json.RawMessage) bool {
		if !r.work.take(len(text)) {
			return false
		}
		e := copied.Index(i)
		e.SetZero()
		text = r.allowed(n.plan.elements, f.Shape.Elem, text)
		if text == nil || wire.Decode(text, wire.Whole(text), r.texts, f.Shape.Elem, e) != nil {
			e.Set(value.Index(i))
			return false
		}
		return true
	})
	if r.applied > before && r.work.err == nil {
		r.set(f, v, copied)
	}
	return true
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
		if text := r.fitting(n.plan, n.shape, c.Is); text != nil {
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
	var found tables
	taken, m := make(map[int]bool, len(n.below)), merging{length: len(list)}
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
				m.remove(i)
			} else {
				list[i] = value
			}
		case c != nil && c.Was == "" && c.Is != nil:
			if text := r.fitting(child.plan, child.shape, c.Is); text != nil {
				m.added = append(m.added, &change{Is: text, Index: c.Index})
			}
		}
	}
	if !m.changes() {
		return list
	}
	if !r.allowsLength(n.plan, m.total()) {
		r.applied -= len(m.removed)
		return list
	}
	merged := make([]any, 0, m.total())
	m.each(func(i int) { merged = append(merged, list[i]) }, func(c *change) { merged = append(merged, c.Is) })
	r.applied += len(m.added)
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

// each puts kept elements in place of the elements of a list without keys that are as the conversion made them.
func (r *restoring) each(live any, n *node) any {
	list, ok := live.([]any)
	if !ok || !r.work.take(len(n.leaf.Is)+(len(list)+len(n.leaf.Each))*tableCost) {
		return live
	}
	element, _ := shapeBelow(n.shape, step{keys: []string{}})
	sum := func(i int) uint64 {
		text, err := json.Marshal(list[i])
		r.work.fail(err)
		return sumOf(text)
	}
	r.matched(n.leaf, len(list), sum, func(i int, text json.RawMessage) bool {
		if text = r.fitting(n.plan.elements, element, text); text != nil {
			list[i] = text
		}
		return text != nil
	})
	return list
}

// matched finds the elements of a list that have the digests of kept ones, and calls set with the index of each and the
// kept one. Equal elements are interchangeable. If some of them were removed, and the kept ones differ, none is
// restored.
func (r *restoring) matched(c *change, length int, sumAt func(i int) uint64, set func(i int, text json.RawMessage) bool) {
	kept := make([]json.RawMessage, 0, len(c.Each))
	for e := range elements(c.Is) {
		if len(kept) < len(c.Each) {
			kept = append(kept, e.value)
		}
	}
	// Equal elements are a chain: first has the index of the last one and a zero is the end.
	type chains struct{ kept, found int }
	first := make(map[uint64]chains, len(kept))
	next := make([]int, len(kept)+length)
	for i := len(kept) - 1; i >= 0; i-- {
		equal := first[c.Each[i]]
		next[i], equal.kept = equal.kept, i+1
		first[c.Each[i]] = equal
	}
	for i := length - 1; i >= 0; i-- {
		sum := sumAt(i)
		if equal, ok := first[sum]; ok {
			next[len(kept)+i], equal.found = equal.found, i+1
			first[sum] = equal
		}
	}
	var all []json.RawMessage
	var at []int
	restored := false
	for _, equal := range first {
		all, at = all[:0], at[:0]
		for i := equal.kept; i > 0; i = next[i-1] {
			all = append(all, kept[i-1])
		}
		for i := equal.found; i > 0; i = next[len(kept)+i-1] {
			at = append(at, i-1)
		}
		differs := func(e json.RawMessage) bool { return !bytes.Equal(e, all[0]) }
		if len(at) < len(all) && slices.ContainsFunc(all, differs) {
			continue
		}
		for i := range min(len(at), len(all)) {
			restored = set(at[i], all[i]) || restored
		}
	}
	if restored {
		r.applied++
	}
}

// fitting returns a value in JSON as it can be restored at a place: without the members that markers refuse, and nil if
// the rest cannot be decoded.
func (r *restoring) fitting(p *plan, s *wire.Shape, text json.RawMessage) json.RawMessage {
	if !r.work.take(len(text)) {
		return nil
	}
	if text = r.allowed(p, s, text); text == nil || !fits(s, text) {
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

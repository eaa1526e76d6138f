// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// none marks an element that has no counterpart.
const none = -1

// list compares the array at src[i] with the slice v, and returns the offset behind the array.
//
// It first finds the new position of each element. Then it removes the elements that were deleted or moved, from the
// last to the first, adds the new and moved ones, from the first to the last, and finally edits each element at its new
// place. A moved element is added with its own text, so that it keeps the members that its type does not have. If less
// than half of the elements stay in place, the list is written as a whole, with the texts of the old elements.
//
// A list without a difference is left at once. So the texts of nested lists are read again for each outer list only
// after an edit, and the nesting depth that a user chooses does not matter.
func (p *patcher) list(s *wire.Shape, listKeys []string, i int, v reflect.Value) int {
	if p.probe {
		return p.probeList(s, i, v)
	}
	if end, differs := p.probing(func() int { return p.probeList(s, i, v) }); !differs {
		return end
	}
	if p.lists == nestedLists {
		p.fail(fmt.Errorf("%s: an edit in more than %d lists", wire.ShortPath(p.pointer()), nestedLists))
	}
	if p.err != nil {
		return wire.Skip(p.src, i)
	}
	p.lists++
	defer func() { p.lists-- }()
	outer := len(p.spans)
	end := p.elements(i)
	defer func() { p.spans = p.spans[:outer] }()
	l := listDiff{patcher: p, elem: s.Elem, old: p.spans[outer:], v: v}
	if l.of = s.Elem.Target(); l.of.HasAll(listKeys) {
		l.keys = listKeys
	}
	if l.inPlace() {
		for j := range l.old {
			l.edit(j, j)
		}
		return end
	}
	l.match()
	stays := l.pair(increasing(l.from))
	kept := 0
	for _, stay := range stays {
		if stay {
			kept++
		}
	}
	switch moves := len(l.old) - kept + len(l.from) - kept; {
	case moves > (len(l.old)+len(l.from))/2:
		l.rewrite()
	case moves > 0:
		l.move(stays)
	}
	for j, i := range l.from {
		if i != none {
			l.edit(i, j)
		}
	}
	return end
}

// probeList compares element by element: for a probe, a moved element is a difference.
func (p *patcher) probeList(s *wire.Shape, i int, v reflect.Value) int {
	n := 0
	d := wire.Decoder{Src: p.src, I: i}
	for more := d.Open(']'); more; more = d.More() {
		if n == v.Len() {
			p.found = true
			return d.I
		}
		if d.I = p.value(s.Elem, nil, d.I, v.Index(n)); p.found {
			return d.I
		}
		n++
	}
	p.found = n < v.Len()
	return d.I
}

// elements appends the spans of the elements of the array at src[i] to p.spans, and returns the offset behind the
// array.
func (p *patcher) elements(i int) int {
	d := wire.Decoder{Src: p.src, I: i}
	for more := d.Open(']'); more; more = d.More() {
		at := wire.Span{Start: d.I, End: wire.Skip(p.src, d.I)}
		p.spans = append(p.spans, at)
		d.I = at.End
	}
	return d.I
}

// listDiff is the comparison of one array with one slice.
type listDiff struct {
	*patcher
	elem  *wire.Shape
	of    *wire.Shape // the shape of the elements, or of the values they point to
	keys  []string    // the members that identify elements; nil if only their content does
	old   []wire.Span
	v     reflect.Value
	from  []int  // for each element of the slice: which element of the array it was
	taken []bool // for each element of the array: whether it has a counterpart
}

// edit compares an element of the array with its counterpart in the slice, which is in its final place.
func (l *listDiff) edit(i, j int) {
	l.pushElement(j)
	l.value(l.elem, nil, l.old[i].Start, l.v.Index(j))
	l.pop()
}

// match finds the counterparts.
func (l *listDiff) match() {
	l.from, l.taken = make([]int, l.v.Len()), make([]bool, len(l.old))
	for j := range l.from {
		l.from[j] = none
	}
	if l.keys == nil {
		lo, hi := l.trim()
		if lo+hi+1 == len(l.old) && lo+hi+1 == len(l.from) {
			return // pair links the two
		}
		l.assign(lo, l.identities(lo, hi, content))
		return
	}
	// Keys ought to be unique, but may repeat: a Service may have one port for two protocols. Then equal elements
	// become counterparts before elements with the same key.
	byKey := l.identities(0, 0, l.key)
	if byKey.repeat() {
		l.assign(0, l.identities(0, 0, content))
	}
	l.assign(0, byKey)
}

// link makes element i of the array and element j of the slice counterparts.
func (l *listDiff) link(i, j int) { l.from[j], l.taken[i] = i, true }

// inPlace reports whether no element was added, removed or moved: the elements of the array and of the slice have the
// same keys in the same order or, without keys, are equal.
func (l *listDiff) inPlace() bool {
	if len(l.old) != l.v.Len() {
		return false
	}
	for j, at := range l.old {
		if l.keys != nil && !l.sameKey(at, l.v.Index(j)) || l.keys == nil && l.differs(l.elem, at.Start, l.v.Index(j)) {
			return false
		}
	}
	return true
}

// sameKey reports whether an element of the array and one of the slice have the same key.
func (l *listDiff) sameKey(at wire.Span, v reflect.Value) bool {
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if l.src[at.Start] != '{' || v.Kind() != reflect.Struct {
		return false
	}
	found := 0
	d := wire.Decoder{Src: l.src, I: at.Start}
	for more := d.Open('}'); more; more = d.More() {
		name := d.Key()
		for _, listKey := range l.keys {
			if listKey != string(name) {
				continue
			}
			f := &l.of.Fields[l.of.Index[listKey]]
			if key, ok := f.In(v); !ok || l.differs(f.Shape, d.I, key) {
				return false
			}
			if found++; found == len(l.keys) {
				return true
			}
		}
		d.I = wire.Skip(l.src, d.I)
	}
	return l.key(l.decoded(at)) == l.key(v)
}

// trim links the equal elements at both ends, and returns their number at the front and at the back.
func (l *listDiff) trim() (lo, hi int) {
	n, m := len(l.old), len(l.from)
	for lo < min(n, m) && !l.differs(l.elem, l.old[lo].Start, l.v.Index(lo)) {
		l.link(lo, lo)
		lo++
	}
	for hi < min(n, m)-lo && !l.differs(l.elem, l.old[n-1-hi].Start, l.v.Index(m-1-hi)) {
		hi++
		l.link(n-hi, m-hi)
	}
	return lo, hi
}

// identities holds the identities of elements: elements with equal identities are candidates for counterparts.
type identities struct{ old, new []string }

// identities returns the identities of all elements but lo at the front and hi at the back.
func (l *listDiff) identities(lo, hi int, of func(reflect.Value) string) identities {
	var ids identities
	for _, at := range l.old[lo : len(l.old)-hi] {
		ids.old = append(ids.old, of(l.decoded(at)))
	}
	for j := lo; j < len(l.from)-hi; j++ {
		ids.new = append(ids.new, of(l.v.Index(j)))
	}
	return ids
}

// repeat reports whether two elements of one side have the same identity.
func (ids identities) repeat() bool {
	for _, side := range [][]string{ids.old, ids.new} {
		seen := make(map[string]bool, len(side))
		for _, id := range side {
			if seen[id] {
				return true
			}
			seen[id] = true
		}
	}
	return false
}

// assign links elements of equal identity that have no counterpart yet, in their order.
func (l *listDiff) assign(lo int, ids identities) {
	first := make(map[string]int, len(ids.old)) // the first free element of the array with this identity
	next := make([]int, len(ids.old))           // the free element that follows it
	for i := len(ids.old) - 1; i >= 0; i-- {
		if !l.taken[lo+i] {
			following, ok := first[ids.old[i]]
			if !ok {
				following = none
			}
			first[ids.old[i]], next[i] = i, following
		}
	}
	for j, id := range ids.new {
		if i, ok := first[id]; ok && i != none && l.from[lo+j] == none {
			l.link(lo+i, lo+j)
			first[id] = next[i]
		}
	}
}

// decoded returns an element of the array as a value of its type.
func (l *listDiff) decoded(at wire.Span) reflect.Value {
	v := reflect.New(l.elem.Typ).Elem()
	if err := wire.Decode(l.src, at, nil, l.elem, v); err != nil {
		l.fail(err)
	}
	return v
}

// content identifies an element by all members of its type.
func content(v reflect.Value) string {
	encoded, err := encode(v)
	if err != nil {
		return "" // The same error comes up again when the element is written.
	}
	return string(encoded)
}

// key identifies an element by its list-map keys.
func (l *listDiff) key(v reflect.Value) string {
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return ""
	}
	var id []byte
	for _, listKey := range l.keys {
		if key, ok := l.of.Fields[l.of.Index[listKey]].In(v); ok {
			id = append(id, content(key)...)
		}
		id = append(id, ',')
	}
	return string(id)
}

// increasing marks the longest run of elements, not necessarily neighbours, that have kept their order.
func increasing(from []int) []bool {
	stays := make([]bool, len(from))
	var ends []int // ends[k] closes, of all runs of k+1 elements, the one that closes with the lowest
	before := make([]int, len(from))
	for j, i := range from {
		if i == none {
			continue
		}
		k, _ := slices.BinarySearchFunc(ends, i, func(end, i int) int { return from[end] - i })
		before[j] = none
		if k > 0 {
			before[j] = ends[k-1]
		}
		if k == len(ends) {
			ends = append(ends, j)
		} else {
			ends[k] = j
		}
	}
	if len(ends) > 0 {
		for j := ends[len(ends)-1]; j != none; j = before[j] {
			stays[j] = true
		}
	}
	return stays
}

// pair links elements without keys and without counterparts. Between two elements that stay, if the number of elements
// is the same as before, each was edited in place. If the numbers differ, an edited element looks like a new one, and
// the unknown members of one element must not end up in another.
func (l *listDiff) pair(stays []bool) []bool {
	if l.keys != nil {
		return stays
	}
	old, start := 0, 0 // where the gap begins in the array and in the slice
	for j := 0; j <= len(stays); j++ {
		end := len(l.old)
		if j < len(stays) {
			if !stays[j] {
				continue
			}
			end = l.from[j]
		}
		was, is := l.unpaired(old, end, start, j)
		if len(was) == len(is) {
			for k := range is {
				l.link(was[k], is[k])
				stays[is[k]] = true
			}
		}
		old, start = end+1, j+1
	}
	return stays
}

// unpaired returns the elements without counterpart of a part of the array and of the slice.
func (l *listDiff) unpaired(old, oldEnd, start, end int) (was, is []int) {
	for i := old; i < oldEnd; i++ {
		if !l.taken[i] {
			was = append(was, i)
		}
	}
	for j := start; j < end; j++ {
		if l.from[j] == none {
			is = append(is, j)
		}
	}
	return was, is
}

// move takes out and puts in the elements that do not stay.
func (l *listDiff) move(stays []bool) {
	kept := make([]bool, len(l.old))
	for j, stay := range stays {
		if stay {
			kept[l.from[j]] = true
		}
	}
	for i := len(kept) - 1; i >= 0; i-- {
		if !kept[i] {
			l.pushElement(i)
			l.remove()
			l.pop()
		}
	}
	for j, stay := range stays {
		if stay {
			continue
		}
		l.pushElement(j)
		if l.begin("add") {
			l.out = append(l.out, `,"value":`...)
			l.element(j)
			l.out = append(l.out, '}')
		}
		l.pop()
	}
}

// rewrite writes the list in one piece.
func (l *listDiff) rewrite() {
	if !l.begin("replace") {
		return
	}
	l.out = append(l.out, `,"value":[`...)
	for j := range l.from {
		if j > 0 {
			l.out = append(l.out, ',')
		}
		l.element(j)
	}
	l.out = append(l.out, "]}"...)
}

// element writes an element of the slice, with the text that it had before it was edited if there is one.
func (l *listDiff) element(j int) {
	if i := l.from[j]; i != none {
		l.out = append(l.out, l.old[i].Of(l.src)...)
		return
	}
	l.marshal(l.v.Index(j))
}

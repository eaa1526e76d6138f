// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash/fnv"
	"maps"
	"reflect"
	"slices"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// absent is the value of a missing member or element. Null is not absent.
type absent struct{}

// comparesWhole reports whether the values of a field are compared as a whole first, and not only by their fields. A
// chain of a recursive type would be compared once for each of its levels.
func comparesWhole(f *wire.Member, depth int) bool {
	const most = 16
	return depth < most || f.Shape.Target().Kind != wire.Structure
}

// structs compares two structs of a shape. Most structs are mostly equal. Only fields that differ, and are not structs
// again, are written in JSON and compared there.
func (c *comparison) structs(at []step, s *wire.Shape, base, want reflect.Value, p *plan) {
	for i := range s.Fields {
		f := &s.Fields[i]
		below := p.member(f.Name)
		if below.Dropped {
			continue
		}
		b, hasBase := present(f, base, c.inside)
		w, hasWant := present(f, want, c.inside)
		if c.work.err != nil || hasBase == hasWant && (!hasBase || comparesWhole(f, len(at)) && f.Shape.Equal(b, w)) {
			continue
		}
		here := append(at, step{name: f.Name})
		switch inner, is := f.Shape.Structs(b, hasBase), f.Shape.Structs(w, hasWant); {
		case inner.IsValid() && is.IsValid() && len(here) < maxSteps:
			c.structs(here, f.Shape.Target(), inner, is, below)
		case !hasBase && below.isEmpty():
			c.add(here, f.Shape, w)
		case hasBase && hasWant && len(here) < maxSteps && c.keyed(here, f.Shape, b, w, below):
		case below.isEmpty() && below.key.keys == nil && c.field(here, f, b, hasBase, w, hasWant):
		default:
			c.values(here, decodedField(f, b, hasBase, c.inside, c.work), decodedField(f, w, hasWant, c.inside, c.work), below)
		}
	}
}

// keyed compares lists of structs by their keys, as values does. It returns false for other values, and for lists that
// are not aligned.
func (c *comparison) keyed(at []step, s *wire.Shape, base, want reflect.Value, p *plan) bool {
	b, ok := keyedOf(s, base, p)
	w, ok2 := keyedOf(s, want, p)
	if !ok || !ok2 {
		return false
	}
	around := c.inside
	c.inside = true
	defer func() { c.inside = around }()
	compare := func(x, y reflect.Value) {
		if !p.elements.Dropped && c.work.take(0) && !b.element.Equal(x, y) {
			c.structs(append(at, b.step(p.key, x)), b.element, x, y, p.elements)
		}
	}
	if b.matches(w) {
		for i := range b.list.Len() {
			compare(b.at(i), w.at(i))
		}
		return true
	}
	inBase, inWant := b.table(), w.table()
	if len(inBase.several)+len(inWant.several) > 0 {
		return false
	}
	find := func(i int) int {
		j, _ := inBase.at(w.textOf(w.at(i)))
		return j
	}
	ordered, common := ordering(w.list.Len(), find)
	if !common && b.list.Len() > 0 && w.list.Len() > 0 {
		return false
	}
	if !ordered {
		c.orderOf(at, w.list.Len(), func(i int) step { return w.step(p.key, w.at(i)) })
	}
	text := func(e reflect.Value) []byte {
		c.value.out = c.value.out[:0]
		c.value.value(b.element, e)
		if c.work.fail(c.value.err); c.work.err != nil || !c.work.take(len(c.value.out)) {
			return nil
		}
		c.texts = canonical(c.texts[:0], c.value.out)
		return c.texts
	}
	for i := range b.list.Len() {
		x := b.at(i)
		if j, _ := inWant.at(b.textOf(x)); j < 0 {
			if was := text(x); was != nil {
				c.replaceText(append(at, b.step(p.key, x)), was, nil, absent{})
			}
		}
	}
	for i := range w.list.Len() {
		y := w.at(i)
		if j := find(i); j >= 0 {
			compare(b.at(j), y)
		} else if is := text(y); is != nil {
			c.added(append(at, w.step(p.key, y)), is, i, p.elements)
		}
	}
	return true
}

// added records an element that has to be added, as json.Marshal writes it.
func (c *comparison) added(at []step, is []byte, i int, p *plan) {
	var value any
	if p.Members != nil || p.Elements != nil {
		var err error
		value, err = parsed(is)
		c.work.fail(err)
		is = c.json(p.strip(value))
	}
	c.record(at, change{Is: is, Index: i}, value)
}

// field compares the JSON of a field as a whole. It returns false for objects, whose members are compared.
func (c *comparison) field(at []step, f *wire.Member, base reflect.Value, hasBase bool, want reflect.Value, hasWant bool) bool {
	c.texts = c.texts[:0]
	write := func(v reflect.Value, has bool) []byte {
		if !has {
			return nil
		}
		before := len(c.texts)
		c.value.out = c.value.out[:0]
		c.value.valueOf(f, v, c.inside)
		c.work.fail(c.value.err)
		if c.work.err == nil && c.work.take(len(c.value.out)) {
			c.texts = canonical(c.texts, c.value.out)
		}
		return c.texts[before:]
	}
	was, is := write(base, hasBase), write(want, hasWant)
	if c.work.err == nil && isObject(was) && isObject(is) {
		return false
	}
	if c.work.err == nil {
		c.replaceText(at, was, is, nil)
	}
	return true
}

// values compares two values in JSON.
func (c *comparison) values(at []step, base, want any, p *plan) {
	if p.Dropped || !c.work.take(0) {
		return
	}
	if p.onlyMembers() {
		object, _ := base.(map[string]any)
		members, _ := want.(map[string]any)
		c.objects(at, object, members, p)
		return
	}
	switch want := want.(type) {
	case map[string]any:
		object, ok := base.(map[string]any)
		if len(at) < maxSteps && (ok || p.Scattered && base == (absent{}) && len(want) > 0) {
			c.objects(at, object, want, p)
			return
		}
	case []any:
		list, ok := base.([]any)
		if ok && p.key.keys != nil && len(at) < maxSteps {
			if inBase, inWant, ordered, ok := aligned(list, want, p.key); ok {
				if !ordered {
					c.order(at, want, p.key)
				}
				c.elements(at, list, want, inBase, inWant, p)
				return
			}
		}
		if p.One != nil && len(want) > 0 && len(at) < maxSteps {
			c.around(at, list, want, p)
			return
		}
	}
	kept := p.strip(want)
	if object, ok := want.(map[string]any); ok && base == (absent{}) && len(kept.(map[string]any)) == 0 && len(object) > 0 {
		return // it held only dropped fields
	}
	c.replace(at, base, kept)
}

func (c *comparison) objects(at []step, base, want map[string]any, p *plan) {
	names := slices.Collect(maps.Keys(base))
	for name := range want {
		if _, ok := base[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		c.values(append(at, step{name: name}), memberOf(base, name), memberOf(want, name), p.member(name))
	}
}

func memberOf(object map[string]any, name string) any {
	if value, ok := object[name]; ok {
		return value
	}
	return absent{}
}

// elements compares lists whose elements have keys and are in the same order. The tables find their elements.
func (c *comparison) elements(at []step, base, want []any, inBase, inWant *table, p *plan) {
	for _, b := range base {
		key := p.key.to(b)
		if i, _ := inWant.find(key); i < 0 {
			c.replace(append(at, key), b, absent{})
		}
	}
	for i, w := range want {
		key := p.key.to(w)
		if j, _ := inBase.find(key); j >= 0 {
			c.values(append(at, key), base[j], w, p.elements)
		} else {
			c.record(append(at, key), change{Is: c.json(p.elements.strip(w)), Index: i}, w)
		}
	}
}

// around compares a list with the conversion of its one element.
func (c *comparison) around(at []step, base, want []any, p *plan) {
	i, j := slices.IndexFunc(base, p.one.leadsTo), slices.IndexFunc(want, p.one.leadsTo)
	found := change{Index: -1, Around: &p.one}
	others := want
	if i >= 0 && j >= 0 {
		found.Index = j
		others = slices.Delete(slices.Clone(want), j, j+1)
	}
	if len(others) > 0 {
		found.Is = c.json(p.strip(others))
		c.record(at, found, others)
	}
	if found.Index >= 0 {
		c.values(append(at, p.one), base[i], want[j], p.elements)
	}
}

// replace records a change of a whole value, if the value has changed.
func (c *comparison) replace(at []step, base, want any) {
	write := func(value any) []byte {
		if value == (absent{}) {
			return nil
		}
		return c.json(value)
	}
	c.replaceText(at, write(base), write(want), want)
}

// replaceText is replace for values as json.Marshal writes them, or nil for absent ones.
func (c *comparison) replaceText(at []step, was, is []byte, want any) {
	if (was == nil) == (is == nil) && bytes.Equal(was, is) {
		return
	}
	found := change{Is: is}
	if was != nil {
		found.Was = digestOf(was)
	}
	if !c.collects {
		found.Each = digestsOf(was, is)
	}
	c.record(at, found, want)
}

// digestsOf returns the digests of a list's elements, if the conversion has kept their number.
func digestsOf(was, is []byte) []uint64 {
	count := func(text []byte) (n int) {
		for range elements(text) {
			n++
		}
		return n
	}
	n := count(was)
	if n == 0 || n != count(is) {
		return nil
	}
	all := make([]uint64, 0, n)
	for e := range elements(was) {
		all = append(all, sumOf(e.value))
	}
	return all
}

// order records the order of a list's elements.
func (c *comparison) order(at []step, want []any, key step) {
	c.orderOf(at, len(want), func(i int) step { return key.to(want[i]) })
}

func (c *comparison) orderOf(at []step, length int, key func(i int) step) {
	var found change
	for i := range length {
		found.Order = append(found.Order, key(i))
	}
	c.record(at, found, nil)
}

// ordering reports whether the elements of a list that another one has, too, are in the same order there, and whether
// there are any. The function inBase returns the index in the other list, or -1.
func ordering(length int, inBase func(i int) int) (ordered, common bool) {
	last := -1
	ordered = true
	for i := range length {
		if j := inBase(i); j >= 0 {
			ordered = ordered && j > last
			last, common = j, true
		}
	}
	return ordered, common
}

// aligned reports whether the keys identify the elements of each list, and whether the common elements have the same
// order. It returns the tables of both lists. Lists without a common element are not aligned: the changes would remove
// all elements of one list before they add an element of the other, and the content of a list goes with it.
func aligned(base, want []any, key step) (inBase, inWant *table, ordered, ok bool) {
	inBase, inWant = tableOf(base, key), tableOf(want, key)
	if !inBase.unique(base) || !inWant.unique(want) {
		return nil, nil, false, false
	}
	ordered, common := ordering(len(want), func(i int) int {
		j, _ := inBase.find(key.to(want[i]))
		return j
	})
	return inBase, inWant, ordered, common || len(base) == 0 || len(want) == 0
}

// digest identifies a value without repeating it. The digest of an absent value is empty.
func digest(value any) (string, error) {
	if value == (absent{}) {
		return "", nil
	}
	text, err := json.Marshal(value) // keys in order, so that equal values have equal text
	return digestOf(text), err
}

// digestOf is digest for a value that is written already.
func digestOf(text []byte) string {
	var digits [16]byte
	return string(appendSum(digits[:0], sumOf(text)))
}

// sumOf is digestOf as a number.
func sumOf(text []byte) uint64 {
	h := fnv.New64a()
	h.Write(text)
	return h.Sum64()
}

// appendSum appends a number of sumOf as the 16 digits of a digest.
func appendSum(out []byte, sum uint64) []byte {
	return hex.AppendEncode(out, binary.BigEndian.AppendUint64(nil, sum))
}

// sumIn reads the digits of a digest in JSON.
func sumIn(text []byte) (uint64, bool) {
	var sum [8]byte
	if len(text) != len(`"0123456789abcdef"`) || text[0] != '"' {
		return 0, false
	}
	_, err := hex.Decode(sum[:], text[1:len(text)-1])
	return binary.BigEndian.Uint64(sum[:]), err == nil
}

// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"encoding/json"
	"fmt"
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
		b, hasBase := f.Present(base)
		w, hasWant := f.Present(want)
		if c.work.err != nil || hasBase == hasWant && (!hasBase || comparesWhole(f, len(at)) && f.Shape.Equal(b, w)) {
			continue
		}
		here := append(at, step{name: f.Name})
		switch inner, is := f.Shape.Structs(b, hasBase), f.Shape.Structs(w, hasWant); {
		case inner.IsValid() && is.IsValid() && len(here) < maxSteps:
			c.structs(here, f.Shape.Target(), inner, is, below)
		case !hasBase && below.isEmpty():
			c.add(here, f.Shape, w)
		default:
			c.values(here, decodedField(f, b, hasBase, c.work), decodedField(f, w, hasWant, c.work), below)
		}
	}
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
	was, err := digest(base)
	c.work.fail(err)
	found, is := change{Was: was}, ""
	if want != (absent{}) {
		found.Is = c.json(want)
		is = digestOf(found.Is)
	}
	if was != is {
		found.Each = c.each(base, want)
		c.record(at, found, want)
	}
}

// each returns the digests of a list's elements, if the conversion has kept their number.
func (c *comparison) each(base, want any) []string {
	from, _ := base.([]any)
	to, _ := want.([]any)
	if c.collects || len(from) != len(to) {
		return nil
	}
	var each []string
	for _, e := range from {
		was, err := digest(e)
		c.work.fail(err)
		each = append(each, was)
	}
	return each
}

// order records the order of a list's elements.
func (c *comparison) order(at []step, want []any, key step) {
	var found change
	for _, w := range want {
		found.Order = append(found.Order, key.to(w))
	}
	c.record(at, found, nil)
}

// aligned reports whether the keys identify the elements of each list, and whether the common elements have the same
// order. It returns the tables of both lists. Lists without a common element are not aligned: the changes would remove
// all elements of one list before they add an element of the other, and the content of a list goes with it.
func aligned(base, want []any, key step) (inBase, inWant *table, ordered, ok bool) {
	inBase, inWant = tableOf(base, key), tableOf(want, key)
	if !inBase.unique(base) || !inWant.unique(want) {
		return nil, nil, false, false
	}
	last, common := -1, len(base) == 0 || len(want) == 0
	ordered = true
	for _, w := range want {
		if j, _ := inBase.find(key.to(w)); j >= 0 {
			ordered = ordered && j > last
			last, common = j, true
		}
	}
	return inBase, inWant, ordered, common
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
	h := fnv.New64a()
	h.Write(text)
	return fmt.Sprintf("%016x", h.Sum64())
}

// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
)

// Schema describes a type for a stash, in addition to its JSON.
type Schema struct {
	// Keys are the members that identify the elements of this list.
	Keys []string
	// One identifies the one element of this list that the other version has: members, or paths to them, and their
	// values as text. It is empty for the first element, and nil if the other version has all elements or none.
	One map[string]string
	// Dropped means that this field is lost on purpose.
	Dropped bool
	// Custom means that a function of the user converts this value. The innermost such value around a kept one counts.
	Custom bool
	// Lossless, of a whole kind, means that the other version can represent all of it.
	Lossless bool
	// Annotations and Labels, of a whole kind, are the keys that rules of the conversion read or write. An object may
	// have entries of its own under them.
	Annotations, Labels []string
	// Limits are the restrictions from the markers of the type.
	Limits Limits
	// Scattered means that the other version does not have this object but has some of its members elsewhere. The
	// object exists as soon as one of these members does. Its other members stay when these are removed.
	Scattered bool
	// Members are the schemas of fields of this object, if they have any.
	Members map[string]Schema
	// Elements is the schema of a list's elements or of a map's values.
	Elements *Schema
}

func (s Schema) member(name string) Schema {
	if m, ok := s.Members[name]; ok {
		return m
	}
	return s.element()
}

func (s Schema) element() Schema {
	if s.Elements == nil {
		return Schema{}
	}
	return *s.Elements
}

// isEmpty reports whether the schema has no information about the content of the value.
func (s Schema) isEmpty() bool {
	return s.One == nil && !s.Scattered && s.Members == nil && s.Elements == nil
}

// change is one difference between two values of a type.
type change struct {
	// At is the path of the value: the names of members and the keys of list elements.
	At []step
	// Was is the digest of the value that is changed. It is empty if there was no value.
	Was string
	// Is is the new value. It is nil if the value is removed. A null is a value.
	Is json.RawMessage
	// Index is where an element is inserted. With Around, it is the index of the object's own element, or -1 if the
	// list had no such element.
	Index int
	// Around means that Is has the elements of a list around the object's own element. These members identify that
	// element.
	Around map[string]string
	// Make is how many objects right around the value are made if they are missing.
	Make int
	// On are the values of the converted object on which the change depends.
	On []dependence
	// Cut is how many values were left out here, if the entry is not a change but a mark.
	Cut int
}

// step leads to a member, by its name, or to an element of a list, by its keys.
type step struct {
	name string
	keys map[string]any
	// scattered means that the step leads to a scattered object.
	scattered bool
}

// absent is the value of a missing member or element. Null is not absent.
type absent struct{}

func (c *comparison) objects(at []step, base, want map[string]any, schema Schema) error {
	for _, name := range namesOfBoth(base, want) {
		below := schema.member(name)
		if err := c.values(append(at, step{name: name, scattered: below.Scattered}), memberOf(base, name), memberOf(want, name), below); err != nil {
			return err
		}
	}
	return nil
}

// namesOfBoth returns the names of the members of two objects, in order.
func namesOfBoth(a, b map[string]any) []string {
	names := slices.Collect(maps.Keys(a))
	for name := range b {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// toMake counts the scattered objects right around the value at a path.
func toMake(at []step) (objects int) {
	for _, s := range slices.Backward(at[:len(at)-1]) {
		if !s.scattered {
			break
		}
		objects++
	}
	return objects
}

func memberOf(object map[string]any, name string) any {
	if value, ok := object[name]; ok {
		return value
	}
	return absent{}
}

func (c *comparison) values(at []step, base, want any, schema Schema) error {
	if schema.Dropped {
		return nil
	}
	switch want := want.(type) {
	case map[string]any:
		if base, ok := base.(map[string]any); ok {
			return c.objects(at, base, want, schema)
		}
		if schema.Scattered && base == (absent{}) && len(want) > 0 {
			return c.objects(at, nil, want, schema)
		}
		kept := schema.strip(want)
		if base == (absent{}) && len(kept) == 0 && len(want) > 0 {
			return nil // it held only dropped fields
		}
		return c.replace(at, base, kept)
	case []any:
		if base, ok := base.([]any); ok && len(schema.Keys) > 0 {
			if inBase, inWant, ok := aligned(base, want, schema.Keys); ok {
				return c.elements(at, base, want, inBase, inWant, schema)
			}
		}
		if schema.One != nil && len(want) > 0 {
			return c.around(at, base, want, schema)
		}
		return c.replace(at, base, schema.stripAll(want))
	}
	return c.replace(at, base, want)
}

// elements compares lists whose elements have keys and are in the same order. The tables find their elements.
func (c *comparison) elements(at []step, base, want []any, inBase, inWant *table, schema Schema) error {
	for _, b := range base {
		key := keyOf(b, schema.Keys)
		if i, _ := inWant.find(key); i >= 0 {
			continue
		}
		if err := c.replace(append(at, step{keys: key}), b, absent{}); err != nil {
			return err
		}
	}
	for i, w := range want {
		key := keyOf(w, schema.Keys)
		below := append(at, step{keys: key})
		if j, _ := inBase.find(key); j >= 0 {
			if err := c.values(below, base[j], w, schema.element()); err != nil {
				return err
			}
			continue
		}
		is, err := json.Marshal(schema.element().strip(w.(map[string]any)))
		if err != nil {
			return err
		}
		if err := c.record(change{At: below, Is: is, Index: i}); err != nil {
			return err
		}
	}
	return nil
}

// around compares a list with the conversion of its one element.
func (c *comparison) around(at []step, base any, want []any, schema Schema) error {
	list, _ := base.([]any)
	one := keysOf(schema.One)
	i, j := find(list, one), find(want, one)
	found := change{At: at, Index: -1, Around: schema.One, Make: toMake(at)}
	others := want
	if i >= 0 && j >= 0 {
		found.Index = j
		others = slices.Delete(slices.Clone(want), j, j+1)
	}
	if len(others) > 0 {
		var err error
		if found.Is, err = json.Marshal(schema.stripAll(others)); err != nil {
			return err
		}
		if err := c.record(found); err != nil {
			return err
		}
	}
	if found.Index < 0 {
		return nil
	}
	return c.values(append(at, step{keys: one}), list[i], want[j], schema.element())
}

// replace records a change of a whole value, if the value has changed.
func (c *comparison) replace(at []step, base, want any) error {
	was, err := digest(base)
	if err != nil {
		return err
	}
	is, err := digest(want)
	if err != nil || was == is {
		return err
	}
	found := change{At: at, Was: was, Make: toMake(at)}
	if want != (absent{}) {
		if found.Is, err = json.Marshal(want); err != nil {
			return err
		}
	}
	return c.record(found)
}

// strip returns an object without its dropped members.
func (s Schema) strip(object map[string]any) map[string]any {
	if s.Members == nil && s.Elements == nil {
		return object
	}
	kept := make(map[string]any, len(object))
	for name, value := range object {
		below := s.member(name)
		if below.Dropped {
			continue
		}
		switch v := value.(type) {
		case map[string]any:
			value = below.strip(v)
		case []any:
			value = below.stripAll(v)
		}
		kept[name] = value
	}
	return kept
}

func (s Schema) stripAll(list []any) []any {
	if s.Elements == nil {
		return list
	}
	kept := make([]any, len(list))
	for i, e := range list {
		if object, ok := e.(map[string]any); ok {
			e = s.element().strip(object)
		}
		kept[i] = e
	}
	return kept
}

// aligned reports whether the keys identify the elements of each list and the common elements have the same order. It
// returns the tables of both lists. Lists without a common element are not aligned: the changes would remove all
// elements of one list before they add an element of the other, and the content of a list goes with it.
func aligned(base, want []any, keys []string) (inBase, inWant *table, ok bool) {
	names := slices.Sorted(slices.Values(keys))
	inBase, inWant = tableOf(base, names), tableOf(want, names)
	if !inBase.unique(base) || !inWant.unique(want) {
		return nil, nil, false
	}
	last, common := -1, len(base) == 0 || len(want) == 0
	for _, w := range want {
		if j, _ := inBase.find(keyOf(w, keys)); j >= 0 {
			if j < last {
				return nil, nil, false
			}
			last, common = j, true
		}
	}
	return inBase, inWant, common
}

// keyOf returns the keys of an element, or nil if the element is not an object. A key may be absent, for example a key
// with a default.
func keyOf(element any, keys []string) map[string]any {
	object, ok := element.(map[string]any)
	if !ok {
		return nil
	}
	key := make(map[string]any, len(keys))
	for _, k := range keys {
		key[k] = object[k]
	}
	return key
}

// keysOf returns the keys by which find identifies the one element of a list.
func keysOf(one map[string]string) map[string]any {
	keys := make(map[string]any, len(one))
	for path, value := range one {
		keys[path] = value
	}
	return keys
}

// find returns the index of the first element with the keys, which are members or paths to them, or -1.
func find(list []any, key map[string]any) int {
	return slices.IndexFunc(list, func(e any) bool { return tells(key, e) })
}

func tells(key map[string]any, element any) bool {
	for path, value := range key {
		if fmt.Sprint(inside(element, path)) != fmt.Sprint(value) {
			return false
		}
	}
	return key != nil
}

// inside returns the value at a path. It is absent if the path leads through a value that is not an object.
func inside(value any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		object, ok := value.(map[string]any)
		if !ok {
			return absent{}
		}
		value = object[name]
	}
	return value
}

// digest identifies a value without repeating it. The digest of an absent value is empty.
func digest(value any) (string, error) {
	if value == (absent{}) {
		return "", nil
	}
	text, err := json.Marshal(value) // keys in order, so that equal values have equal text
	if err != nil {
		return "", err
	}
	h := fnv.New64a()
	h.Write(text)
	return fmt.Sprintf("%016x", h.Sum64()), nil
}

// surround puts the kept elements around the object's own element. If the object no longer has this element, no other
// element takes its place.
func (c change) surround(live any) any {
	kept, err := decoded(c.Is)
	others, ok := kept.([]any)
	if err != nil || !ok {
		return live
	}
	list, _ := live.([]any)
	one := keysOf(c.Around)
	i, j := find(list, one), c.Index
	switch {
	case i < 0 && c.Index >= 0:
		others = slices.DeleteFunc(others, func(e any) bool { return tells(one, e) })
	case i >= 0 && c.Index < 0:
		if j = find(others, one); j >= 0 {
			others = slices.Delete(others, j, j+1)
		} else {
			j = len(others)
		}
	}
	if i >= 0 {
		return slices.Insert(others, min(j, len(others)), list[i])
	}
	if len(others) == 0 {
		return live
	}
	return others
}

func (c change) holds(value any) bool {
	d, err := digest(value)
	return err == nil && d == c.Was
}

// SPDX-License-Identifier: Apache-2.0

package conversiontest

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
)

// forgedChange is a change from an attacker who knows the format of the annotation.
type forgedChange struct {
	At    []any             `json:"at"`
	Was   string            `json:"was,omitempty"`
	Is    any               `json:"is,omitempty"`
	Index int               `json:"index,omitempty"`
	Make  int               `json:"make,omitempty"`
	Other map[string]string `json:"around,omitempty"`
}

// forgeryFails checks the twelfth invariant. For every value of the converted object, the annotation has the value of
// another object, with the right digest.
func (w way[A, B]) forgeryFails(a *A, seed uint64) error {
	plain := annotated(a, nil)
	b, err := w.converted(plain)
	if err != nil {
		return nil
	}
	want, err := w.bare(b)
	if err != nil {
		return nil
	}
	version := typeOf(b).Version
	other := filled(seed+rounds, filling{elements: 2}, w.repairOther)
	members, evil := bodyOf(b, nil), bodyOf(other, nil)
	size := len(text(a)) // differs by object, so that all kinds of forgery meet all kinds of objects
	name, changes := "", []forgedChange(nil)
	switch (int(seed) + size) % 4 {
	case 0:
		name, changes = "every member", forged(nil, members, evil, false)
	case 1:
		name, changes = "every member and element", forged(nil, members, evil, true)
	case 2:
		name, changes = "whole structs", wholes(members, evil)
	case 3:
		name, changes = "members that are made", making(nil, evil)
	}
	if len(changes) > 0 {
		one := changes[size%len(changes)]
		for _, some := range [][]forgedChange{changes, {one}} {
			if err := w.holdsAgainst(plain, want, map[string]any{version: some}); err != nil {
				return fmt.Errorf("%s forged: %w", name, err)
			}
		}
	}
	if seed > 0 {
		return nil
	}
	deep := []forgedChange{{At: []any{"spec"}, Is: json.RawMessage(strings.Repeat("[", 2000) + strings.Repeat("]", 2000)), Make: 9000}}
	for range 600 {
		deep[0].At = append(deep[0].At, "spec")
	}
	huge := forged(nil, members, evil, true)
	for len(huge) > 0 && len(huge) < 500 {
		huge = append(huge, huge...)
	}
	for _, content := range []map[string]any{
		{version: deep}, {version: huge}, {"v0": forged(nil, members, evil, true), "": []any{}, "v2147483647": deep},
	} {
		if err := w.holdsAgainst(plain, want, content); err != nil {
			return fmt.Errorf("an annotation that is nested, huge or of other versions: %w", err)
		}
	}
	return nil
}

// holdsAgainst converts an object with a forged annotation there, and back without the new annotation.
func (w way[A, B]) holdsAgainst(plain, want *A, content map[string]any) error {
	stash := text(content)
	if len(stash) > 200<<10 {
		return nil // no API server accepts this
	}
	ctx := context.Background()
	if len(stash)%2 == 0 {
		ctx = unlimited()
	}
	b := new(B)
	if err := w.there(ctx, annotated(plain, &stash), b); err != nil {
		return fmt.Errorf("%w, with the annotation %.2000s", err, stash)
	}
	got, err := w.bare(wire(b))
	if err != nil {
		return fmt.Errorf("%w, with the annotation %.2000s", err, stash)
	}
	said := bodyOf(wire(plain), w.dropped)
	was, is := bodyOf(want, w.dropped), bodyOf(got, w.dropped)
	for _, path := range differing(was, is) {
		if !saidSo(said, was, is, path) {
			return fmt.Errorf("%s is %s and becomes %s, by the annotation %.2000s", path, text(at(was, path)), text(at(is, path)), stash)
		}
	}
	if a, b := users(want, w.entries), users(got, w.entries); !maps.Equal(a, b) {
		return fmt.Errorf("the annotations %v become %v, by the annotation %.2000s", a, b, stash)
	}
	return nil
}

// saidSo reports whether the value at a path is the object's own value. In a list, it checks each element that is not
// as before.
func saidSo(said, was, is map[string]any, path string) bool {
	s, b, a := at(said, path), at(was, path), at(is, path)
	if equal(s, a) {
		return true
	}
	x, ok := s.([]any)
	y, ok2 := b.([]any)
	z, ok3 := a.([]any)
	if !ok || !ok2 || !ok3 || len(x) != len(z) || len(y) != len(z) {
		return false
	}
	for i := range z {
		if !equal(z[i], x[i]) && !equal(z[i], y[i]) {
			return false
		}
	}
	return true
}

// at returns the value at a path through objects.
func at(v any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		members, _ := v.(map[string]any)
		v = members[name]
	}
	return v
}

// digestOf returns the digest of a value in the format of the annotation: anybody can compute it.
func digestOf(v any) string {
	h := fnv.New64a()
	h.Write([]byte(text(v)))
	return fmt.Sprintf("%016x", h.Sum64())
}

// forged returns changes from all values of one object to the values of another. They include elements of lists if
// elements is true.
func forged(path []any, members, evil map[string]any, elements bool) (changes []forgedChange) {
	for _, name := range namesOf(members, evil) {
		here := append(slices.Clone(path), name)
		value, there := members[name]
		other, wanted := evil[name]
		inner, isObject := value.(map[string]any)
		theirs, _ := other.(map[string]any)
		list, isList := value.([]any)
		switch {
		case isObject:
			changes = append(changes, forged(here, inner, theirs, elements)...)
		case isList && elements:
			for i, e := range list {
				if object, ok := e.(map[string]any); ok {
					keys := slices.Sorted(maps.Keys(object))
					if len(keys) == 0 {
						continue
					}
					key := keys[i%len(keys)]
					keyed := append(slices.Clone(here), map[string]any{key: object[key]})
					changes = append(changes, forgedChange{At: keyed, Was: digestOf(e)})
					if theirs, ok := elementAt(other, i).(map[string]any); ok {
						changes = append(changes, forged(keyed, object, theirs, elements)...)
					}
				}
			}
			if evilList, ok := other.([]any); ok {
				changes = append(changes, forgedChange{At: here, Is: evilList, Index: -1, Other: map[string]string{}})
			}
		case there && wanted:
			changes = append(changes, forgedChange{At: here, Was: digestOf(value), Is: other})
		case there:
			changes = append(changes, forgedChange{At: here, Was: digestOf(value)})
		default:
			changes = append(changes, forgedChange{At: here, Is: other})
		}
	}
	return changes
}

func elementAt(v any, i int) any {
	list, _ := v.([]any)
	if i >= len(list) {
		return nil
	}
	return list[i]
}

// wholes returns changes of whole members of an object.
func wholes(members, evil map[string]any) (changes []forgedChange) {
	for _, name := range namesOf(members, evil) {
		c := forgedChange{At: []any{name}, Is: evil[name]}
		if value, ok := members[name]; ok {
			c.Was = digestOf(value)
		}
		changes = append(changes, c)
	}
	return changes
}

// making returns changes that add every value of an object, with the objects around it.
func making(path []any, evil map[string]any) (changes []forgedChange) {
	for _, name := range slices.Sorted(maps.Keys(evil)) {
		here := append(slices.Clone(path), name)
		if inner, ok := evil[name].(map[string]any); ok {
			changes = append(changes, making(here, inner)...)
			continue
		}
		changes = append(changes, forgedChange{At: here, Is: evil[name], Make: len(here) - 1})
	}
	return changes
}

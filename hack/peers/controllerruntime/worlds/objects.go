// SPDX-License-Identifier: Apache-2.0

package worlds

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// client makes objects and edits.
type client struct{ *rand.Rand }

// object invents an object of a version, which its schema may refuse.
func (c client) object(w *world, v *version) map[string]any {
	object := map[string]any{"apiVersion": w.name + ".example.com/" + v.name, "kind": "Order", "metadata": map[string]any{"name": "first", "namespace": "default"}}
	for _, f := range v.root.members() {
		if f.limits.required || f.tag == "" || c.IntN(15) > 0 {
			object[f.json] = c.value(f, f.t)
		}
	}
	return object
}

// value invents the value of a field.
func (c client) value(f *field, t *typ) any {
	switch t.kind {
	case pointer:
		return c.value(f, t.elem)
	case structKind:
		members := map[string]any{}
		for _, g := range t.structure.members() {
			if g.limits.required || g.tag == "" || c.IntN(3) > 0 {
				members[g.json] = c.value(g, g.t)
			}
		}
		if f.limits.preserve && c.IntN(2) == 0 {
			members["extra"] = map[string]any{"k": int64(c.IntN(9))}
		}
		return members
	case list:
		length := c.IntN(4)
		if f.limits.min != nil {
			length += int(*f.limits.min) * c.IntN(2)
		}
		all := []any{}
		for range length {
			element := c.value(&field{}, t.elem)
			if s := t.elem.value().structure; s != nil && len(t.keys) == 0 && len(all) > 0 && c.IntN(3) == 0 {
				element = c.like(s, all[len(all)-1]) // equal in the version that lacks the member
			}
			if len(t.keys) > 0 {
				members, _ := element.(map[string]any)
				for _, key := range t.keys {
					members[key] = []string{"b", "a", "d", "c", "e"}[c.IntN(5)]
				}
				if slices.ContainsFunc(all, func(other any) bool { return keyOf(t, other) == keyOf(t, element) }) {
					continue
				}
			}
			all = append(all, element)
		}
		return all
	case dictionary:
		members := map[string]any{}
		for range c.IntN(4) {
			members[[]string{"b", "a", "d", "c"}[c.IntN(4)]] = c.value(&field{}, t.elem)
		}
		return members
	}
	return c.scalar(f, t)
}

// like returns an element that differs from another one in one member at most.
func (c client) like(s *structure, other any) any {
	element, ok := copied(other).(map[string]any)
	if members := s.members(); ok && len(members) > 0 {
		f := members[c.IntN(len(members))]
		element[f.json] = c.value(f, f.t)
	}
	return element
}

func (c client) scalar(f *field, t *typ) any {
	pick := func(values ...any) any { return values[c.IntN(len(values))] }
	switch t.kind {
	case text:
		if f.limits.enum != nil {
			return f.limits.enum[c.IntN(len(f.limits.enum))]
		}
		length := c.IntN(4)
		if f.limits.max != nil && c.IntN(2) == 0 {
			length = int(*f.limits.max) + c.IntN(2)
		}
		if f.limits.min != nil && c.IntN(2) == 0 {
			length += int(*f.limits.min)
		}
		return strings.Repeat(string(rune('a'+c.IntN(26))), length)
	case integer, long:
		return pick(int64(0), int64(1), int64(2), int64(3), int64(5), int64(c.IntN(100)))
	case boolean:
		return c.IntN(2) == 0
	case duration:
		return pick("1h0m0s", "1m30s", "1.5s", "0s")
	case moment:
		return pick("2024-01-02T03:04:05Z", "2023-12-31T23:59:59Z", "2024-01-02T03:04:05Z", "2024-05-06T07:08:09+02:00", "2024-01-02T03:04:05.123456Z", "0001-01-01T00:00:00Z")
	case quantity:
		return pick("1", "100m", "1.5Gi", "0", "0.5")
	case intOrText:
		return pick(int64(3), "50%", int64(0))
	case named:
		return c.itself(t)
	}
	return nil
}

// itself invents a value of a type that contains itself.
func (c client) itself(t *typ) any {
	switch {
	case strings.Contains(t.source, "[]Tree"):
		return []any{[]any{}}
	case strings.Contains(t.source, "]Tree"):
		return map[string]any{"a": map[string]any{}}
	case strings.HasPrefix(t.name, "Box"):
		return map[string]any{"v": "x"}
	}
	return map[string]any{"x": fmt.Sprint(c.IntN(9))}
}

// operation is a client's edit of the object that it has read: it sets or removes a member or an element, inserts an
// element, or moves one behind the next.
type operation struct {
	version string
	verb    string // create, set, remove, insert, swap, label, restore (annotations of a backup) or nothing
	path    []any  // names and indexes
	value   any
}

func (o operation) String() string {
	text := o.verb
	if o.verb == "create" {
		return "create in " + o.version + ": " + body(o.value)
	}
	if len(o.path) > 0 {
		text += " " + pathText(o.path)
	}
	if o.value != nil {
		text += " to " + text0(o.value)
	}
	return "in " + o.version + ": " + text
}

// body is an object without type and metadata.
func body(v any) string {
	object, _ := v.(map[string]any)
	own := map[string]any{}
	for name, value := range object {
		if name != "apiVersion" && name != "kind" && name != "metadata" {
			own[name] = value
		}
	}
	return string(encode(own))
}

func pathText(path []any) string {
	var b strings.Builder
	for i, at := range path {
		if n, ok := at.(int); ok {
			fmt.Fprintf(&b, "[%d]", n)
			continue
		}
		if i > 0 {
			b.WriteByte('.')
		}
		fmt.Fprint(&b, at)
	}
	return b.String()
}

// apply carries an operation out. It returns false if the object has no such place.
func (o operation) apply(object map[string]any) bool {
	if o.verb == "label" {
		meta := metadata(object)
		labels, _ := meta["labels"].(map[string]any)
		if labels == nil {
			labels = map[string]any{}
			meta["labels"] = labels
		}
		labels["touched"] = o.value
		return true
	}
	if len(o.path) == 0 {
		return o.verb == "nothing" || o.verb == "restore"
	}
	_, done := o.at(object, o.path)
	return done
}

// at carries the operation out below a value, and returns the value that takes its place.
func (o operation) at(value any, path []any) (any, bool) {
	value2 := copied(o.value)
	switch at := path[0].(type) {
	case string:
		members, ok := value.(map[string]any)
		if !ok {
			return value, false
		}
		if len(path) > 1 {
			inner, present := members[at]
			if !present {
				return value, false
			}
			replaced, done := o.at(inner, path[1:])
			members[at] = replaced
			return members, done
		}
		_, present := members[at]
		switch {
		case o.verb == "set":
			members[at] = value2
		case o.verb == "remove" && present:
			delete(members, at)
		default:
			return value, false
		}
		return members, true
	case int:
		elements, ok := value.([]any)
		if !ok || at > len(elements) || at == len(elements) && o.verb != "insert" {
			return value, false
		}
		if len(path) > 1 {
			replaced, done := o.at(elements[at], path[1:])
			elements[at] = replaced
			return elements, done
		}
		switch {
		case o.verb == "set":
			elements[at] = value2
		case o.verb == "remove":
			elements = slices.Delete(elements, at, at+1)
		case o.verb == "insert":
			elements = slices.Insert(elements, at, value2)
		case o.verb == "swap" && at+1 < len(elements):
			elements[at], elements[at+1] = elements[at+1], elements[at]
		default:
			return value, false
		}
		return elements, true
	}
	return value, false
}

func copied(v any) any {
	return clone(map[string]any{"v": v})["v"]
}

// place is a member or element of an object that a client may edit.
type place struct {
	f        *field
	t        *typ
	path     []any
	value    any
	present  bool
	optional bool
}

// places returns all members and elements of an object, with the absent members of its types.
func places(s *structure, object map[string]any, path []any) []place {
	var all []place
	for _, f := range s.members() {
		value, present := object[f.json]
		p := place{f, f.t, append(slices.Clone(path), f.json), value, present, !f.limits.required && f.tag != "" && f.json != "name"}
		all = append(all, p)
		if present {
			all = append(all, inside(p)...)
		}
	}
	return all
}

func inside(p place) []place {
	var all []place
	t := p.t.value()
	switch value := p.value.(type) {
	case map[string]any:
		if t.kind == structKind {
			return places(t.structure, value, p.path)
		}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if t.kind == dictionary {
				element := place{&field{}, t.elem, append(slices.Clone(p.path), key), value[key], true, true}
				all = append(append(all, element), inside(element)...)
			}
		}
	case []any:
		for i, element := range value {
			if t.kind == list {
				element := place{&field{}, t.elem, append(slices.Clone(p.path), i), element, true, true}
				all = append(append(all, element), inside(element)...)
			}
		}
	}
	return all
}

// operation invents something to do with an object of a version.
func (c client) operation(v *version, object map[string]any) operation {
	o := operation{version: v.name, verb: "nothing"}
	switch c.IntN(13) {
	case 0:
		return o
	case 2:
		o.verb = "restore"
		return o
	case 1:
		o.verb, o.value = "label", fmt.Sprint(c.IntN(1000))
		return o
	}
	all := places(v.root, object, nil)
	for range 30 {
		p := all[c.IntN(len(all))]
		o.path = p.path
		t := p.t.value()
		elements, isList := p.value.([]any)
		switch roll := c.IntN(6); {
		case !p.present, roll == 0 && t.scalar() && p.f.json != "name":
			o.verb, o.value = "set", c.value(p.f, p.t)
		case roll == 1 && p.optional:
			o.verb = "remove"
		case roll == 2 && isList && len(elements) > 1:
			o.verb, o.path = "swap", append(slices.Clone(p.path), c.IntN(len(elements)-1))
		case roll == 3 && isList:
			more, _ := c.value(p.f, t).([]any)
			for _, element := range more {
				if len(t.keys) == 0 || !slices.ContainsFunc(elements, func(other any) bool { return keyOf(t, other) == keyOf(t, element) }) {
					o.verb, o.path, o.value = "insert", append(slices.Clone(p.path), c.IntN(len(elements)+1)), element
					break
				}
			}
		case roll == 4 && t.kind == dictionary:
			o.verb, o.path, o.value = "set", append(slices.Clone(p.path), "e"), c.value(&field{}, t.elem)
		case roll == 5 && t.scalar() && p.f.json != "name":
			o.verb, o.value = "set", c.value(p.f, p.t)
		}
		if o.verb != "nothing" {
			return o
		}
	}
	o.path = nil
	return o
}

// SPDX-License-Identifier: Apache-2.0

package worlds

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
)

// leaf is a value of an object without further values inside, or the presence of a container.
type leaf struct {
	path  string
	chain []int // the ids of the fields on the way, the own ones included
	own   []int
	elems []string // the elements on the way: keys, or * in a list without keys
	value any
	field *field
	// presence leaves are of containers. The presence of a struct that Go always writes is soft.
	presence, soft bool
	order          bool // the keys of a list in their order
}

// anyElement is an element of a list without keys.
const anyElement = "*"

// leaves returns the values of an object by their paths.
func (v *version) leaves(object map[string]any) map[string]leaf {
	all := map[string]leaf{}
	walk(all, v.root, object, leaf{})
	return all
}

func walk(all map[string]leaf, s *structure, object map[string]any, at leaf) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		here := at
		here.path = strings.TrimPrefix(at.path+"."+name, ".")
		f := s.member(name)
		if f == nil {
			if at.path == "" && slices.Contains([]string{"apiVersion", "kind", "metadata"}, name) {
				continue
			}
			here.value, here.field = object[name], nil
			here.own = nil
			all[here.path] = here
			continue
		}
		here.field, here.own, here.chain = f, f.ids(), append(slices.Clone(at.chain), f.ids()...)
		walkValue(all, f.t, object[name], here)
	}
}

func walkValue(all map[string]leaf, t *typ, value any, at leaf) {
	present := func(soft bool) {
		here := at
		here.path, here.value, here.presence, here.soft = at.path+"{}", true, true, soft
		all[here.path] = here
	}
	isPointer := t.kind == pointer
	t = t.value()
	switch value := value.(type) {
	case map[string]any:
		if t.kind == structKind {
			present(!isPointer && (len(at.elems) == 0 || !strings.HasSuffix(at.path, "]")))
			walk(all, t.structure, value, at)
			return
		}
		if t.kind == dictionary {
			present(true)
			for key, element := range value {
				walkElement(all, t.elem, element, at, key)
			}
			return
		}
	case []any:
		if t.kind == list {
			present(true)
			var order []string
			for i, element := range value {
				key := anyElement
				if len(t.keys) > 0 {
					key = keyOf(t, element)
					order = append(order, key)
				}
				if key == anyElement {
					here := at
					here.path = fmt.Sprintf("%s[%d]", at.path, i)
					here.elems = append(slices.Clone(at.elems), anyElement)
					walkValue(all, t.elem, element, here)
					continue
				}
				walkElement(all, t.elem, element, at, key)
			}
			if order != nil {
				here := at
				here.path, here.value, here.order = at.path+"#order", strings.Join(order, " "), true
				all[here.path] = here
			}
			return
		}
	}
	at.value = value
	all[at.path] = at
}

func walkElement(all map[string]leaf, t *typ, element any, at leaf, key string) {
	here := at
	here.path = at.path + "[" + key + "]"
	here.elems = append(slices.Clone(at.elems), key)
	walkValue(all, t, element, here)
}

// keyOf returns the keys of an element as one text.
func keyOf(t *typ, element any) string {
	members, ok := element.(map[string]any)
	if !ok {
		return anyElement
	}
	var keys []string
	for _, name := range t.keys {
		keys = append(keys, fmt.Sprint(members[name]))
	}
	return strings.Join(keys, "/")
}

// difference is a leaf that two states of an object do not have in common.
type difference struct {
	leaf
	before, after any // nil if absent
}

func (d difference) String() string {
	return fmt.Sprintf("%s: %s, then %s", d.path, text0(d.before), text0(d.after))
}

func text0(v any) string {
	if v == nil {
		return "absent"
	}
	return string(encode(v))
}

// differences compares two states of an object. With soft, the presence of structs that Go always writes counts.
func differences(before, after map[string]leaf, soft bool) []difference {
	var all []difference
	paths := map[string]leaf{}
	maps.Copy(paths, before)
	maps.Copy(paths, after)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		b, isB := before[path]
		a, isA := after[path]
		l := a
		if !isA {
			l = b
		}
		if l.soft && !soft {
			continue
		}
		if l.order {
			if isA && isB && !sameOrder(fmt.Sprint(b.value), fmt.Sprint(a.value)) {
				all = append(all, difference{l, b.value, a.value})
			}
			continue
		}
		if isA != isB && (l.presence || strings.HasSuffix(l.path, "]")) || !sameValue(l, b.value, a.value) {
			all = append(all, difference{l, b.value, a.value})
		}
	}
	return all
}

// sameOrder reports whether the keys that two lists have in common have one order.
func sameOrder(a, b string) bool {
	first, second := strings.Fields(a), strings.Fields(b)
	first = slices.DeleteFunc(first, func(k string) bool { return !slices.Contains(second, k) })
	second = slices.DeleteFunc(second, func(k string) bool { return !slices.Contains(first, k) })
	return slices.Equal(first, second)
}

// sameValue compares values by their meaning. Where Go has a value without a pointer, zero is as good as nothing.
func sameValue(l leaf, a, b any) bool {
	if string(encode(a)) == string(encode(b)) {
		return true
	}
	if l.field == nil {
		return false
	}
	isPointer := l.field.t.kind == pointer && !strings.HasSuffix(l.path, "]")
	if zero(a) && zero(b) {
		return !isPointer
	}
	x, isX := a.(string)
	y, isY := b.(string)
	leafType := l.field.t
	for leafType.elem != nil {
		leafType = leafType.elem
	}
	switch leafType.kind {
	case moment:
		t, err1 := time.Parse(time.RFC3339Nano, x)
		u, err2 := time.Parse(time.RFC3339Nano, y)
		return err1 == nil && err2 == nil && t.Equal(u)
	case duration:
		t, err1 := time.ParseDuration(x)
		u, err2 := time.ParseDuration(y)
		return isX && isY && err1 == nil && err2 == nil && t == u
	case quantity:
		t, err1 := resource.ParseQuantity(fmt.Sprint(a))
		u, err2 := resource.ParseQuantity(fmt.Sprint(b))
		return a != nil && b != nil && err1 == nil && err2 == nil && t.Cmp(u) == 0
	}
	return false
}

// zero reports whether a value is absent, or what Go writes for the zero of a type.
func zero(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == "" || v == "0" || v == "0s"
	case int64:
		return v == 0
	case float64:
		return v == 0
	case bool:
		return !v
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// touched is a field that an edit in one version may change in others, with the elements around it.
type touched struct {
	ids   []int // the fields themselves
	chain []int // and those around them
	elems []string
}

// touches returns what changes between two states of an object touch.
func touches(changes []difference) []touched {
	var all []touched
	for _, c := range changes {
		if c.field == nil { // unknown to Go
			all = append(all, touched{c.chain, c.chain, c.elems})
			continue
		}
		all = append(all, touched{c.own, c.chain, c.elems})
	}
	return all
}

// covers reports whether a change of a leaf in another version may come from the touched field.
func (t touched) covers(l leaf) bool {
	if !slices.ContainsFunc(t.ids, func(id int) bool {
		return slices.Contains(l.chain, id) || l.presence && l.field.t.holds(id)
	}) && !slices.ContainsFunc(l.own, func(id int) bool { return slices.Contains(t.chain, id) }) {
		return false
	}
	for i := range min(len(t.elems), len(l.elems)) {
		if t.elems[i] != anyElement && l.elems[i] != anyElement && t.elems[i] != l.elems[i] {
			return false
		}
	}
	return true
}

func covered(all []touched, l leaf) bool {
	return slices.ContainsFunc(all, func(t touched) bool { return t.covers(l) })
}

// SPDX-License-Identifier: Apache-2.0

package worlds

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// inventor makes a world from a seed.
type inventor struct {
	*world
	*rand.Rand
	pairs []pair // structs that both versions have
	free  map[*field]bool
}

// pair is a struct of the spoke and its counterpart.
type pair struct{ spoke, hub *structure }

var words = []string{"size", "zone", "mode", "owner", "image", "port", "tier", "quota", "limit", "region", "policy", "weight", "target", "volume", "shape", "color",
	"route", "shard", "queue", "level", "depth", "stage", "label", "grade", "share", "range", "lease", "token", "proxy", "cache"}

// invent makes a world. The same seed gives the same world.
func invent(seed uint64) *world {
	w := &world{name: fmt.Sprintf("w%d", seed), seed: seed, features: map[string]int{}, changes: map[int]string{}}
	n := &inventor{world: w, Rand: rand.New(rand.NewPCG(seed, 19)), free: map[*field]bool{}}
	spec := &structure{name: "OrderSpec"}
	n.fill(spec, 0)
	spoke := &version{name: "v1", root: &structure{name: "Order"}}
	spoke.root.fields = append(spoke.root.fields, n.spec(spec))
	c := copier{}
	hub := &version{name: "v2", hub: true, root: c.structure(spoke.root)}
	w.versions = []*version{spoke, hub}
	for _, s := range spoke.structures() {
		n.pairs = append(n.pairs, pair{s, c[s]})
		for i, f := range s.fields {
			n.free[f] = s != spoke.root
			f.plain, c[s].fields[i].plain = true, true
		}
	}
	for range 2 + n.IntN(3) {
		n.edit()
	}
	return w
}

// spec returns the field of the kind's main struct.
func (n *inventor) spec(s *structure) *field {
	f := &field{id: n.id(), goName: "Spec", json: "spec", t: &typ{kind: structKind, structure: s}, tag: "omitempty"}
	if n.IntN(4) == 0 {
		f.tag = ""
	}
	return f
}

func (n *inventor) id() int {
	n.next++
	return n.next
}

// name returns a name that no other field of the world has.
func (n *inventor) name(id int) string {
	name := words[id%len(words)]
	if id >= len(words) {
		name += fmt.Sprint(id / len(words))
	}
	return name
}

func title(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// use counts a feature.
func (n *inventor) use(feature string) { n.features[feature]++ }

// fill gives a struct fields.
func (n *inventor) fill(s *structure, depth int) {
	for range 2 + n.IntN(4-depth) {
		s.fields = append(s.fields, n.field(depth))
	}
}

// field invents a field.
func (n *inventor) field(depth int) *field {
	id := n.id()
	f := &field{id: id, json: n.name(id), goName: title(n.name(id)), tag: "omitempty"}
	f.t = n.typ(f, depth)
	switch {
	case n.IntN(6) == 0 && f.t.scalar():
		f.tag, f.limits.required = "", true
		n.use("required")
	case n.IntN(12) == 0 && f.t.kind != text:
		f.tag = "omitzero"
		n.use("omitzero")
	}
	return f
}

// typ invents a type, and for a text or number sometimes its limits.
func (n *inventor) typ(f *field, depth int) *typ {
	roll := n.IntN(22)
	if depth >= 2 && roll >= 13 {
		roll = n.IntN(13)
	}
	use := func(name string, t *typ) *typ {
		n.use(name)
		return t
	}
	switch {
	case roll < 3:
		if n.IntN(3) == 0 {
			f.limits.enum = []string{"big", "tall", "wide"}
			f.marks = append(f.marks, "+kubebuilder:validation:Enum=big;tall;wide")
			n.use("enum")
		}
		return use("string", &typ{kind: text})
	case roll < 5:
		return use("int32", &typ{kind: integer})
	case roll < 6:
		return use("int64", &typ{kind: long})
	case roll < 7:
		return use("bool", &typ{kind: boolean})
	case roll < 8:
		return use("duration", &typ{kind: duration})
	case roll < 9:
		return use("time", &typ{kind: pointer, elem: &typ{kind: moment}})
	case roll < 10:
		return use("quantity", &typ{kind: quantity})
	case roll < 11:
		return use("intOrString", &typ{kind: pointer, elem: &typ{kind: intOrText}})
	case roll < 12:
		return use("pointer", &typ{kind: pointer, elem: &typ{kind: []kind{text, integer, boolean, long}[n.IntN(4)]}})
	case roll < 13:
		return use("list of strings", &typ{kind: list, elem: &typ{kind: text}})
	case roll < 14:
		return use("map of strings", &typ{kind: dictionary, elem: &typ{kind: text}})
	}
	inner := &typ{kind: structKind, structure: &structure{name: "T" + fmt.Sprint(f.id)}}
	n.fill(inner.structure, depth+1)
	switch {
	case roll < 16:
		return use("struct", inner)
	case roll < 18:
		return use("pointer to struct", &typ{kind: pointer, elem: inner})
	case roll < 19:
		return use("map of structs", &typ{kind: dictionary, elem: inner})
	case roll < 20:
		return use("list", &typ{kind: list, elem: inner})
	}
	id := n.id()
	key := &field{id: id, json: "name", goName: "Name", t: &typ{kind: text}, limits: limits{required: true}, plain: true}
	inner.structure.fields = append([]*field{key}, inner.structure.fields...)
	f.marks = append(f.marks, "+listType=map", "+listMapKey=name")
	return use("keyed list", &typ{kind: list, elem: inner, keys: []string{"name"}})
}

// change is an edit that turns a field of the old version into that of the new one. It returns whether it applies.
type change struct {
	name  string
	apply func(n *inventor, p pair, f, h *field) bool
}

// edit changes something between the versions.
func (n *inventor) edit() {
	for range 40 {
		c := changes[n.IntN(len(changes))]
		p := n.pairs[1+n.IntN(len(n.pairs)-1)]
		f := p.spoke.fields[n.IntN(len(p.spoke.fields))]
		at := slices.IndexFunc(p.hub.fields, func(h *field) bool { return h.id == f.id })
		if at < 0 || !n.free[f] || f.json == "name" {
			continue
		}
		if c.apply(n, p, f, p.hub.fields[at]) {
			n.free[f] = false
			if _, done := n.changes[f.id]; !done {
				n.changes[f.id] = c.name
			}
			n.use("change: " + c.name)
			return
		}
	}
}

// converted notes that a field has another type or values in the hub, and returns false if it cannot have.
func converted(f, h *field, rules ...string) bool {
	f.plain, h.plain = false, false
	f.rules = append(f.rules, rules...)
	return true
}

func bounded(f *field) bool { return len(f.marks) > 0 }

// again gives a field a new name.
func again(h *field) {
	h.json += "New"
	h.goName += "New"
}

var changes = []change{
	{"rename", func(n *inventor, p pair, f, h *field) bool {
		again(h)
		f.rules = append(f.rules, fmt.Sprintf("to=%q", h.json))
		return true
	}},
	{"move", func(n *inventor, p pair, f, h *field) bool {
		id := n.id()
		group := &structure{name: "T" + fmt.Sprint(id), fields: []*field{h}}
		g := &field{id: id, json: n.name(id), goName: title(n.name(id)), tag: "omitempty", t: &typ{kind: structKind, structure: group}}
		if n.IntN(2) == 0 {
			g.t = &typ{kind: pointer, elem: g.t}
		}
		if n.IntN(2) == 0 {
			extra := n.field(2)
			extra.tag, extra.limits.required = "omitempty", false
			n.changes[extra.id] = "new in the hub"
			group.fields = append(group.fields, extra)
		}
		p.hub.fields[slices.Index(p.hub.fields, h)] = g
		n.changes[id] = "move"
		f.rules = append(f.rules, fmt.Sprintf("to=%q", g.json+"."+h.json))
		return true
	}},
	{"new in the hub", func(n *inventor, p pair, f, h *field) bool {
		extra := n.field(1)
		extra.tag, extra.limits.required = "omitempty", false
		n.changes[extra.id] = "new in the hub"
		p.hub.fields = append(p.hub.fields, extra)
		return true
	}},
	{"gone from the hub", func(n *inventor, p pair, f, h *field) bool {
		if len(p.hub.fields) < 2 {
			return false
		}
		p.hub.fields = slices.DeleteFunc(p.hub.fields, func(g *field) bool { return g == h })
		f.tag, f.limits.required = "omitempty", false
		f.rules = append(f.rules, "stash")
		return true
	}},
	{"pointer", func(n *inventor, p pair, f, h *field) bool {
		if !f.t.scalar() {
			return false
		}
		one := []*field{f, h}[n.IntN(2)]
		one.t, one.tag, one.limits.required = &typ{kind: pointer, elem: one.t}, "omitempty", false
		if f.limits.required || h.limits.required {
			return converted(f, h, `to(as: "pointer")`)
		}
		return true
	}},
	{"pointer to struct", func(n *inventor, p pair, f, h *field) bool {
		if f.t.kind != structKind && (f.t.kind != pointer || f.t.elem.kind != structKind) {
			return false
		}
		one, other := f, h
		if n.IntN(2) == 0 {
			one, other = h, f
		}
		inner := func(g *field) *typ { return g.t.value() }
		one.t, other.t = &typ{kind: pointer, elem: inner(one)}, inner(other)
		return true
	}},
	{"enum", func(n *inventor, p pair, f, h *field) bool {
		if f.t.kind != text || f.limits.enum == nil {
			return false
		}
		h.limits.enum = []string{"Big", "Tall", "Wide"}
		h.marks = []string{"+kubebuilder:validation:Enum=Big;Tall;Wide"}
		return converted(f, h, `enum(from: "big", to: "Big")`, `enum(from: "tall", to: "Tall")`, `enum(from: "wide", to: "Wide")`)
	}},
	{"width", func(n *inventor, p pair, f, h *field) bool {
		if f.t.kind != integer && f.t.kind != long {
			return false
		}
		h.t = &typ{kind: integer + long - f.t.kind}
		f.plain, h.plain = false, false
		return true
	}},
	{"seconds", func(n *inventor, p pair, f, h *field) bool {
		if f.t.kind != duration {
			return false
		}
		h.t = &typ{kind: long}
		return converted(f, h, `to(as: "seconds")`)
	}},
	{"text", func(n *inventor, p pair, f, h *field) bool {
		if f.t.kind != integer && f.t.kind != long && f.t.kind != boolean && f.t.kind != quantity || bounded(f) {
			return false
		}
		h.t = &typ{kind: text}
		return converted(f, h, `to(as: "string")`)
	}},
	{"bounds", func(n *inventor, p pair, f, h *field) bool {
		one := []*field{f, h}[n.IntN(2)]
		if bounded(f) {
			return false
		}
		bound := int64(1 + n.IntN(3))
		switch {
		case f.t.kind == integer || f.t.kind == long:
			one.limits.min = &bound
			one.marks = append(one.marks, fmt.Sprint("+kubebuilder:validation:Minimum=", bound))
		case f.t.kind == text && n.IntN(2) == 0:
			one.limits.min = &bound
			one.marks = append(one.marks, fmt.Sprint("+kubebuilder:validation:MinLength=", bound))
		case f.t.kind == text:
			one.limits.max = &bound
			one.marks = append(one.marks, fmt.Sprint("+kubebuilder:validation:MaxLength=", bound))
		case f.t.kind == list && f.t.keys == nil:
			one.limits.min = &bound
			one.marks = append(one.marks, fmt.Sprint("+kubebuilder:validation:MinItems=", bound))
		default:
			return false
		}
		return true
	}},
	{"default", func(n *inventor, p pair, f, h *field) bool {
		if bounded(f) || f.limits.required {
			return false
		}
		sides := []*field{f, h}
		if roll := n.IntN(3); roll < 2 {
			sides = sides[roll : roll+1]
		}
		for _, side := range sides {
			switch side.t.value().kind {
			case text:
				side.fallback = "usual"
			case integer, long:
				side.fallback = int64(5)
			case boolean:
				side.fallback = true
			default:
				return false
			}
			side.marks = append(side.marks, fmt.Sprintf("+kubebuilder:default=%v", side.fallback))
		}
		return true
	}},
	{"keyed", func(n *inventor, p pair, f, h *field) bool {
		if f.t.kind != dictionary || f.t.elem.kind != structKind {
			return false
		}
		id := n.id()
		key := &field{id: id, json: "name", goName: "Name", t: &typ{kind: text}, limits: limits{required: true}}
		n.changes[id] = "constant"
		s := h.t.elem.structure
		s.fields = append([]*field{key}, s.fields...)
		h.t = &typ{kind: list, elem: h.t.elem, keys: []string{"name"}}
		h.marks = append(h.marks, "+listType=map", "+listMapKey=name")
		return converted(f, h, `to(as: "keyed:name")`)
	}},
	{"first", func(n *inventor, p pair, f, h *field) bool {
		if f.t.kind != list || f.t.elem.kind != text || bounded(f) {
			return false
		}
		h.t = f.t.elem
		return converted(f, h, `to(as: "first")`)
	}},
	{"wrap", func(n *inventor, p pair, f, h *field) bool {
		if !f.t.scalar() || bounded(f) {
			return false
		}
		id := n.id()
		inner := &field{id: f.id, json: "value", goName: "Value", t: h.t, tag: "omitempty"}
		s := &structure{name: "T" + fmt.Sprint(id), fields: []*field{inner}}
		if n.IntN(2) == 0 {
			extra := n.field(2)
			extra.tag, extra.limits.required = "omitempty", false
			n.changes[extra.id] = "new in the hub"
			s.fields = append(s.fields, extra)
		}
		h.t, h.tag, h.limits = &typ{kind: pointer, elem: &typ{kind: structKind, structure: s}}, "omitempty", limits{}
		return converted(f, h, `to(as: "wrap:value")`)
	}},
}

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
	turn  uint64 // how many worlds of the theme came before
}

// pair is a struct of the spoke and its counterpart.
type pair struct{ spoke, hub *structure }

var words = []string{"size", "zone", "mode", "owner", "image", "port", "tier", "quota", "limit", "region", "policy", "weight", "target", "volume", "shape", "color",
	"route", "shard", "queue", "level", "depth", "stage", "label", "grade", "share", "range", "lease", "token", "proxy", "cache"}

// themes are the special features of worlds. Every world has one, in turns, and random changes besides.
var themes = []struct {
	name  string
	apply func(n *inventor)
}{
	{"", func(*inventor) {}},
	{"three versions", func(*inventor) {}}, // see invent
	{"embedded", func(n *inventor) { n.embed(false) }},
	{"shadowed", func(n *inventor) { n.embed(true) }},
	{"unknown members", (*inventor).preserve},
	{"recursive", (*inventor).recurse},
	{"two kinds", func(n *inventor) {
		n.second = true
		n.force("bounds")
	}},
	{"limits", (*inventor).limit},
	{"union", (*inventor).union},
	{"shared struct", (*inventor).share},
	{"status", (*inventor).status},
	{"keyed", func(n *inventor) { n.force("keyed") }},
	{"bounds", func(n *inventor) { n.force("bounds") }},
	{"default", func(n *inventor) { n.force("default") }},
	{"hooks", (*inventor).hook},
	{"nullable", (*inventor).null},
}

// invent makes a world. The same seed gives the same world.
func invent(seed uint64) *world {
	w := &world{name: fmt.Sprintf("w%d", seed), seed: seed, features: map[string]int{}, changes: map[int]string{}, hooks: map[string]string{}}
	n := &inventor{world: w, Rand: rand.New(rand.NewPCG(seed, 19)), free: map[*field]bool{}, turn: seed / uint64(len(themes))}
	theme := themes[seed%uint64(len(themes))]
	w.theme = theme.name
	n.use("theme: " + theme.name)
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
	theme.apply(n)
	n.force(changes[(seed+n.turn)%uint64(len(changes))].name)
	for range n.IntN(3) {
		n.edit("")
	}
	if theme.name == "three versions" {
		n.force("gone from the hub")
		n.third()
	}
	return w
}

// third adds a spoke that has the rules of the first one.
func (n *inventor) third() {
	spoke, hub := n.versions[0], n.hub()
	other := &version{"v2", false, copier{}.structure(spoke.root), slices.Clone(spoke.rules)}
	hub.name = "v3"
	s := other.root.fields[0].t.structure
	if i := n.IntN(len(s.fields)); len(s.fields) > 1 && len(s.fields[i].rules) == 0 && s.fields[i].t.scalar() {
		s.fields = slices.Delete(s.fields, i, i+1)
	}
	n.versions = []*version{spoke, other, hub}
}

// force makes a change of a name, on a field that is added for it if none fits.
func (n *inventor) force(name string) {
	if n.edit(name) {
		return
	}
	f := n.of(&typ{kind: integer})
	inside := func() *typ {
		return structOf(&structure{name: fmt.Sprint("T", f.id), fields: []*field{n.field(2)}})
	}
	switch name {
	case "keyed":
		f.t = &typ{kind: dictionary, elem: inside()}
	case "json":
		f.t = &typ{kind: list, elem: inside()}
	case "pointer to struct":
		f.t = inside()
	case "enum":
		f.t = &typ{kind: text}
		f.limits.enum = []string{"big", "tall", "wide"}
		f.marks = []string{"+kubebuilder:validation:Enum=big;tall;wide"}
	case "seconds":
		f.t = &typ{kind: duration}
	case "first", "join", "each":
		f.t = &typ{kind: list, elem: &typ{kind: text}}
	case "not":
		f.t = &typ{kind: boolean}
	}
	n.add(n.main(), f)
	n.edit(name)
}

// add gives a field to a struct of both versions, whose structs inside are pairs, too.
func (n *inventor) add(p pair, f *field) *field {
	c := copier{}
	twin := *f
	twin.t, twin.marks = c.typ(f.t), slices.Clone(f.marks)
	f.plain, twin.plain = true, true
	p.spoke.fields, p.hub.fields = append(p.spoke.fields, f), append(p.hub.fields, &twin)
	n.free[f] = true
	for s, t := range c {
		n.pairs = append(n.pairs, pair{s, t})
		for i := range s.fields {
			s.fields[i].plain, t.fields[i].plain = true, true
			n.free[s.fields[i]] = true
		}
	}
	slices.SortStableFunc(n.pairs[1:], func(a, b pair) int { return strings.Compare(a.spoke.name, b.spoke.name) })
	return &twin
}

// main returns the pair of the specs.
func (n *inventor) main() pair {
	return n.pairs[slices.IndexFunc(n.pairs, func(p pair) bool { return p.spoke.name == "OrderSpec" })]
}

// some returns a pair of structs.
func (n *inventor) some() pair { return n.pairs[1+n.IntN(len(n.pairs)-1)] }

// embed moves a field of one version into an embedded struct. With shadowed, that struct has a second field of a name.
func (n *inventor) embed(shadowed bool) {
	p := n.some()
	s := []*structure{p.spoke, p.hub}[n.IntN(2)]
	if shadowed {
		s = p.spoke
	}
	at := 0
	if len(s.fields) > 1 && s.fields[0].json == "name" {
		at = 1
	}
	id := n.id()
	base := &structure{name: fmt.Sprint("Base", id), fields: []*field{s.fields[at]}}
	inline := &field{id: id, t: &typ{kind: structKind, structure: base}, embedded: true, plain: true}
	s.fields = append(slices.Delete(s.fields, at, at+1), inline)
	if shadowed {
		f := n.of(&typ{kind: text})
		twin := n.add(p, f)
		f.shadows, n.free[f] = true, false
		base.fields = append(base.fields, &field{id: n.id(), goName: f.goName, json: f.json, t: f.t, tag: f.tag})
		if n.IntN(2) == 0 { // without text that is equal in both versions
			twin.t = &typ{kind: pointer, elem: &typ{kind: text}}
		}
	}
}

// preserve lets a struct of both versions have members that Go does not know.
func (n *inventor) preserve() {
	inner := &structure{name: fmt.Sprint("T", n.id()), fields: []*field{n.field(2)}}
	f := n.of(pointerTo(structOf(inner)), "+kubebuilder:pruning:PreserveUnknownFields")
	f.limits.preserve = true
	n.add(n.some(), f)
}

// recurse adds a field of a type that contains itself.
func (n *inventor) recurse() {
	kinds := []typ{
		{name: "Tree", source: "type Tree []Tree"},
		{name: "Tree", source: "type Tree map[string]Tree"},
		{name: "*Cycle", source: "type Cycle struct {\n\t*Cycle `json:\",inline\"`\n\tX string `json:\"x,omitempty\"`\n}"},
		{name: "*Chain", source: "type Chain struct {\n\tNext *Chain `json:\"next,omitempty\"`\n\tX string `json:\"x,omitempty\"`\n}"},
		{name: "Box[string]", source: "type Box[T any] struct {\n\tV T `json:\"v,omitempty\"`\n\tB *Box[[]T] `json:\"b,omitempty\"`\n}"},
	}
	t := kinds[n.turn%uint64(len(kinds))]
	t.kind = named
	n.add(n.main(), n.of(&t, "+kubebuilder:validation:Schemaless", "+kubebuilder:pruning:PreserveUnknownFields"))
	n.force("rename")
}

// limit adds a struct to the hub whose members have limits that are younger than objects.
func (n *inventor) limit() {
	inner := &structure{name: fmt.Sprint("T", n.id())}
	for range 2 {
		f := n.of(&typ{kind: text})
		n.changes[f.id] = "new in the hub"
		inner.fields = append(inner.fields, f)
	}
	three := int64(3)
	inner.fields[0].limits.max = &three
	inner.fields[0].marks = []string{"+kubebuilder:validation:MaxLength=3"}
	p := n.some()
	if n.IntN(2) == 0 {
		p.hub.fields = append(p.hub.fields, inner.fields...)
		return
	}
	f := n.of(pointerTo(structOf(inner)))
	n.changes[f.id] = "new in the hub"
	p.hub.fields = append(p.hub.fields, f)
}

// union adds a struct with one set member, which a discriminator names.
func (n *inventor) union() {
	s := &structure{name: fmt.Sprint("T", n.id())}
	s.marks = []string{"+kubebuilder:validation:XValidation:" +
		"rule=\"(self.type == 'Left') == has(self.left) && (self.type == 'Right') == has(self.right)\""}
	for _, name := range []string{"type", "left", "right"} {
		inner := &structure{name: fmt.Sprint("T", n.id())}
		n.fill(inner, 2)
		f := n.of(pointerTo(structOf(inner)))
		if name == "type" {
			f = n.of(&typ{kind: text}, "+kubebuilder:validation:Enum=Left;Right")
			f.tag, f.limits = "", limits{required: true, enum: []string{"Left", "Right"}}
		}
		f.json, f.goName = name, title(name)
		s.fields = append(s.fields, f)
	}
	n.add(n.some(), n.of(pointerTo(structOf(s))))
	for _, g := range s.fields {
		n.free[g] = false
	}
}

// share gives a struct a second field of the type of another one.
func (n *inventor) share() {
	for _, p := range n.pairs[2:] { // behind the kind and its spec
		f := n.of(pointerTo(structOf(p.spoke)))
		twin := *f
		twin.t = pointerTo(structOf(p.hub))
		spec := n.main()
		spec.spoke.fields, spec.hub.fields = append(spec.spoke.fields, f), append(spec.hub.fields, &twin)
		return
	}
}

// status adds a status with conditions, which may be elsewhere in the hub.
func (n *inventor) status() {
	member := func(json string, t *typ, tag string, marks ...string) *field {
		f := n.of(t, marks...)
		f.json, f.goName, f.tag, f.limits.required = json, title(json), tag, tag == ""
		return f
	}
	condition := &structure{name: "Condition", fields: []*field{member("type", &typ{kind: text}, ""), member("status", &typ{kind: text}, ""),
		member("lastTransitionTime", &typ{kind: moment}, ""), member("reason", &typ{kind: text}, "omitempty")}}
	keyed := &typ{kind: list, elem: structOf(condition), keys: []string{"type"}}
	conditions := member("conditions", keyed, "omitempty", "+listType=map", "+listMapKey=type")
	s := &structure{name: "OrderStatus", fields: []*field{conditions, n.field(2)}}
	f := member("status", structOf(s), "omitempty")
	n.add(n.pairs[0], f)
	n.free[f] = false
	for _, g := range condition.fields {
		n.free[g] = false
	}
	if n.IntN(3) > 0 {
		last := n.pairs[slices.IndexFunc(n.pairs, func(p pair) bool { return p.spoke == s })]
		changeOf("move").apply(n, last, conditions, last.hub.fields[0])
		n.free[conditions] = false
		n.changes[conditions.id] = "move"
	}
}

// null lets fields of both versions be null.
func (n *inventor) null() {
	n.add(n.some(), n.of(pointerTo(&typ{kind: text}), "+nullable"))
}

// hook adds fields that code of the user converts.
func (n *inventor) hook() {
	if n.turn%2 == 1 {
		n.hookList()
		return
	}
	f, p := n.of(&typ{kind: text}), n.main()
	h := n.add(p, f)
	again(h)
	f.plain, h.plain = false, false
	n.free[f] = false
	n.changes[f.id] = "hook"
	f.rules = []string{fmt.Sprintf("custom(hub: %q)", h.json)}
	there, back := "src."+f.goName, "src."+h.goName
	if n.IntN(2) == 0 { // loses the case
		n.changes[f.id] = "lossy hook"
		there = "strings.ToUpper(" + there + ")"
	}
	n.hooks[p.spoke.name+f.goName+"ToHub"] = fmt.Sprintf("src *api.%s, dst *hub.%s) error {\n\tdst.%s = %s\n\treturn nil\n}", p.spoke.name, p.hub.name, h.goName, there)
	n.hooks[p.spoke.name+f.goName+"FromHub"] = fmt.Sprintf("src *hub.%s, dst *api.%s) error {\n\tdst.%s = %s\n\treturn nil\n}", p.hub.name, p.spoke.name, f.goName, back)
}

// hookList adds lists with keys that code of the user converts. Each version has a member that the other one lacks, and
// the hub lacks an element.
func (n *inventor) hookList() {
	key := n.of(&typ{kind: text})
	key.json, key.goName, key.tag, key.limits.required = "name", "Name", "", true
	s := &structure{name: fmt.Sprint("T", n.id()), fields: []*field{key, n.of(&typ{kind: text})}}
	f, p := n.of(&typ{kind: list, elem: structOf(s), keys: []string{"name"}}, "+listType=map", "+listMapKey=name"), n.main()
	h := n.add(p, f)
	again(h)
	n.detach(f.t)
	t := h.t.elem.structure
	note, more := s.fields[1], n.of(&typ{kind: text})
	t.fields = []*field{t.fields[0], more}
	for _, g := range []*field{f, h, key, t.fields[0], note, more} {
		g.plain = false
	}
	n.free[f] = false
	n.changes[f.id], n.changes[note.id], n.changes[more.id] = "hooked list", "gone from the hub", "new in the hub"
	f.rules = []string{fmt.Sprintf("custom(hub: %q)", h.json)}
	each := func(parameters, from, to, element string) string {
		return fmt.Sprintf("%s) error {\n\tfor _, e := range src.%s {\n\t\tif e.Name != \"b\" {\n\t\t\tdst.%s = append(dst.%[3]s, %[4]s{Name: e.Name})\n\t\t}\n\t}\n\treturn nil\n}",
			parameters, from, to, element)
	}
	n.hooks[p.spoke.name+f.goName+"ToHub"] = each(fmt.Sprintf("src *api.%s, dst *hub.%s", p.spoke.name, p.hub.name), f.goName, h.goName, "hub."+t.name)
	n.hooks[p.spoke.name+f.goName+"FromHub"] = each(fmt.Sprintf("src *hub.%s, dst *api.%s", p.hub.name, p.spoke.name), h.goName, f.goName, "api."+s.name)
}

func changeOf(name string) change {
	return changes[slices.IndexFunc(changes, func(c change) bool { return c.name == name })]
}

// spec returns the field of the kind's main struct.
func (n *inventor) spec(s *structure) *field {
	f := n.of(structOf(s))
	f.json, f.goName = "spec", "Spec"
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

// of returns a new optional field of a type.
func (n *inventor) of(t *typ, marks ...string) *field {
	id := n.id()
	return &field{id: id, json: n.name(id), goName: title(n.name(id)), tag: "omitempty", t: t, marks: marks, plain: true}
}

func structOf(s *structure) *typ { return &typ{kind: structKind, structure: s} }

func pointerTo(t *typ) *typ { return &typ{kind: pointer, elem: t} }

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

// change turns a field of the old version into one of the new version. It returns whether it applies.
type change struct {
	name  string
	apply func(n *inventor, p pair, f, h *field) bool
}

// edit changes something between the versions: in the way of a name, or in any.
func (n *inventor) edit(name string) bool {
	for range 60 {
		c := changes[n.IntN(len(changes))]
		if name != "" {
			c = changeOf(name)
		}
		p := n.some()
		if len(p.spoke.fields) == 0 {
			continue
		}
		f := p.spoke.fields[n.IntN(len(p.spoke.fields))]
		at := slices.IndexFunc(p.hub.fields, func(h *field) bool { return h.id == f.id })
		if at < 0 || !n.free[f] || f.json == "name" {
			continue
		}
		before := slices.Clone(n.pairs)
		if c.apply(n, p, f, p.hub.fields[at]) {
			n.free[f] = false
			if _, done := n.changes[f.id]; !done && c.name != "new in the hub" {
				n.changes[f.id] = c.name
			}
			n.use("change: " + c.name)
			return true
		}
		n.pairs = before
	}
	return false
}

// detach takes the structs of a type out of the pairs: rules in them would reach nothing.
func (n *inventor) detach(t *typ) {
	s := t.inner()
	if s == nil {
		return
	}
	n.pairs = slices.DeleteFunc(n.pairs, func(p pair) bool { return p.spoke == s || p.hub == s })
	for _, f := range s.fields {
		f.rules = nil
		n.detach(f.t)
	}
}

// extra gives a struct of the hub a field that the spoke lacks.
func (n *inventor) extra(s *structure) {
	f := n.field(1)
	f.tag, f.limits.required = "omitempty", false
	n.changes[f.id] = "new in the hub"
	s.fields = append(s.fields, f)
}

// converted notes that a field has another type or values in the hub, and returns false if it cannot have.
func converted(f, h *field, rules ...string) bool {
	f.plain, h.plain = false, false
	f.rules = append(f.rules, rules...)
	return true
}

// converts returns a change to another type, by a rule.
func converts(is func(*field) bool, to kind, rule string) func(*inventor, pair, *field, *field) bool {
	return func(_ *inventor, _ pair, f, h *field) bool {
		if !is(f) {
			return false
		}
		h.t = &typ{kind: to}
		return converted(f, h, rule)
	}
}

func isTexts(f *field) bool { return f.t.kind == list && f.t.elem.kind == text && !bounded(f) }

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
		group := &structure{name: fmt.Sprint("T", n.id()), fields: []*field{h}}
		g := n.of(structOf(group))
		if n.IntN(2) == 0 {
			g.t = pointerTo(g.t)
		}
		if n.IntN(2) == 0 {
			n.extra(group)
		}
		p.hub.fields[slices.Index(p.hub.fields, h)] = g
		n.changes[g.id] = "move"
		f.rules = append(f.rules, fmt.Sprintf("to=%q", g.json+"."+h.json))
		return true
	}},
	{"new in the hub", func(n *inventor, p pair, f, h *field) bool {
		n.extra(p.hub)
		return true
	}},
	{"gone from the hub", func(n *inventor, p pair, f, h *field) bool {
		if len(p.hub.fields) < 2 {
			return false
		}
		p.hub.fields = slices.DeleteFunc(p.hub.fields, func(g *field) bool { return g == h })
		f.tag, f.limits.required = "omitempty", false
		f.rules = append(f.rules, "stash")
		n.detach(f.t)
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
	{"seconds", converts(func(f *field) bool { return f.t.kind == duration }, long, `to(as: "seconds")`)},
	{"text", converts(func(f *field) bool { return f.t.scalar() && f.t.kind != text && f.t.kind != duration && !bounded(f) }, text, `to(as: "string")`)},
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
	{"first", converts(func(f *field) bool { return isTexts(f) }, text, `to(as: "first")`)},
	{"wrap", func(n *inventor, p pair, f, h *field) bool {
		if f.t.kind > boolean || bounded(f) {
			return false
		}
		id := n.id()
		inner := &field{id: f.id, json: "value", goName: "Value", t: h.t, tag: "omitempty"}
		s := &structure{name: "T" + fmt.Sprint(id), fields: []*field{inner}}
		if n.IntN(2) == 0 {
			n.extra(s)
		}
		h.t, h.tag, h.limits = pointerTo(structOf(s)), "omitempty", limits{}
		return converted(f, h, `to(as: "wrap:value")`)
	}},
	{"not", converts(func(f *field) bool { return f.t.kind == boolean }, boolean, `to(as: "not")`)},
	{"join", converts(func(f *field) bool { return isTexts(f) }, text, `to(as: "join:,")`)},
	{"each", func(n *inventor, p pair, f, h *field) bool {
		if !isTexts(f) {
			return false
		}
		id := n.id()
		n.changes[id] = "each"
		inner := &field{id: id, also: []int{f.id}, json: "value", goName: "Value", t: f.t.elem}
		h.t = &typ{kind: list, elem: &typ{kind: structKind, structure: &structure{name: fmt.Sprint("T", id), fields: []*field{inner}}}}
		return converted(f, h, `to(as: "each;wrap:value")`)
	}},
	{"annotation", func(n *inventor, p pair, f, h *field) bool {
		if p != n.main() || len(p.hub.fields) < 2 {
			return false
		}
		p.hub.fields = slices.DeleteFunc(p.hub.fields, func(g *field) bool { return g == h })
		f.tag, f.limits.required = "omitempty", false
		n.detach(f.t)
		n.versions[0].rules = append(n.versions[0].rules, fmt.Sprintf("to(field: \"spec.%s\", path: \"metadata.annotations[example.com/%[1]s]\", as: \"json\")", f.json))
		return true
	}},
	{"json", func(n *inventor, p pair, f, h *field) bool {
		if f.t.inner() == nil || f.t.kind == structKind {
			return false
		}
		h.t, h.marks = &typ{kind: text}, nil
		n.detach(f.t)
		return converted(f, h, `to(as: "json")`)
	}},
	{"tag", func(n *inventor, p pair, f, h *field) bool {
		if f.tag != "omitempty" || f.t.kind == text {
			return false
		}
		[]*field{f, h}[n.IntN(2)].tag = "omitzero"
		return true
	}},
	{"required", func(n *inventor, p pair, f, h *field) bool {
		if f.tag == "" || !f.t.scalar() || f.fallback != nil || f.limits.enum != nil {
			return false
		}
		one := []*field{f, h}[n.IntN(2)]
		one.tag, one.limits.required = "", true
		return true
	}},
}

// SPDX-License-Identifier: Apache-2.0

package worlds

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// fault is a violation of what conversions promise.
type fault struct {
	judge   string // the letter of the rule that it violates
	class   string
	version string // in which it shows
	chain   []int  // the fields on the way to the value
	at      difference
	detail  string
	// reported is the rule of webhook-gen's finding about the field, if it has one.
	reported string
	// silent is set if the plan admits a loss that the annotation should make up for; else the plan is false.
	silent bool
}

// session is what clients do with one object.
type session struct {
	storage string
	// older means that the first object was stored before its version had limits.
	older      bool
	operations []operation // the first one creates the object
}

// play lets clients do the operations, and then more of them that r invents, and judges every state. It returns the
// session with all operations, the first fault, and a log.
func (m *made) play(c *converter, s session, t *tally, r *rand.Rand, more int) (session, *fault, []string) {
	p := player{server: &server{made: m, converter: c, storage: s.storage, lenient: s.older}, tally: t, older: s.older}
	for i := 0; i < len(s.operations) || i < 1+more && p.reads != nil; i++ {
		if i == len(s.operations) {
			v := m.versions[r.IntN(len(m.versions))]
			s.operations = append(slices.Clip(s.operations), client{r}.operation(v, clone(p.reads[v.name])))
		}
		if f := p.step(s.operations[i]); f != nil {
			return s, f, p.log
		}
	}
	return s, nil, p.log
}

// tally counts worlds, requests and features.
type tally struct {
	worlds, refusals, objects, edits, reads int
	refused, invalid                        int      // requests
	reported                                int      // faults that a finding announces
	lossless                                int      // worlds that lose nothing
	alarms                                  []string // findings about these
	features                                map[string]int
}

// add counts a world.
func (t *tally) add(m *made) {
	t.worlds++
	if m.broken == "refused" {
		t.refusals++
	}
	if t.features == nil {
		t.features = map[string]int{}
	}
	for name, n := range m.features {
		t.features[name] += n
	}
	for _, change := range m.changes {
		if slices.Contains([]string{"bounds", "default", "required", "lossy hook", "hooked list"}, change) {
			return
		}
	}
	if slices.Contains([]string{"recursive", "three versions", "unknown members"}, m.theme) {
		return // the hub lacks a field of both spokes, Go lacks members
	}
	t.lossless++
	warned := slices.ContainsFunc(m.findings, func(f finding) bool {
		// Edits of elements without keys lose members in most worlds, and objects without a spec are in all of them.
		return f.Severity != "note" && f.Rule != "V16" && f.Rule != "V21"
	})
	if warned || m.broken == "refused" {
		t.alarms = append(t.alarms, fmt.Sprintf("world %d: %s %v", m.seed, m.broken, m.findings))
	}
}

// silent reports whether the plan admits that the value of a fault may need the annotation: false if it claims that
// nothing is lost.
func (m *made) silent(f *fault) bool {
	path := element.ReplaceAllString(f.at.path, "[]")
	return slices.ContainsFunc(m.plan, func(p fieldPlan) bool {
		return (p.Spoke == path || p.Hub == path) && p.LostToHub+p.LostFromHub != ""
	})
}

var element = regexp.MustCompile(`\[[^\]]*\]`)

type player struct {
	*server
	tally *tally
	older bool                      // see session
	reads map[string]map[string]any // the last read of each version
	// backup are the annotations of the first read of each version.
	backup map[string]any
	log    []string
}

// counts completes a fault, and reports whether it counts: no finding announces it.
func (p *player) counts(f *fault) bool {
	if f == nil {
		return false
	}
	if p.complete(f, p.older); f.reported != "" {
		p.tally.reported++
	}
	return f.reported == ""
}

func (p *player) note(format string, args ...any) {
	p.log = append(p.log, fmt.Sprintf(format, args...))
}

// step lets a client do one thing, and then reads the object in every version.
func (p *player) step(o operation) *fault {
	var object map[string]any
	if o.verb == "create" {
		object, _ = copied(o.value).(map[string]any)
	} else {
		if p.reads == nil {
			return nil
		}
		object = clone(p.reads[o.version])
		if !o.apply(object) {
			return nil
		}
		if o.verb == "restore" {
			metadata(object)["annotations"] = copied(p.backup[o.version])
			if p.backup[o.version] == nil {
				delete(metadata(object), "annotations")
			}
		}
	}
	refused := (*invalid)(nil)
	switch err := p.write(o.version, object); {
	case errors.As(err, &refused):
		p.tally.invalid++
		return nil
	case errors.Is(err, errRefused):
		p.tally.refused++
		return nil
	case err != nil:
		f := &fault{judge: "crash", version: o.version, detail: err.Error()}
		p.complete(f, p.older)
		return f
	}
	p.note("%s", o)
	if o.verb == "create" {
		p.tally.objects++
	} else {
		p.tally.edits++
	}
	before := p.reads
	p.reads = map[string]map[string]any{}
	for _, v := range p.versions {
		p.tally.reads++
		read, err := p.read(v.name)
		if errors.Is(err, errRefused) && !p.version(p.storage).hub {
			p.tally.refused++ // a program promises to read objects of the version that it is made for: the hub
			p.reads = nil
			return nil
		}
		if err != nil {
			f := &fault{judge: "c", version: v.name, detail: "reading fails: " + err.Error()}
			p.complete(f, p.older)
			return f
		}
		p.reads[v.name] = read
	}
	if before == nil {
		p.backup = map[string]any{}
		for name, read := range p.reads {
			p.backup[name] = copied(metadata(read)["annotations"])
		}
	}
	writer := p.version(o.version)
	written := writer.leaves(object)
	var touch []touched
	if before != nil {
		touch = touches(differences(writer.leaves(before[o.version]), written, true))
	}
	for _, v := range append([]*version{writer}, p.versions...) { // a fault in the client's own version is the plainest
		read := v.leaves(p.reads[v.name])
		var f *fault
		switch {
		case v == writer:
			f = p.own(o, v, written, read)
		case before == nil:
			if f = p.appears(writer, v, written, read); f == nil {
				f = p.first(writer, v, written, read)
			}
		case o.verb == "restore": // values of the annotations may be older
			f = p.first(writer, v, written, read)
		default:
			f = p.others(v, v.leaves(before[v.name]), read, touch)
			if f == nil && o.verb == "remove" {
				if f = p.removed(writer, v, before[o.version], o, read); f == nil {
					f = p.returns(writer, v, before, o, read)
				}
			}
		}
		if f == nil {
			f = p.valid(v)
		}
		if f != nil {
			for _, v := range p.versions {
				p.note("%s then reads %s", v.name, body(p.reads[v.name]))
			}
			return f
		}
	}
	return nil
}

// own judges what a client reads back in the version in which it has written.
func (p *player) own(o operation, v *version, written, read map[string]leaf) *fault {
	for _, d := range differences(written, read, false) {
		if p.forbidden(d.leaf) {
			continue
		}
		judge := "a"
		if d.order {
			judge = "e"
		} else if o.verb == "remove" && d.before == nil && strings.HasPrefix(d.path, strings.TrimPrefix(pathText(o.path), ".")) {
			judge = "d"
		}
		f := &fault{judge: judge, version: v.name, chain: d.chain, at: d, detail: v.name + " writes and reads " + d.String()}
		if p.counts(f) {
			return f
		}
	}
	return nil
}

// appears judges whether another version has values of a new object that nobody wrote.
func (p *player) appears(writer, v *version, written, read map[string]leaf) *fault {
	ids := map[int]bool{}
	for _, l := range written {
		for _, id := range l.chain {
			ids[id] = true
		}
	}
	for _, d := range differences(nil, read, false) {
		if d.presence || d.order || zero(d.value) || d.field == nil {
			continue
		}
		known := slices.ContainsFunc(d.own, func(id int) bool { return ids[id] })
		if !known && !p.fallback(d.leaf) && p.changes[d.own[0]] != "constant" && p.changes[d.own[0]] != "not" {
			f := &fault{judge: "f", version: v.name, chain: d.chain, at: d, detail: fmt.Sprintf("%s reads %s at %s, which %s has not written", v.name, text0(d.value), d.path, writer.name)}
			if p.counts(f) {
				return f
			}
		}
	}
	return nil
}

// first judges whether another version has the values of an object that both can hold.
func (p *player) first(writer, v *version, written, read map[string]leaf) *fault {
	if p.theme == "shared struct" {
		return nil // ids are of several places
	}
	have := map[string]leaf{}
	for _, l := range read {
		have[l.place()] = l
	}
	for _, d := range differences(written, nil, false) {
		other := v.field(d.own)
		if d.field == nil || !d.field.plain || d.presence || d.order || other == nil || !other.plain || slices.Contains(d.elems, anyElement) {
			continue
		}
		if got, ok := have[d.place()]; !ok && !zero(d.value) || ok && !sameValue(d.leaf, d.value, got.value) && !(zero(d.value) && p.fallback(got)) {
			f := &fault{judge: "a", version: v.name, chain: d.chain, at: d, detail: fmt.Sprintf("%s writes %s at %s, and %s reads %s", writer.name, text0(d.value), d.path, v.name, text0(got.value))}
			if p.counts(f) {
				return f
			}
		}
	}
	return nil
}

// place identifies a value in all versions.
func (l leaf) place() string { return fmt.Sprint(l.own, l.elems) }

// field returns the field with one of the ids.
func (v *version) field(ids []int) *field {
	for _, s := range v.structures() {
		for _, f := range s.fields {
			if slices.ContainsFunc(f.ids(), func(id int) bool { return slices.Contains(ids, id) }) {
				return f
			}
		}
	}
	return nil
}

// fallback reports whether a value is the default of a field in some version, by markers of either kind.
func (p *player) fallback(l leaf) bool {
	for _, v := range p.versions {
		if f := v.field(l.own); f != nil && f.fallback != nil && fmt.Sprint(f.fallback) == fmt.Sprint(l.value) {
			return true
		}
	}
	return l.field.fallback != nil && fmt.Sprint(l.field.fallback) == fmt.Sprint(l.value)
}

// others judges another version after an edit: only values that the edit touches may have changed.
func (p *player) others(v *version, before, after map[string]leaf, touch []touched) *fault {
	for _, d := range differences(before, after, false) {
		if covered(touch, d.leaf) || p.forbidden(d.leaf) {
			continue
		}
		judge := "a"
		if d.order {
			judge = "e"
		} else if d.before == nil {
			judge = "f"
		}
		f := &fault{judge: judge, version: v.name, chain: d.chain, at: d, detail: v.name + " reads " + d.String() + ", and nobody changed it"}
		if p.counts(f) {
			return f
		}
	}
	return nil
}

// removed judges whether what an edit removed in one version has gone from another one.
func (p *player) removed(writer, v *version, before map[string]any, o operation, after map[string]leaf) *fault {
	f, elems, ok := writer.at(before, o.path)
	if !ok || slices.Contains(elems, anyElement) || p.theme == "shared struct" {
		return nil
	}
	other := v.field(f.ids())
	if other == nil || (other.t.value().kind != f.t.value().kind) || len(f.rules)+len(other.rules) > 0 && f.t.scalar() || f.t.scalar() && !f.plain {
		return nil
	}
	// A removed value may have been elsewhere, and not is true of what is missing.
	elsewhere := func(id int) bool {
		return id != f.id && (p.changes[id] == "annotation" || p.changes[id] == "move") || p.changes[id] == "not"
	}
	for _, l := range after {
		if slices.ContainsFunc(l.chain, elsewhere) || l.presence || l.order || zero(l.value) || l.field == nil || p.fallback(l) || !slices.Contains(l.chain, f.id) || len(l.elems) < len(elems) || !slices.Equal(l.elems[:len(elems)], elems) {
			continue
		}
		f := &fault{judge: "d", version: v.name, chain: l.chain, at: difference{leaf: l}, detail: fmt.Sprintf("%s removes %s, and %s reads %s at %s", writer.name, pathText(o.path), v.name, text0(l.value), l.path)}
		if p.counts(f) {
			return f
		}
	}
	return nil
}

// returns judges whether values of an element that an edit removed from a list without keys are in another version's
// list, which then has more of them than its other elements had.
func (p *player) returns(writer, v *version, before map[string]map[string]any, o operation, after map[string]leaf) *fault {
	i, isIndex := o.path[len(o.path)-1].(int)
	f, elems, ok := writer.at(before[o.version], o.path)
	if !ok || !isIndex || len(elems) != 1 || elems[0] != anyElement || p.theme == "shared struct" {
		return nil
	}
	count := func(leaves map[string]leaf, without int) map[string]int {
		counts := map[string]int{}
		for path, l := range leaves {
			open, end := strings.IndexByte(path, '['), strings.IndexByte(path, ']')
			if len(l.elems) == 0 || open < 0 || !slices.Contains(l.chain, f.id) || l.presence || l.order || l.field == nil || zero(l.value) || p.fallback(l) {
				continue
			}
			if path[open+1:end] != fmt.Sprint(without) {
				counts[path[end+1:]+" "+text0(l.value)]++
			}
		}
		return counts
	}
	had, left, has := count(v.leaves(before[v.name]), -1), count(v.leaves(before[v.name]), i), count(after, -1)
	for _, l := range after {
		value := l.path[strings.IndexByte(l.path, ']')+1:] + " " + text0(l.value)
		if has[value] > left[value] && has[value] <= had[value] && slices.Contains(l.chain, f.id) {
			f := &fault{judge: "d", version: v.name, chain: l.chain, at: difference{leaf: l}, detail: fmt.Sprintf("%s removes %s, and %s still reads its %s at %s", writer.name, pathText(o.path), v.name, text0(l.value), l.path)}
			if p.counts(f) {
				return f
			}
		}
	}
	return nil
}

// at returns the field at a path, and the elements on the way.
func (v *version) at(object map[string]any, path []any) (f *field, elems []string, ok bool) {
	s, t := v.root, (*typ)(nil)
	var value any = object
	for _, name := range path {
		switch {
		case t == nil || t.kind == structKind:
			if t != nil {
				s = t.structure
			}
			text, _ := name.(string)
			if f = s.member(text); f == nil {
				return nil, nil, false
			}
			t = f.t.value()
			members, _ := value.(map[string]any)
			value = members[text]
		case t.kind == dictionary:
			key, _ := name.(string)
			elems, t = append(elems, key), t.elem.value()
			members, _ := value.(map[string]any)
			value = members[key]
		case t.kind == list:
			elements, _ := value.([]any)
			i, _ := name.(int)
			if i >= len(elements) {
				return nil, nil, false
			}
			key := anyElement
			if len(t.keys) > 0 {
				key = keyOf(t, elements[i])
			}
			elems, t, value = append(elems, key), t.elem.value(), elements[i]
		default:
			return nil, nil, false
		}
	}
	return f, elems, true
}

// valid judges whether the schema of a version accepts what clients read.
func (p *player) valid(v *version) *fault {
	err := p.schemas[v.name].validate(clone(p.reads[v.name]))
	refused := (*invalid)(nil)
	if !errors.As(err, &refused) || p.lenient && limited(err) {
		return nil
	}
	for _, e := range refused.errs {
		f := &fault{judge: "b", version: v.name, chain: v.chain(e.Field), at: difference{leaf: leaf{value: e.BadValue}}, detail: v.name + " reads an invalid object: " + e.Error()}
		if p.counts(f) {
			return f
		}
	}
	return nil
}

var token = regexp.MustCompile(`[^.\[\]]+|\[[^\]]*\]`)

// chain returns the ids of the fields on the path of a validation error.
func (v *version) chain(path string) []int {
	var chain []int
	s := v.root
	for _, name := range token.FindAllString(path, -1) {
		if s == nil || strings.HasPrefix(name, "[") {
			continue
		}
		if f := s.member(name); f != nil {
			chain = append(chain, f.ids()...)
			s = f.t.inner()
		}
	}
	return chain
}

// forbidden reports whether a value is beyond a limit that is younger than the object: it may go.
func (p *player) forbidden(l leaf) bool {
	text, ok := l.value.(string)
	return ok && p.lenient && l.field != nil && l.field.limits.max != nil && int64(len(text)) > *l.field.limits.max
}

// complete names the class of a fault, and the finding that announces it.
func (m *made) complete(f *fault, older bool) {
	f.class, f.silent = m.cause(f, older), m.silent(f)
	for _, found := range m.findings {
		for version, lines := range m.lines {
			if id, ok := lines[found.Line]; ok && strings.Contains(found.File, "api/"+version+"/") && slices.Contains(f.chain, id) && (found.Rule != "V16" || f.judge != "d") { // edits lose values, says V16
				f.reported = found.Rule
			}
		}
	}
}

// cause names the class of a fault: a known cause, or else the judge and the change of the field.
func (m *made) cause(f *fault, older bool) string {
	var leafKind kind = -1
	t := (*typ)(nil)
	change, fallback, embedded, gone, keyed := "", false, false, false, false
	for i, id := range f.chain {
		if c, ok := m.changes[id]; ok {
			change = c
			gone, keyed = gone || c == "gone from the hub", keyed || c == "keyed"
		}
		for _, v := range m.versions {
			if g := v.field([]int{id}); g != nil {
				fallback = fallback || g.fallback != nil
				embedded = embedded || g.shadows
				if i == len(f.chain)-1 {
					for t = g.t; t.elem != nil; t = t.elem {
					}
					leafKind = t.kind
				}
			}
		}
	}
	switch {
	case f.judge == "crash" || f.judge == "c":
		return f.judge + ": " + change
	case f.judge == "b" && change == "bounds":
		return "bounds and zero"
	case f.judge == "b" && (strings.Contains(f.detail, "Required value") || zero(f.at.value)):
		return "members that an absent struct requires"
	case f.judge != "b" && f.at.field == nil:
		return "members that Go does not know"
	case leafKind == moment && f.judge == "a":
		return "time with fraction, or zero"
	case embedded:
		return "field behind another one of its name"
	case len(m.versions) > 2 && gone && f.judge != "d":
		return "field of two spokes"
	case fallback:
		return "default on one side"
	case f.judge == "d":
		return "removed parent comes back"
	case f.judge == "e" || keyed:
		return "list in another order than its keys"
	case older && leafKind == text && change == "new in the hub":
		return "limits that are younger than objects"
	case slices.Contains(f.at.elems, anyElement) && change != "":
		return "list without keys"
	case f.at.presence:
		return "presence of a pointer to a struct"
	}
	if change == "" && t != nil {
		change = t.expression()
	}
	return f.judge + ": " + change
}

// begin starts a session: a valid object of a version, in a storage version.
func (m *made) begin(r *rand.Rand, i int) (session, bool) {
	v := m.versions[r.IntN(len(m.versions))]
	s := session{storage: m.versions[i%len(m.versions)].name, older: m.theme == "limits"}
	for range 30 {
		object := client{r}.object(m.world, v)
		if (&server{made: m, lenient: s.older}).accepts(v.name, clone(object)) {
			s.operations = []operation{{version: v.name, verb: "create", value: object}}
			return s, true
		}
	}
	return s, false
}

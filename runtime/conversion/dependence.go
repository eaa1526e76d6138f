// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// A change may depend on values of the converted object: a function of the user has written them because of the kept
// value. Without them, the kept value is obsolete. The change has their paths and their digests.

// maxDependences is how many values of the converted object a change names. If a function has written more, the change
// names the parts that contain them.
const maxDependences = 32

// dependences completes kept changes: a change to a value that functions of the user convert gets the values that these
// functions wrote for it. To find them, src is converted again with the values that came back. The part of dst that
// differs then depends on the kept values.
func dependences[S, D any, PS Object[S], PD Object[D]](ctx context.Context, src PS, dst PD, returned PS, of Stash[S, PS], to Stash[D, PD], forth func(context.Context, *S, *D) error, changes []change) error {
	// kept is a change with the elements around its hooked value.
	type kept struct {
		change   *change
		elements [][]string
	}
	from, l := of.layout(), to.layout()
	groups, order := map[string][]kept{}, []string(nil)
	for i, c := range changes {
		if hook, place, ok := from.plan.hooked(c); ok {
			if groups[place] == nil {
				order = append(order, place)
			}
			groups[place] = append(groups[place], kept{&changes[i], elementsOn(from.shape, hook)})
		}
	}
	if len(order) == 0 {
		return nil
	}
	ctx = wire.WithMode(ctx, wire.Mode{Read: new(wire.Left)})
	full := PD(new(D)) // dst may have restored values
	if forth(seeing(ctx, src), src, full) != nil {
		return nil
	}
	work := unbounded(ctx)
	live, was := finderIn(l.shape, l.arrived(reflect.ValueOf(dst).Elem()), work), finderIn(from.shape, reflect.ValueOf(src).Elem(), work)
	undo := map[string][]change{}
	for _, c := range differing(of, src, returned, work) {
		if _, place, ok := from.plan.hooked(c); groups[place] != nil && (ok || from.plan.at(c.At).customIn(was.at(c.At))) {
			undo[place] = append(undo[place], c)
		}
	}
	// lost returns the values of dst that are not written if src lacks the kept values at some places.
	lost := func(places []string) (values map[string][]step, failed bool, err error) {
		without := copied(from.shape, src, work)
		var changes []change
		for _, place := range places {
			changes = append(changes, undo[place]...)
		}
		r := restoring{work: work, unlimited: true}
		r.fields(reflect.ValueOf(without).Elem(), nodesOf(changes, from))
		less := PD(new(D))
		if work.err != nil || fails(func() error { return forth(seeing(ctx, without), without, less) }) {
			return nil, true, nil
		}
		values = map[string][]step{}
		for _, w := range differing(to, full, less, work) {
			for _, path := range l.plan.at(w.At).leaves(nil, w.At, live.at(w.At)) {
				values[textOf(path)] = path
			}
		}
		return values, false, work.err
	}
	written, err := writtenFor(order, lost)
	if err != nil {
		return err
	}
	for place, group := range groups {
		paths, by, known := [][]step(nil), byElements{}, map[string]json.RawMessage{}
		for _, text := range slices.Sorted(maps.Keys(written[place])) {
			path := written[place][text]
			by.add(len(paths), elementsOn(l.shape, path), group[0].elements)
			paths = append(paths, path)
		}
		for _, k := range group {
			text := fmt.Sprintf("%q", k.elements)
			if _, ok := known[text]; !ok {
				var own [][]step
				for _, j := range by.find(k.elements) {
					own = append(own, paths[j])
				}
				known[text] = live.dependences(own)
			}
			k.change.On = known[text]
		}
	}
	return work.err
}

// maxPlaces is how many places are examined one by one.
const maxPlaces = 32

// writtenFor returns the values that functions write for each of some places, by their paths as text. The function lost
// returns the values that are missing without some places, or that the conversion fails then.
//
// Of many places, lost gets one half after another: a bit of its number decides in which half of a pair a place is. A
// value is written for a place if it is lost with each half that has the place. Places may share a value.
func writtenFor(places []string, lost func(places []string) (values map[string][]step, failed bool, err error)) (map[string]map[string][]step, error) {
	const few = 4 // as many calls as by halves
	if len(places) <= few {
		return oneByOne(places, lost)
	}
	written := map[string]map[string][]step{}
	for bit := 0; 1<<bit < len(places); bit++ {
		for value := range 2 {
			var half []string
			for i, place := range places {
				if i>>bit&1 == value {
					half = append(half, place)
				}
			}
			values, failed, err := lost(half)
			switch {
			case err != nil:
				return nil, err
			case failed: // at one place or more
				return oneByOne(places, lost)
			}
			for _, place := range half {
				if bit == 0 {
					written[place] = maps.Clone(values)
				}
				maps.DeleteFunc(written[place], func(text string, _ []step) bool { return values[text] == nil })
			}
		}
	}
	return written, nil
}

// oneByOne is writtenFor for each place alone. There is nothing for a place without which the conversion fails.
func oneByOne(places []string, lost func(places []string) (values map[string][]step, failed bool, err error)) (map[string]map[string][]step, error) {
	written := map[string]map[string][]step{}
	for _, place := range places[:min(len(places), maxPlaces)] {
		values, failed, err := lost([]string{place})
		if err != nil {
			return nil, err
		}
		if !failed {
			written[place] = values
		}
	}
	return written, nil
}

// dependences writes the paths of values with their digests.
func (f *finder) dependences(paths [][]step) json.RawMessage {
	if len(paths) > maxDependences {
		const outer = 2 // such as spec and a field of it
		paths = slices.Clone(paths)
		for i := range paths {
			paths[i] = paths[i][:min(outer, len(paths[i]))]
		}
		paths = slices.CompactFunc(paths, func(a, b []step) bool { return textOf(a) == textOf(b) })
	}
	e := encoder{out: []byte{'['}}
	for _, path := range paths {
		is := f.digest(path)
		if is == "" { // a value that is not there was not written
			continue
		}
		e.comma()
		e.out = append(e.out, `{"at":`...)
		e.steps(path)
		e.text("is", is)
		e.out = append(e.out, '}')
	}
	if len(e.out) == 1 {
		return nil
	}
	return append(e.out, ']')
}

// textOf returns a text that identifies a path.
func textOf(path []step) string {
	var b []byte
	for _, s := range path {
		b = strconv.AppendQuote(b, s.text())
	}
	return string(b)
}

// leaves appends the paths of the values in a value. Somebody else may add members to its objects, and elements to its
// lists with keys.
func (p *plan) leaves(paths [][]step, at []step, value any) [][]step {
	at = slices.Clip(at)
	switch value := value.(type) {
	case map[string]any:
		if len(value) > 0 {
			for _, name := range slices.Sorted(maps.Keys(value)) {
				paths = p.member(name).leaves(paths, append(at, step{name: name}), value[name])
			}
			return paths
		}
	case []any:
		if p.key.keys != nil && len(value) > 0 && tableOf(value, p.key).unique(value) {
			for _, e := range value {
				paths = p.elements.leaves(paths, append(at, p.key.to(e)), e)
			}
			return paths
		}
	}
	return append(paths, at)
}

// current returns the changes without the obsolete ones: what functions had written for these is not in the object any
// more.
func (v *verifying[S, D, PS, PD]) current(changes []change) []change {
	l, src := v.of.layout(), reflect.ValueOf(v.src).Elem()
	if !slices.ContainsFunc(changes, func(c change) bool { return c.On != nil }) {
		return changes
	}
	live := finderIn(l.shape, src, &v.work)
	var names wire.Texts
	var steps []step
	return slices.DeleteFunc(changes, func(c change) bool {
		for on := range elements(c.On) {
			path, ok := readPath(valueOf(on.value, "at"), steps[:0], l, &names)
			is, _ := stringOf(valueOf(on.value, "is"))
			if !ok || is != live.digest(path) {
				return true
			}
			steps = path
		}
		return false
	})
}

// hooked returns the innermost field that a function of the user converts and that a change is for: its path, and its
// place in a type, which is the same for all elements of a list and for all values of a map. A value that contains such
// fields counts, too.
func (p *plan) hooked(c change) (path []step, place string, ok bool) {
	ok = p.Custom
	here := ""
	for i, next := range c.At {
		if next.keys != nil || p.Members == nil && p.Elements != nil {
			here += "[]"
		} else {
			here += "." + next.name
		}
		if p = p.below(next); p.Custom {
			path, place, ok = c.At[:i+1], here, true
		}
	}
	if ok {
		return path, place, true
	}
	if p.isEmpty() || c.Is == nil {
		return c.At, here, false
	}
	is, err := parsed(c.Is)
	return c.At, here, err == nil && p.customIn(is)
}

// customIn reports whether functions of the user convert any part of a value.
func (p *plan) customIn(value any) bool {
	if p.Custom {
		return true
	}
	switch value := value.(type) {
	case map[string]any:
		for name, v := range value {
			if p.member(name).customIn(v) {
				return true
			}
		}
	case []any:
		return p.Elements != nil && slices.ContainsFunc(value, p.elements.customIn)
	}
	return false
}

// byElements finds numbered paths by the elements through which they lead. If one version has fewer keys than the other
// one, an element may be any element.
type byElements map[string][]int

const (
	anyElement = "*"
	pathEnd    = "."
)

// add adds a path. The elements in like are on a path of the sought kind.
func (b byElements) add(path int, elements, like [][]string) {
	text := ""
	for i, e := range elements {
		b[text] = append(b[text], path)
		if i < len(like) && len(e) != len(like[i]) {
			text += anyElement
		} else {
			text += fmt.Sprintf("%q", e)
		}
	}
	b[text], b[text+pathEnd] = append(b[text], path), append(b[text+pathEnd], path)
}

// find returns the paths that lead through the same elements, as far as both lead through some.
func (b byElements) find(elements [][]string) (paths []int) {
	texts := []string{""}
	for _, e := range elements {
		var next []string
		for _, text := range texts {
			paths = append(paths, b[text+pathEnd]...)
			for _, t := range []string{text + fmt.Sprintf("%q", e), text + anyElement} {
				if _, ok := b[t]; ok {
					next = append(next, t)
				}
			}
		}
		texts = next
	}
	for _, text := range texts {
		paths = append(paths, b[text]...)
	}
	slices.Sort(paths)
	return paths
}

// elementsOn returns the keys of the elements of lists, and of the values of maps, on a path in a type. They are in
// order, because another version may have other names for them.
func elementsOn(s *wire.Shape, path []step) (all [][]string) {
	for _, next := range path {
		var element []string
		for _, value := range next.values {
			element = append(element, fmt.Sprint(value))
		}
		if slices.Sort(element); next.keys == nil && s != nil && s.Target().Kind == wire.Dict {
			element = []string{next.name}
		}
		if s, _ = shapeBelow(s, next); element != nil {
			all = append(all, element)
		}
	}
	return all
}

// differing returns the changes from one object of a version to another.
func differing[T any, P Object[T]](s Stash[T, P], from, to P, w *work) []change {
	c := comparison{work: w, collects: true}
	s.compare(&c, nil, s.layout().shape, from, to)
	return c.found
}

// copied returns a copy of an object that shares no memory with it below spec, status and the like.
func copied[T any, P Object[T]](s *wire.Shape, object P, w *work) P {
	var e encoder
	e.value(s, reflect.ValueOf(object).Elem())
	c := P(new(T))
	if w.fail(e.err); w.err == nil {
		w.fail(wire.Decode(e.out, wire.Whole(e.out), nil, s, reflect.ValueOf(c).Elem()))
	}
	takeMeta(object, c)
	return c
}

// finder finds values below a value in JSON. It reads each list and each value once.
type finder struct {
	value any
	lists tables // of the value, if it is a list
	is    string // the digest, once it is known
	below map[string]*finder
	work  *work
}

// finderIn returns a finder for an object.
func finderIn(s *wire.Shape, object reflect.Value, w *work) *finder {
	return &finder{value: decodedField(&wire.Member{Shape: s}, object, true, w), work: w}
}

// to returns the finder below the value at a path. The value is absent if the path leads nowhere.
func (f *finder) to(path []step) *finder {
	for _, s := range path {
		text := s.text()
		below := f.below[text]
		if below == nil {
			below = &finder{value: absent{}, work: f.work}
			if !f.work.take(len(text)) {
				return below
			}
			if object, ok := f.value.(map[string]any); ok && s.keys == nil {
				below.value = memberOf(object, s.name)
			} else if list, ok := f.value.([]any); ok && s.keys != nil {
				if i, several := f.lists.find(list, s, f.work); i >= 0 && !several {
					below.value = list[i]
				}
			}
			put(&f.below, text, below)
		}
		f = below
	}
	return f
}

// at returns the value at a path.
func (f *finder) at(path []step) any { return f.to(path).value }

// digest returns the digest of the value at a path.
func (f *finder) digest(path []step) string {
	if f = f.to(path); f.is == "" && f.value != (absent{}) && f.work.take(len(path)) {
		text, err := json.Marshal(f.value) // as digest has it
		if err == nil && f.work.take(len(text)) {
			f.is = digestOf(text)
		}
	}
	return f.is
}

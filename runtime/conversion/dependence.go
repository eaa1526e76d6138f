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
	"strings"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// dependence is a value of the converted object that was there because of a kept value. A function of the user has
// written it. Without it, the kept value is obsolete.
type dependence struct {
	At []step
	// Is is the digest of the value.
	Is string
}

// maxDependences is how many values of the converted object a change names. If a function has written more, the change
// names the parts that contain them.
const maxDependences = 32

// dependences completes kept changes: a change to a value that functions of the user convert gets the values that these
// functions wrote for it. To find them, src is converted again with the values that came back. The part of dst that
// differs then depends on the kept values.
func dependences[S, D any, PS Object[S], PD Object[D]](ctx context.Context, src PS, dst PD, returned PS, of Stash[S, PS], to Stash[D, PD], forth func(context.Context, *S, *D) error, changes []change) error {
	groups, order := map[string][]int{}, []string(nil)
	for i, c := range changes {
		if _, place, ok := of.schema.hooked(c); ok {
			if groups[place] == nil {
				order = append(order, place)
			}
			groups[place] = append(groups[place], i)
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
	l := to.layout()
	live, err := jsonOf(l.shape, l.arrived(reflect.ValueOf(dst).Elem()))
	if err != nil {
		return err
	}
	reverse, err := differing(of, src, returned)
	if err != nil {
		return err
	}
	was, err := jsonOf(of.layout().shape, reflect.ValueOf(src).Elem())
	if err != nil {
		return err
	}
	tables := map[string][]*table{}
	undo := map[string][]change{}
	for _, c := range reverse {
		if _, place, ok := of.schema.hooked(c); groups[place] != nil && (ok || of.schema.at(c.At).customIn(valueAt(was, c.At, tables))) {
			undo[place] = append(undo[place], c)
		}
	}
	// lost returns the values of dst that are not written if src lacks the kept values at some places.
	lost := func(places []string) (values map[string][]step, failed bool, err error) {
		without, err := copied(of.layout().shape, src)
		if err != nil {
			return nil, false, err
		}
		var changes []change
		for _, place := range places {
			changes = append(changes, undo[place]...)
		}
		r := restoring{ctx: ctx, unlimited: true}
		r.fields(of.layout().shape, reflect.ValueOf(without).Elem(), nodesOf(changes), of.schema)
		less := PD(new(D))
		if r.err != nil || fails(func() error { return forth(seeing(ctx, without), without, less) }) {
			return nil, true, nil
		}
		written, err := differing(to, full, less)
		if err != nil {
			return nil, false, err
		}
		values, tables := map[string][]step{}, map[string][]*table{}
		for _, w := range written {
			for _, path := range to.schema.at(w.At).leaves(nil, w.At, valueAt(live, w.At, tables)) {
				values[textOf(path)] = path
			}
		}
		return values, false, nil
	}
	written, err := writtenFor(order, lost)
	if err != nil {
		return err
	}
	tables = map[string][]*table{}
	for place, indexes := range groups {
		var paths [][]step
		var elements [][][]string
		for _, text := range slices.Sorted(maps.Keys(written[place])) {
			path := written[place][text]
			paths, elements = append(paths, path), append(elements, elementsOn(l.shape, path))
		}
		for _, i := range indexes {
			hook, _, _ := of.schema.hooked(changes[i])
			on := elementsOn(of.layout().shape, hook)
			var own [][]step
			for j, path := range paths {
				if sameElement(on, elements[j]) {
					own = append(own, path)
				}
			}
			if changes[i].On, err = digests(own, live, tables); err != nil {
				return err
			}
		}
	}
	return nil
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

// digests returns values of an object with their digests.
func digests(paths [][]step, live any, tables map[string][]*table) ([]dependence, error) {
	if len(paths) > maxDependences {
		const outer = 2 // such as spec and a field of it
		paths = slices.Clone(paths)
		for i := range paths {
			paths[i] = paths[i][:min(outer, len(paths[i]))]
		}
		paths = slices.CompactFunc(paths, func(a, b []step) bool { return textOf(a) == textOf(b) })
	}
	var on []dependence
	for _, path := range paths {
		is, err := digest(valueAt(live, path, tables))
		if err != nil {
			return nil, err
		}
		if is != "" { // a value that is not there was not written
			on = append(on, dependence{path, is})
		}
	}
	return on, nil
}

// textOf returns a text that identifies a path.
func textOf(path []step) string {
	var b strings.Builder
	for _, s := range path {
		b.WriteString(strconv.Quote(s.text()))
	}
	return b.String()
}

// at returns the schema of the value at a path.
func (s Schema) at(path []step) Schema {
	for _, next := range path {
		if next.keys != nil {
			s = s.element()
		} else {
			s = s.member(next.name)
		}
	}
	return s
}

// leaves appends the paths of the values in a value. Somebody else may add members to its objects, and elements to its
// lists with keys.
func (s Schema) leaves(paths [][]step, at []step, value any) [][]step {
	at = slices.Clip(at)
	switch value := value.(type) {
	case map[string]any:
		if len(value) > 0 {
			for _, name := range slices.Sorted(maps.Keys(value)) {
				paths = s.member(name).leaves(paths, append(at, step{name: name}), value[name])
			}
			return paths
		}
	case []any:
		if len(s.Keys) > 0 && len(value) > 0 && tableOf(value, slices.Sorted(slices.Values(s.Keys))).unique(value) {
			for _, e := range value {
				paths = s.element().leaves(paths, append(at, step{keys: keyOf(e, s.Keys)}), e)
			}
			return paths
		}
	}
	return append(paths, at)
}

// holds reports whether an object, in JSON, still has the value.
func (d dependence) holds(object any, tables map[string][]*table) bool {
	is, err := digest(valueAt(object, d.At, tables))
	return err == nil && is == d.Is
}

// current returns the changes without the obsolete ones: what functions had written for these is not in the object any
// more.
func current(changes []change, s *wire.Shape, object reflect.Value) ([]change, error) {
	if !slices.ContainsFunc(changes, func(c change) bool { return c.On != nil }) {
		return changes, nil
	}
	live, err := jsonOf(s, object)
	if err != nil {
		return nil, err
	}
	tables, left := map[string][]*table{}, maxChanges
	return slices.DeleteFunc(changes, func(c change) bool {
		left -= len(c.On)
		return c.On != nil && (left < 0 || slices.ContainsFunc(c.On, func(d dependence) bool { return !d.holds(live, tables) }))
	}), nil
}

// hooked returns the innermost field that a function of the user converts and that a change is for: its path, and its
// place in a type, which is the same for all elements of a list and for all values of a map. A value that contains such
// fields counts, too.
func (s Schema) hooked(c change) (path []step, place string, ok bool) {
	ok = s.Custom
	here := ""
	for i, next := range c.At {
		switch {
		case next.keys != nil:
			here += "[]"
			s = s.element()
		case s.Members == nil && s.Elements != nil:
			here += "[]"
			s = *s.Elements
		default:
			here += "." + next.name
			s = s.member(next.name)
		}
		if s.Custom {
			path, place, ok = c.At[:i+1], here, true
		}
	}
	if ok {
		return path, place, true
	}
	if s.isEmpty() || c.Is == nil {
		return c.At, here, false
	}
	is, err := parsed(c.Is)
	return c.At, here, err == nil && s.customIn(is)
}

// customIn reports whether functions of the user convert any part of a value.
func (s Schema) customIn(value any) bool {
	if s.Custom {
		return true
	}
	switch value := value.(type) {
	case map[string]any:
		for name, v := range value {
			if s.member(name).customIn(v) {
				return true
			}
		}
	case []any:
		return s.Elements != nil && slices.ContainsFunc(value, s.Elements.customIn)
	}
	return false
}

// sameElement reports whether two paths lead through the same elements, as far as both lead through some.
func sameElement(a, b [][]string) bool {
	for i := range min(len(a), len(b)) {
		if len(a[i]) == len(b[i]) && !slices.Equal(a[i], b[i]) {
			return false // other keys: with fewer keys in one version, the elements may be the same
		}
	}
	return true
}

// elementsOn returns the keys of the elements of lists, and of the values of maps, on a path in a type. They are in
// order, because another version may have other names for them.
func elementsOn(s *wire.Shape, path []step) (all [][]string) {
	for _, next := range path {
		var element []string
		for _, value := range next.keys {
			element = append(element, fmt.Sprint(value))
		}
		if slices.Sort(element); next.keys != nil {
			s, _ = elementShape(s)
		} else {
			if s != nil && s.Target().Kind == wire.Dict {
				element = []string{next.name}
			}
			s, _ = memberShape(s, next.name)
		}
		if element != nil {
			all = append(all, element)
		}
	}
	return all
}

// differing returns the changes from one object of a version to another.
func differing[T any, P Object[T]](s Stash[T, P], from, to P) ([]change, error) {
	var c comparison
	l := s.layout()
	if err := c.structs(nil, l.shape, l.arrived(reflect.ValueOf(from).Elem()), l.arrived(reflect.ValueOf(to).Elem()), s.schema); err != nil || !c.any() {
		return nil, err
	}
	return readChanges(c.text()), nil
}

// readChanges reads the changes that a comparison has written.
func readChanges(list []byte) (changes []change) {
	var names wire.Texts
	for text := range elements(list) {
		c, _ := readChange(text, nil, &names)
		changes = append(changes, c)
	}
	return changes
}

// copied returns a copy of an object that shares no memory with it below spec, status and the like.
func copied[T any, P Object[T]](s *wire.Shape, object P) (P, error) {
	e := encoder{}
	e.value(s, reflect.ValueOf(object).Elem())
	if e.err != nil {
		return nil, e.err
	}
	c := P(new(T))
	if err := wire.Decode(e.out, wire.Whole(e.out), nil, s, reflect.ValueOf(c).Elem()); err != nil {
		return nil, err
	}
	takeMeta(object, c)
	return c, nil
}

// jsonOf returns an object as JSON has it.
func jsonOf(s *wire.Shape, object reflect.Value) (any, error) {
	var e encoder
	if e.value(s, object); e.err != nil {
		return nil, e.err
	}
	return parsed(e.out)
}

// valueAt returns the value at a path. It is absent if the path leads nowhere. The tables are of lists, by path.
func valueAt(value any, at []step, tables map[string][]*table) any {
	var path strings.Builder
	for _, s := range at {
		inList := path.String()
		fmt.Fprintf(&path, "%q%s", s.name, keyText(s.keys, namesOf(s.keys)))
		if s.keys == nil {
			object, ok := value.(map[string]any)
			if !ok {
				return absent{}
			}
			value = memberOf(object, s.name)
			continue
		}
		list, ok := value.([]any)
		if !ok {
			return absent{}
		}
		of := tables[inList]
		t := tableFor(&of, list, s.keys)
		if tables[inList] = of; t == nil {
			return absent{}
		}
		i, several := t.find(s.keys)
		if i < 0 || several {
			return absent{}
		}
		value = list[i]
	}
	return value
}

// dependences writes the values on which a change depends.
func (e *encoder) dependences(on []dependence) {
	e.key("on")
	e.out = append(e.out, '[')
	for i, d := range on {
		if i > 0 {
			e.out = append(e.out, ',')
		}
		e.out = append(e.out, `{"at":`...)
		e.steps(d.At)
		if d.Is != "" {
			e.key("is")
			e.out = wire.AppendText(e.out, d.Is)
		}
		e.out = append(e.out, '}')
	}
	e.out = append(e.out, ']')
}

// readDependences reads the values on which a change depends.
func readDependences(list json.RawMessage, names *wire.Texts) (on []dependence) {
	for text := range elements(list) {
		var d dependence
		for m := range entries(text) {
			switch {
			case m.is("at"):
				for s := range elements(m.value) {
					d.At = append(d.At, readStep(s, names))
				}
			case m.is("is"):
				d.Is, _ = stringOf(m.value)
			}
		}
		if len(d.At) > maxSteps {
			d.At = nil // this package writes no such path, nor the digest of a whole object
		}
		on = append(on, d)
	}
	return on
}

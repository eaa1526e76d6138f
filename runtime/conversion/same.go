// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"maps"
	"reflect"
	"slices"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// Same contains the members that are the same in two versions, by their JSON names: Same{"status": nil} is the whole
// status, and Same{"spec": {"suspend": nil}} is one member of the spec. These members are not decoded but copied as
// text. This costs next to nothing and preserves their order, the digits of their numbers, and members without a Go
// field.
//
// "metadata" is all metadata except for the annotation of this package. If it is the same, functions get only the name
// of an object and its annotations.
type Same map[string]Same

// of returns the part of a member that is the same, and whether all of it is. The part is nil if nothing or all is the
// same.
func (s Same) of(name string) (part Same, all bool) {
	part, ok := s[name]
	return part, ok && part == nil
}

// ofEntry is of for an encoded member.
func (s Same) ofEntry(m entry) (part Same, all bool) {
	part, ok := s[string(wire.Text(m.key, wire.Whole(m.key)))] // this allocates no string
	return part, ok && part == nil
}

// withoutKept returns s without the members that have an entry for a version in an annotation, and whether there are
// any. An older program, in which these members differed, has written the entry.
func (s Same) withoutKept(annotation []byte, version string) (rest Same, some bool) {
	if !isJSON(annotation) {
		return s, false // nothing is restored from a broken annotation
	}
	for change := range elements(named(collect(nil, annotation), version)) {
		if way := slices.Collect(elements(valueOf(change.value, "at"))); len(way) > 0 {
			var found bool
			s, found = s.without(way)
			some = some || found
		}
	}
	return s, some
}

// without returns s without the member that a path leads to or through, or without the object around such members to
// which it leads. It returns false if s has no such member.
func (s Same) without(way []entry) (rest Same, found bool) {
	name, _ := stringOf(way[0].value) // a step into a list has no name
	part, ok := s[name]
	if ok && part != nil && len(way) > 1 && way[1].value[0] == '"' {
		if part, ok = part.without(way[1:]); ok {
			s = maps.Clone(s)
			s[name] = part
		}
		return s, ok
	}
	if ok {
		s = maps.Clone(s)
		delete(s, name)
	}
	return s, ok
}

// less returns a shape without the members that are the same. Reading a value then skips them.
func less(s *wire.Shape, same Same) *wire.Shape {
	switch {
	case s.Kind == wire.Pointer:
		p := *s
		p.Elem = less(s.Elem, same)
		return &p
	case s.Kind != wire.Structure:
		return s
	}
	return s.With(func(f *wire.Member) bool {
		part, all := same.of(f.Name)
		if part != nil {
			f.Shape = less(f.Shape, part)
		}
		return !all
	})
}

// nameOnly returns the shape of metadata with only the name and the annotations.
func nameOnly(s *wire.Shape) *wire.Shape {
	return s.With(func(f *wire.Member) bool {
		return slices.Contains([]string{"name", "generateName", "namespace", "annotations"}, f.Name)
	})
}

// members appends the members of a converted struct. In their places and behind them it appends the members that are
// the same, from the source: the object that has been converted.
//
// A struct is left out if it is empty and the source does not have it. Go writes structs even if they are empty, and an
// added struct would become the property of the client that applies a part of an object. In a part of an object, the
// same applies to a struct in which all members are zero: JSON writes zero members without omitempty. In a whole
// object, it applies to a struct that may be missing and that the source's type has, too: nobody has written its
// members, and the API server may refuse their zeros. A pointer to an empty struct is left out only if the struct has
// members that are the same: the conversion has not seen these.
func (e *encoder) members(s *wire.Shape, v reflect.Value, same Same, from *wire.Shape, source []entry) {
	var few [8]string
	joined := few[:0]
	for i := range s.Fields {
		f := &s.Fields[i]
		part, all := same.of(f.Name)
		value, ok := f.In(v)
		was := from.MemberOf(f.Name)
		// Members that the conversion has not seen may not be zero, and values that do not fit are.
		stays := ok && f.OmitZero && f.Shape.Kind == wire.Structure && was != nil && was.Kind == wire.Structure && isObject(named(source, f.Name))
		if all || !ok || f.Omits(value) && !stays {
			continue
		}
		below, target := f.Shape.PointedAt(value)
		if part == nil && target.IsValid() && below.HoldsMissing(was) {
			joined = append(joined, f.Name)
			e.field(f)
			e.content(below, target, was, named(source, f.Name))
			continue
		}
		isStruct := f.Shape.Kind == wire.Structure
		if was != nil && was.Kind != wire.Structure {
			was = nil
		}
		mayBeMissing := was != nil && f.MayBeMissing()
		mayBeEmpty := isStruct || part != nil
		if part == nil && (e.partial && isStruct || mayBeMissing || stays || was != nil && below.HasMissing) {
			part = e.none
		}
		if part == nil || below.Kind != wire.Structure || !target.IsValid() {
			e.fieldOf(f, value)
			continue
		}
		joined = append(joined, f.Name)
		old := named(source, f.Name)
		before := len(e.out)
		e.field(f)
		e.structureBeside(below, target, part, was, old)
		isEmpty := mayBeEmpty && e.out[len(e.out)-2] == '{'
		if (isEmpty || (e.partial && isStruct || mayBeMissing) && target.IsZero()) && !isObject(old) {
			e.out = e.out[:before]
		}
	}
	for _, m := range source {
		if !slices.ContainsFunc(joined, m.is) {
			e.restore(m, same)
		}
	}
}

// structureBeside appends a struct with the members that are the same in the source's struct, which may be missing.
func (e *encoder) structureBeside(s *wire.Shape, v reflect.Value, same Same, from *wire.Shape, source []byte) {
	e.out = append(e.out, '{')
	outer := len(e.within)
	e.within = collect(e.within, source)
	e.members(s, v, same, from, e.within[outer:])
	e.within = e.within[:outer]
	e.out = append(e.out, '}')
}

// content appends a list or dict whose structs have members that may be missing, beside the list or dict of the source.
// If the source's list has another length, none of its elements corresponds to one of the list.
func (e *encoder) content(s *wire.Shape, v reflect.Value, from *wire.Shape, source []byte) {
	below, target := s.PointedAt(v)
	holds, outer := below.HoldsMissing(from), len(e.within)
	switch {
	case target.IsValid() && below.Kind == wire.Structure && from.Kind == wire.Structure:
		e.structureBeside(below, target, e.none, from, source)
	case !target.IsValid() || !holds || target.IsNil():
		e.value(s, v)
	case below.Kind == wire.List:
		e.within = slices.AppendSeq(e.within, elements(source))
		of := e.within[outer:]
		e.out = append(e.out, '[')
		for i := range target.Len() {
			e.comma()
			var old []byte
			if len(of) == target.Len() {
				old = of[i].value
			}
			e.content(below.Elem, target.Index(i), from.Elem.Target(), old)
		}
		e.out = append(e.out, ']')
	default:
		of := map[string][]byte{}
		for m := range entries(source) {
			of[m.name()] = m.value
		}
		e.out = append(e.out, '{')
		for _, key := range sortedKeys(target) {
			e.key(key.String())
			e.content(below.Elem, target.MapIndex(key), from.Elem.Target(), of[key.String()])
		}
		e.out = append(e.out, '}')
	}
	e.within = e.within[:outer]
}

// restore appends the part of a source's member that is the same.
func (e *encoder) restore(m entry, same Same) {
	part, all := same.ofEntry(m)
	switch {
	case all:
		e.entry(m)
	case part != nil && isObject(m.value):
		before := len(e.out)
		e.rawKey(m.key)
		e.out = append(e.out, '{')
		for inner := range entries(m.value) {
			e.restore(inner, part)
		}
		e.end(before)
	}
}

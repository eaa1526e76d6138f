package conversion

import (
	"reflect"
	"slices"
)

// Same are the members that an object has alike in two versions, by their names in JSON: Same{"status": nil} is all of the
// status, and Same{"spec": {"suspend": nil}} one member of the spec. They are not decoded but passed on as they are written, so
// that they cost next to nothing, and keep their order, their numbers' digits and members that the Go types do not know.
//
// "metadata" is all of the metadata but the annotation that this package keeps. Where it is the same, functions get only the
// name of an object and its annotations.
type Same map[string]Same

// of returns what is the same of a member: all of it, or a part, which is nil where nothing is.
func (s Same) of(name string) (part Same, all bool) {
	part, ok := s[name]
	return part, ok && part == nil
}

// ofEntry is of for a member as it is written.
func (s Same) ofEntry(m entry) (part Same, all bool) {
	if inside := m.key[1 : len(m.key)-1]; isPlain(inside) {
		part, ok := s[string(inside)] // which makes no string
		return part, ok && part == nil
	}
	return s.of(m.name())
}

// less is a shape without what is the same, which is then passed over when a value is read.
func (s *shape) less(same Same) *shape {
	switch {
	case s.kind == pointer:
		p := *s
		p.elem = s.elem.less(same)
		return &p
	case s.kind != structure:
		return s
	}
	return s.with(func(f *member) bool {
		part, all := same.of(f.name)
		if part != nil {
			f.shape = f.shape.less(part)
		}
		return !all
	})
}

// with is the shape of a struct with those of its fields that keep wants, which may change them.
func (s *shape) with(keep func(f *member) bool) *shape {
	kept := &shape{kind: s.kind, typ: s.typ, index: map[string]int{}}
	for _, f := range s.fields {
		if keep(&f) {
			kept.index[f.name] = len(kept.fields)
			kept.fields = append(kept.fields, f)
		}
	}
	return kept
}

// nameOnly is the shape of metadata of which a conversion is told nothing but the name and the annotations.
func (s *shape) nameOnly() *shape {
	return s.with(func(f *member) bool {
		return slices.Contains([]string{"name", "generateName", "namespace", "annotations"}, f.name)
	})
}

// members appends the members of a converted struct, and in their places and behind them what is the same. That is taken from the
// source, the object which has been converted.
//
// A struct that the source does not have, and in which nothing is, is left out: Go writes structs whether they hold anything or not,
// and what is invented becomes the property of who applies a part of an object.
func (e *encoder) members(s *shape, v reflect.Value, same Same, source []entry) {
	var few [8]string
	joined := few[:0]
	for i := range s.fields {
		f := &s.fields[i]
		part, all := same.of(f.name)
		value, ok := f.in(v)
		if all || !ok || f.omits(value) {
			continue
		}
		below, target := f.shape.pointedAt(value)
		if part == nil || below.kind != structure || !target.IsValid() {
			e.field(f)
			e.value(f.shape, value)
			continue
		}
		joined = append(joined, f.name)
		old := named(source, f.name)
		before := len(e.out)
		e.field(f)
		e.out = append(e.out, '{')
		outer := len(e.within)
		e.within = collect(e.within, old)
		e.members(below, target, part, e.within[outer:])
		e.within = e.within[:outer]
		if e.out[len(e.out)-1] == '{' && !isObject(old) {
			e.out = e.out[:before]
			continue
		}
		e.out = append(e.out, '}')
	}
	for _, m := range source {
		if !slices.ContainsFunc(joined, m.is) {
			e.restore(m, same)
		}
	}
}

// restore appends what is the same of a member of the source.
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
		if e.out[len(e.out)-1] == '{' {
			e.out = e.out[:before]
			return
		}
		e.out = append(e.out, '}')
	}
}

// pointedAt follows pointers to what they point to in the end; the value is invalid if there is none.
func (s *shape) pointedAt(v reflect.Value) (*shape, reflect.Value) {
	for s.kind == pointer {
		if v.IsNil() {
			return s, reflect.Value{}
		}
		s, v = s.elem, v.Elem()
	}
	return s, v
}

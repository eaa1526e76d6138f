package conversion

import "bytes"

// Same are the members that an object has alike in two versions, by their names in JSON: Same{"status": nil} is all of the
// status, and Same{"spec": {"suspend": nil}} one member of the spec. They are not decoded but taken out of the text and put back,
// so that they cost next to nothing and come out as they went in, members that the Go types do not know included.
//
// "metadata" is all of the metadata but the annotation that this package keeps. Where it is the same, functions get only the
// name of an object, and that annotation.
type Same map[string]Same

// of returns what is the same of a member: all of it, or a part, which is nil where nothing is.
func (s Same) of(m member) (part Same, all bool) {
	inside := m.key[1 : len(m.key)-1]
	part, ok := s[string(inside)]
	if !ok && bytes.IndexByte(inside, '\\') >= 0 {
		part, ok = s[unquoted(m.key)]
	}
	return part, ok && part == nil
}

// cut writes a member less what is the same.
func (s Same) cut(o *objectWriter, m member) {
	switch part, all := s.of(m); {
	case all:
	case part != nil && isObject(m.value):
		below := o.open(m.key)
		for inner := range members(m.value) {
			part.cut(&below, inner)
		}
		o.close(below)
	default:
		o.member(m)
	}
}

// join writes a member of a converted object, and in it what is the same. That is taken from the source, the object which has
// been converted.
//
// An object that the source does not have, and in which nothing is, is left out: Go writes structs whether they hold anything
// or not, and what is invented becomes the property of who applies a part of an object.
func (s Same) join(o *objectWriter, m member, source []byte) {
	switch part, all := s.of(m); {
	case all:
	case part != nil && isObject(m.value):
		old := valueOf(source, unquoted(m.key))
		before := *o
		below := o.open(m.key)
		for inner := range members(m.value) {
			part.join(&below, inner, old)
		}
		for inner := range members(old) {
			part.restore(&below, inner, m.value)
		}
		if o.close(below); old == nil && !below.any {
			*o = before
		}
	default:
		o.member(m)
	}
}

// restore writes what is the same of a member of the source, unless join has found a place for it in the converted object.
func (s Same) restore(o *objectWriter, m member, converted []byte) {
	switch part, all := s.of(m); {
	case all:
		o.member(m)
	case part != nil && isObject(m.value) && !isObject(valueOf(converted, unquoted(m.key))):
		before := *o
		below := o.open(m.key)
		for inner := range members(m.value) {
			part.restore(&below, inner, nil)
		}
		if o.close(below); !below.any {
			*o = before
		}
	}
}

// objectWriter writes the members of an object.
type objectWriter struct {
	out []byte
	any bool // whether there is one already
}

func (o *objectWriter) key(key []byte) {
	if o.any {
		o.out = append(o.out, ',')
	}
	o.any = true
	o.out = append(append(o.out, key...), ':')
}

func (o *objectWriter) member(m member) {
	o.key(m.key)
	o.out = append(o.out, m.value...)
}

// open begins a member that is an object, which close ends.
func (o *objectWriter) open(key []byte) objectWriter {
	o.key(key)
	return objectWriter{out: append(o.out, '{')}
}

func (o *objectWriter) close(below objectWriter) { o.out = append(below.out, '}') }

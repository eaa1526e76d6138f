package conversion

import (
	"encoding/base64"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
)

// encoder writes values of a known shape as encoding/json does, of which it is the counterpart for decoder.
type encoder struct {
	out []byte
	err error // the first value that cannot be written
	// within has the members of the objects that the one being written lies in, and which it is joined with.
	within []entry
}

// key begins a member.
func (e *encoder) key(name string) {
	if e.out[len(e.out)-1] != '{' {
		e.out = append(e.out, ',')
	}
	e.out = append(appendText(e.out, name), ':')
}

// field begins the member that a field is.
func (e *encoder) field(f *member) {
	if e.out[len(e.out)-1] != '{' {
		e.out = append(e.out, ',')
	}
	e.out = append(e.out, f.key...)
}

// rawKey is key for one that is written already.
func (e *encoder) rawKey(key []byte) {
	if e.out[len(e.out)-1] != '{' {
		e.out = append(e.out, ',')
	}
	e.out = append(append(e.out, key...), ':')
}

// entry appends a member as it is written.
func (e *encoder) entry(m entry) {
	e.rawKey(m.key)
	e.out = append(e.out, m.value...)
}

func (e *encoder) value(s *shape, v reflect.Value) {
	switch s.kind {
	case boolean:
		e.out = strconv.AppendBool(e.out, v.Bool())
	case integer:
		e.out = strconv.AppendInt(e.out, v.Int(), 10)
	case unsigned:
		e.out = strconv.AppendUint(e.out, v.Uint(), 10)
	case str:
		e.out = appendText(e.out, v.String())
	case binary64:
		if v.IsNil() {
			e.null()
			return
		}
		e.out = append(base64.StdEncoding.AppendEncode(append(e.out, '"'), v.Bytes()), '"')
	case pointer:
		if v.IsNil() {
			e.null()
			return
		}
		e.value(s.elem, v.Elem())
	case list:
		e.list(s, v)
	case dict:
		e.dict(s, v)
	case structure:
		e.structure(s, v)
	default:
		e.whole(v)
	}
}

func (e *encoder) null() { e.out = append(e.out, "null"...) }

func (e *encoder) structure(s *shape, v reflect.Value) {
	e.out = append(e.out, '{')
	for i := range s.fields {
		f := &s.fields[i]
		if value, ok := f.in(v); ok && !f.omits(value) {
			e.field(f)
			e.value(f.shape, value)
		}
	}
	e.out = append(e.out, '}')
}

func (e *encoder) list(s *shape, v reflect.Value) {
	if v.IsNil() {
		e.null()
		return
	}
	e.out = append(e.out, '[')
	for i := range v.Len() {
		if i > 0 {
			e.out = append(e.out, ',')
		}
		e.value(s.elem, v.Index(i))
	}
	e.out = append(e.out, ']')
}

// dict writes a map in the order of its keys.
func (e *encoder) dict(s *shape, v reflect.Value) {
	if v.IsNil() {
		e.null()
		return
	}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int {
		switch {
		case a.String() < b.String():
			return -1
		case a.String() > b.String():
			return 1
		}
		return 0
	})
	e.out = append(e.out, '{')
	for _, key := range keys {
		e.key(key.String())
		e.value(s.elem, v.MapIndex(key))
	}
	e.out = append(e.out, '}')
}

// whole leaves a value to encoding/json, by its address, since MarshalJSON may have been declared on the pointer.
func (e *encoder) whole(v reflect.Value) {
	if !v.CanAddr() { // an element of a map
		copied := reflect.New(v.Type()).Elem()
		copied.Set(v)
		v = copied
	}
	e.json(v.Addr().Interface())
}

// json appends a value as encoding/json writes it.
func (e *encoder) json(value any) {
	encoded, err := json.Marshal(value)
	if err != nil && e.err == nil {
		e.err = err
	}
	e.out = append(e.out, encoded...)
}

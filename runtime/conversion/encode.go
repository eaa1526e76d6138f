// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"encoding/base64"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// encoder writes values of a known shape as encoding/json does. It is the counterpart of wire.Decoder.
type encoder struct {
	out []byte
	err error // the first value that cannot be written
	// within is a stack with the members of the source's structs, with which the written structs are joined.
	within []entry
	// none is a Same without members, for structs whose members all differ.
	none Same
	// partial is set for a part of an object, as server-side apply converts it.
	partial bool
}

// comma separates a member from the one in front of it, or an element.
func (e *encoder) comma() {
	if last := e.out[len(e.out)-1]; last != '{' && last != '[' {
		e.out = append(e.out, ',')
	}
}

// key begins a member.
func (e *encoder) key(name string) {
	e.comma()
	e.out = append(wire.AppendText(e.out, name), ':')
}

// field begins the member of a field.
func (e *encoder) field(f *wire.Member) {
	e.comma()
	e.out = append(e.out, f.Key...)
}

// rawKey is key for a name that is already encoded.
func (e *encoder) rawKey(key []byte) {
	e.comma()
	e.out = append(append(e.out, key...), ':')
}

// text appends a member that is a text.
func (e *encoder) text(name, value string) {
	e.key(name)
	e.out = wire.AppendText(e.out, value)
}

// end ends an object. An empty one is taken back, down to an earlier length.
func (e *encoder) end(before int) {
	if e.out[len(e.out)-1] == '{' {
		e.out = e.out[:before]
	} else {
		e.out = append(e.out, '}')
	}
}

// member appends a member with a value that is already encoded.
func (e *encoder) member(name string, value []byte) {
	e.key(name)
	e.out = append(e.out, value...)
}

// entry appends a member as it is written.
func (e *encoder) entry(m entry) {
	e.rawKey(m.key)
	e.out = append(e.out, m.value...)
}

// fieldOf writes a field of a struct, unless JSON omits it.
func (e *encoder) fieldOf(f *wire.Member, v reflect.Value) {
	if f.Omits(v) || f.Shape.IsQuantity && f.OmitsEmpty() && v.IsZero() { // one that was read has a format
		return
	}
	e.field(f)
	if f.Shape.IsTime && (e.partial || f.OmitsEmpty()) && v.IsZero() {
		e.out = append(e.out, "null"...)
		return
	}
	e.value(f.Shape, v)
}

// valueOf writes the value of a field, which JSON does not omit. Inside of an element it is as fieldOf writes it.
func (e *encoder) valueOf(f *wire.Member, v reflect.Value, inside bool) {
	if inside && f.Shape.IsTime && f.OmitsEmpty() && v.IsZero() {
		e.out = append(e.out, "null"...)
		return
	}
	e.value(f.Shape, v)
}

// present returns a field of a struct, and whether JSON has it. Inside of an element, fieldOf decides.
func present(f *wire.Member, v reflect.Value, inside bool) (reflect.Value, bool) {
	value, ok := f.Present(v)
	return value, ok && !(inside && f.Shape.IsQuantity && f.OmitsEmpty() && value.IsZero())
}

func (e *encoder) value(s *wire.Shape, v reflect.Value) {
	switch s.Kind {
	case wire.Binary64, wire.Pointer, wire.List, wire.Dict:
		if v.IsNil() {
			e.out = append(e.out, "null"...)
			return
		}
	}
	switch s.Kind {
	case wire.Boolean:
		e.out = strconv.AppendBool(e.out, v.Bool())
	case wire.Integer:
		e.out = strconv.AppendInt(e.out, v.Int(), 10)
	case wire.Unsigned:
		e.out = strconv.AppendUint(e.out, v.Uint(), 10)
	case wire.Str:
		e.out = wire.AppendText(e.out, v.String())
	case wire.Binary64:
		e.out = append(base64.StdEncoding.AppendEncode(append(e.out, '"'), v.Bytes()), '"')
	case wire.Pointer:
		e.value(s.Elem, v.Elem())
	case wire.List:
		e.list(s, v)
	case wire.Dict:
		e.dict(s, v)
	case wire.Structure:
		e.structure(s, v)
	default:
		if s.IsTime {
			e.time(v)
			return
		}
		e.whole(v)
	}
}

// time writes a metav1.Time. Its own method leaves out fractions of a second, and writes null for the year 1.
func (e *encoder) time(v reflect.Value) {
	t := v.Interface().(metav1.Time)
	e.out = append(t.UTC().AppendFormat(append(e.out, '"'), time.RFC3339Nano), '"')
}

func (e *encoder) structure(s *wire.Shape, v reflect.Value) {
	e.out = append(e.out, '{')
	for i := range s.Fields {
		f := &s.Fields[i]
		if value, ok := f.In(v); ok {
			e.fieldOf(f, value)
		}
	}
	e.out = append(e.out, '}')
}

func (e *encoder) list(s *wire.Shape, v reflect.Value) {
	e.out = append(e.out, '[')
	for i := range v.Len() {
		e.comma()
		e.value(s.Elem, v.Index(i))
	}
	e.out = append(e.out, ']')
}

// dict writes a map in the order of its keys.
func (e *encoder) dict(s *wire.Shape, v reflect.Value) {
	e.out = append(e.out, '{')
	for _, key := range sortedKeys(v) {
		e.key(key.String())
		e.value(s.Elem, v.MapIndex(key))
	}
	e.out = append(e.out, '}')
}

func sortedKeys(dict reflect.Value) []reflect.Value {
	keys := dict.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	return keys
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

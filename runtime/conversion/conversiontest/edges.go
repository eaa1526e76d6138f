// SPDX-License-Identifier: Apache-2.0

package conversiontest

import (
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/webhook-gen/webhook-gen/runtime/internal/structural"
)

// edges are the numbers and lengths beside the limits in a schema, by the names of members. The empty name has
// the edges of all members. A random value rarely lies between the limits of two versions; an edge does.
type edges map[string]edge

type edge struct {
	numbers []float64
	lengths []int
}

const longest = 1 << 12 // text that is still made

func edgesOf(s *structural.Schema) edges {
	e := edges{}
	e.add("", s)
	return e
}

func (e edges) add(name string, s *structural.Schema) {
	if s == nil {
		return
	}
	var here edge
	for _, limit := range []*float64{s.Minimum, s.Maximum} {
		if limit != nil {
			// Zero is often left out, so another number is beside it.
			here.numbers = append(here.numbers, math.Floor(*limit)-2, math.Floor(*limit)-1, math.Ceil(*limit)+1, math.Ceil(*limit)+2)
		}
	}
	for _, limit := range []*int{s.MinLength, s.MaxLength, s.MinItems, s.MaxItems, s.MinProperties, s.MaxProperties} {
		if limit != nil && *limit < longest {
			here.lengths = append(here.lengths, max(0, *limit-1), *limit+1)
		}
	}
	for _, name := range slices.Compact([]string{"", name}) {
		e[name] = edge{append(e[name].numbers, here.numbers...), append(e[name].lengths, here.lengths...)}
	}
	e.add(name, s.Items)
	for _, member := range slices.Sorted(maps.Keys(s.Properties)) {
		e.add(member, s.Properties[member])
	}
	if s.AdditionalProperties != nil {
		e.add(name, s.AdditionalProperties.Schema)
	}
}

// moving moves some values of an object to edges.
type moving struct {
	edges
	*rand.Rand
	left int // how many values may be added, with those inside elements
}

// object moves values of an object, but not of its metadata.
func (m moving) object(object map[string]any, t reflect.Type) {
	body := without(object, nil)
	m.value("", body, t)
	for name, value := range body {
		object[name] = value
	}
}

// value returns a value of a type in JSON. A type that encodes itself stays as it is.
func (m *moving) value(name string, v any, t reflect.Type) any {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if encodesItself(t) {
		return v
	}
	switch v := v.(type) {
	case string:
		if n, ok := m.length(name); ok && n > 0 && v != "" && t.Kind() == reflect.String {
			return ofLength(v, n)
		}
	case []any:
		if t.Kind() != reflect.Slice {
			return v
		}
		for i := range v {
			v[i] = m.value(name, v[i], t.Elem())
		}
		n, ok := m.length(name)
		for i := len(v); ok && i > 0 && i < n && m.left > 0; i++ {
			v = append(v, m.another(v[0], t.Elem(), i))
			m.left -= valuesIn(v[0])
		}
		if ok && n > 0 && n < len(v) {
			v = v[:n]
		}
		return v
	case map[string]any:
		if t.Kind() == reflect.Map {
			m.entries(name, v, t)
		}
		for member, f := range membersOf(t) {
			if value, ok := v[member]; ok {
				v[member] = m.value(member, value, f)
			}
		}
	default:
		if numbers := m.of(name).numbers; zeroOf(t) != nil && t.Kind() != reflect.Bool && len(numbers) > 0 && m.IntN(2) == 0 {
			if n := numbers[m.IntN(len(numbers))]; holds(t, n) {
				return json.Number(strconv.FormatFloat(n, 'f', -1, 64))
			}
		}
	}
	return v
}

func (m *moving) entries(name string, v map[string]any, t reflect.Type) {
	keys := slices.Sorted(maps.Keys(v))
	for _, key := range keys {
		v[key] = m.value(name, v[key], t.Elem())
	}
	n, ok := m.length(name)
	for i := len(v); ok && len(keys) > 0 && i < n && m.left > 0; i++ {
		v[fmt.Sprint(keys[0], i)] = m.another(v[keys[0]], t.Elem(), i)
		m.left -= valuesIn(v[keys[0]])
	}
}

// of returns the edges for a member: its own if there are any, or the edges of all members.
func (m *moving) of(name string) edge {
	if own := m.edges[name]; len(own.numbers)+len(own.lengths) > 0 {
		return own
	}
	return m.edges[""]
}

func (m *moving) length(name string) (int, bool) {
	lengths := m.of(name).lengths
	if len(lengths) == 0 || m.IntN(2) > 0 {
		return 0, false
	}
	return lengths[m.IntN(len(lengths))], true
}

// valuesIn returns how many values there are in a value, with itself.
func valuesIn(v any) int {
	n := 1
	for range nodes(v) {
		n++
	}
	return n
}

// another returns a copy of an element with other text.
func (m *moving) another(v any, t reflect.Type, i int) any {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch v := v.(type) {
	case string:
		if t.Kind() == reflect.String && !encodesItself(t) {
			return fmt.Sprint(v, i)
		}
	case map[string]any:
		copied := maps.Clone(v)
		for member, f := range membersOf(t) {
			if value, ok := copied[member]; ok {
				copied[member] = m.another(value, f, i)
			}
		}
		return copied
	}
	return v
}

// membersOf returns the types of a struct's members in JSON.
func membersOf(t reflect.Type) map[string]reflect.Type {
	found := map[string]reflect.Type{}
	for i := 0; isPlainStruct(t) && i < t.NumField(); i++ {
		f := t.Field(i)
		name, _, ok := nameInJSON(f)
		switch inner := f.Type; {
		case !ok:
		case name == "":
			for inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			maps.Copy(found, membersOf(inner))
		default:
			found[name] = inner
		}
	}
	return found
}

// ofLength returns a text with this many characters.
func ofLength(text string, n int) string {
	if have := utf8.RuneCountInString(text); have < n {
		return text + strings.Repeat("a", n-have)
	}
	return string([]rune(text)[:n])
}

// encodesItself reports whether a type has its own form in JSON.
func encodesItself(t reflect.Type) bool {
	for _, encoder := range []reflect.Type{reflect.TypeFor[json.Marshaler](), reflect.TypeFor[encoding.TextMarshaler]()} {
		if t.Implements(encoder) || reflect.PointerTo(t).Implements(encoder) {
			return true
		}
	}
	return false
}

// holds reports whether a type of numbers can hold a number.
func holds(t reflect.Type, n float64) bool {
	v := reflect.New(t).Elem()
	switch {
	case v.CanInt():
		return n >= -1<<53 && n <= 1<<53 && !v.OverflowInt(int64(n))
	case v.CanUint():
		return n >= 0 && n <= 1<<53 && !v.OverflowUint(uint64(n))
	}
	return v.CanFloat()
}

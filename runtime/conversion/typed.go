// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// keyed is a list of structs in Go that keys identify. Its elements are compared and changed one by one, without their
// JSON.
type keyed struct {
	list    reflect.Value
	element *wire.Shape // the struct
	keys    []*wire.Member
}

// keyedOf returns a list with keys. It returns false for all other values, and for keys that are not members of the
// elements themselves: their JSON is compared.
func keyedOf(s *wire.Shape, v reflect.Value, p *plan) (keyed, bool) {
	if s.Kind != wire.List || v.IsNil() || p.key.keys == nil || p.One != nil {
		return keyed{}, false
	}
	element := s.Elem
	if element.Kind == wire.Pointer {
		element = element.Elem
	}
	k := keyed{list: v, element: element, keys: make([]*wire.Member, 0, 2)}
	if element.Kind != wire.Structure {
		return keyed{}, false
	}
	for _, name := range p.key.keys {
		i, ok := element.Index[name]
		if !ok || element.Fields[i].IsEmbedded() {
			return keyed{}, false
		}
		switch f := &element.Fields[i]; f.Shape.Kind {
		case wire.Str, wire.Integer, wire.Boolean:
			k.keys = append(k.keys, f)
		default:
			return keyed{}, false
		}
	}
	for i := range v.Len() {
		if !k.at(i).IsValid() {
			return keyed{}, false
		}
	}
	return k, true
}

// at returns the struct of an element. It is invalid if its pointer is nil.
func (k keyed) at(i int) reflect.Value {
	e := k.list.Index(i)
	if e.Kind() == reflect.Pointer {
		return e.Elem()
	}
	return e
}

// sameKeys reports whether two elements have the same keys.
func (k keyed) sameKeys(a, b reflect.Value) bool {
	for _, f := range k.keys {
		x, _ := f.In(a)
		y, _ := f.In(b)
		if !f.Shape.Equal(x, y) {
			return false
		}
	}
	return true
}

// values returns the keys of an element as JSON has them.
func (k keyed) values(element reflect.Value) []any {
	values := make([]any, len(k.keys))
	for i, f := range k.keys {
		v, ok := f.Present(element)
		switch {
		case !ok:
		case f.Shape.Kind == wire.Str:
			values[i] = v.String()
		case f.Shape.Kind == wire.Boolean:
			values[i] = v.Bool()
		default:
			values[i] = json.Number(strconv.FormatInt(v.Int(), 10))
		}
	}
	return values
}

// step returns the step to an element.
func (k keyed) step(key step, element reflect.Value) step {
	key.values = k.values(element)
	return key
}

// byText reports whether the only key is a text, which is then the text of the key.
func (k keyed) byText() bool { return len(k.keys) == 1 && k.keys[0].Shape.Kind == wire.Str }

// noText is the text of a key that JSON omits.
const noText = "\x00"

// textOf returns the keys of an element as one text.
func (k keyed) textOf(element reflect.Value) string {
	if !k.byText() {
		return keyText(k.values(element))
	}
	if v, ok := k.keys[0].Present(element); ok {
		return v.String()
	}
	return noText
}

// textIn returns the keys of a step as textOf does.
func (k keyed) textIn(s step) string {
	if !k.byText() {
		return keyText(s.values)
	}
	switch value := s.values[0].(type) {
	case nil:
		return noText
	case string:
		return value
	default:
		return fmt.Sprint(value)
	}
}

// table reads the keys of all elements once.
func (k keyed) table() *table {
	t := &table{first: make(map[string]int, k.list.Len())}
	for i := range k.list.Len() {
		t.add(k.textOf(k.at(i)), i)
	}
	return t
}

// matches reports whether two lists have elements of the same keys, in the same order and each once.
func (k keyed) matches(other keyed) bool {
	const few = 32
	n := k.list.Len()
	if n != other.list.Len() || n > few && (len(k.keys) > 1 || k.keys[0].Shape.Kind != wire.Str) {
		return false
	}
	var seen map[string]bool
	if n > few {
		seen = make(map[string]bool, n)
	}
	for i := range n {
		e := k.at(i)
		if !k.sameKeys(e, other.at(i)) {
			return false
		}
		if seen != nil {
			v, _ := k.keys[0].In(e)
			if seen[v.String()] {
				return false
			}
			seen[v.String()] = true
			continue
		}
		for j := range i {
			if k.sameKeys(e, k.at(j)) {
				return false
			}
		}
	}
	return true
}

// canonical appends JSON as json.Marshal writes what [parsed] reads: with sorted members, and with the same escapes.
func canonical(out, text []byte) []byte {
	switch text[0] {
	case '{':
		var few [8]entry
		all := collect(few[:0], text)
		byName := func(a, b entry) int {
			return slices.Compare(wire.Text(a.key, wire.Whole(a.key)), wire.Text(b.key, wire.Whole(b.key)))
		}
		if !slices.IsSortedFunc(all, byName) {
			slices.SortFunc(all, byName)
		}
		out = append(out, '{')
		for i, m := range all {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(canonical(out, m.key), ':')
			out = canonical(out, m.value)
		}
		return append(out, '}')
	case '[':
		out = append(out, '[')
		first := true
		for e := range elements(text) {
			if !first {
				out = append(out, ',')
			}
			first = false
			out = canonical(out, e.value)
		}
		return append(out, ']')
	case '"':
		if !wire.IsPlain(text) || slices.ContainsFunc(text, func(c byte) bool { return c == '<' || c == '>' || c == '&' }) {
			if encoded, err := json.Marshal(string(wire.Text(text, wire.Whole(text)))); err == nil {
				return append(out, encoded...)
			}
		}
	}
	return append(out, text...)
}

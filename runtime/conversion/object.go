// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"cmp"
	"errors"
	"fmt"
	"iter"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// entry is a member of an object as it is written: its name with the quotes and escapes, and its value.
type entry struct{ key, value []byte }

// is reports whether the member has this name.
func (e entry) is(name string) bool {
	if string(e.key[1:len(e.key)-1]) == name {
		return true
	}
	return !wire.IsPlain(e.key) && e.name() == name
}

func (e entry) name() string { return string(wire.Text(e.key, wire.Whole(e.key))) }

// entries returns the members of a well-formed object in their order. It returns no members for any other value.
func entries(object []byte) iter.Seq[entry] { return contentOf(object, '{') }

// elements returns the elements of a well-formed array in their order, as entries without keys. It returns no elements
// for any other value.
func elements(array []byte) iter.Seq[entry] { return contentOf(array, '[') }

// contentOf returns the content of a well-formed value that begins with a bracket.
func contentOf(value []byte, bracket byte) iter.Seq[entry] {
	return func(yield func(entry) bool) {
		if len(value) == 0 || value[0] != bracket {
			return
		}
		for i := wire.Space(value, 1); value[i] != bracket+2; { // so far is the closing bracket in ASCII
			var e entry
			if bracket == '{' {
				key := i
				i = wire.SkipString(value, i)
				e.key = value[key:i]
				i = wire.Space(value, wire.Space(value, i)+len(":"))
			}
			end := wire.Skip(value, i)
			if e.value = value[i:end]; !yield(e) {
				return
			}
			if i = wire.Space(value, end); value[i] == ',' {
				i = wire.Space(value, i+1)
			}
		}
	}
}

// isJSON reports whether a text is well-formed.
func isJSON(text []byte) bool {
	return wire.ScanAll(text, func(i int) int { return wire.ScanValue(text, i, wire.MaxDepth) }) >= 0
}

func isObject(value []byte) bool { return len(value) > 0 && value[0] == '{' }

// valueOf returns the value of an object's member, or nil if the member is missing or null.
func valueOf(object []byte, name string) []byte {
	for e := range entries(object) {
		if e.is(name) && !wire.IsNull(e.value, 0) {
			return e.value
		}
	}
	return nil
}

// collect appends the members of an object.
func collect(all []entry, object []byte) []entry {
	for m := range entries(object) {
		all = append(all, m)
	}
	return all
}

// named returns the value of a member, or nil if the member is missing.
func named(all []entry, name string) []byte {
	for _, m := range all {
		if m.is(name) {
			return m.value
		}
	}
	return nil
}

// stringOf returns the content of a JSON string. It returns empty text for null and for a missing value, and an error
// for any other value.
func stringOf(value []byte) (string, error) {
	switch {
	case value == nil || wire.IsNull(value, 0):
		return "", nil
	case value[0] != '"':
		return "", fmt.Errorf("%s cannot be read as string", wire.Found(value[0]))
	}
	return string(wire.Text(value, wire.Whole(value))), nil
}

// object is an object to be converted: its text and its members. It has no members if it is another value.
type object struct {
	text    []byte
	members []entry
}

// objectOf returns the object of a well-formed text.
func objectOf(text []byte) object { return object{text, collect(nil, text)} }

// usual is how many members most objects have: apiVersion, kind, metadata, spec and status.
const usual = 5

// scan reads an object, or another value, at an offset of a body that has not been checked yet. It returns the offset
// behind the value, as wire.ScanValue does.
func (o *object) scan(body []byte, start, depth int) int {
	end := 0
	if wire.At(body, start, '{') {
		o.members = make([]entry, 0, usual)
		end = wire.ScanObject(body, start, depth, func(key wire.Span, i, depth int) int {
			end := wire.ScanValue(body, i, depth)
			if end >= 0 {
				o.members = append(o.members, entry{key.Of(body), body[i:end]})
			}
			return end
		})
	} else {
		end = wire.ScanValue(body, start, depth)
	}
	if end >= 0 {
		o.text = body[start:end:end]
	}
	return end
}

// header identifies an object.
type header struct{ apiVersion, kind, namespace, name string }

// header reads version and kind.
func (o object) header() (h header, err error) {
	switch {
	case wire.IsNull(o.text, 0):
		return h, errors.New("it is null")
	case !isObject(o.text):
		return h, fmt.Errorf("%s cannot be read as object", wire.Found(o.text[0]))
	}
	if h.apiVersion, err = stringOf(named(o.members, "apiVersion")); err != nil {
		return h, fmt.Errorf("apiVersion: %w", err)
	}
	if h.kind, err = stringOf(named(o.members, "kind")); err != nil {
		return h, fmt.Errorf("kind: %w", err)
	}
	if h.apiVersion == "" || h.kind == "" {
		return h, errors.New("it has no apiVersion or no kind")
	}
	return h, nil
}

// naming returns the header with namespace and name, which are read only for messages.
func (h header) naming(o object) header {
	metadata := named(o.members, "metadata")
	h.namespace, _ = stringOf(valueOf(metadata, "namespace"))
	h.name, _ = stringOf(valueOf(metadata, "name"))
	if h.name == "" {
		h.name, _ = stringOf(valueOf(metadata, "generateName"))
	}
	return h
}

// String names the object as far as it is known.
func (h header) String() string {
	name := cmp.Or(h.name, "without a name")
	if h.name != "" && h.namespace != "" {
		name = h.namespace + "/" + name
	}
	return cmp.Or(h.kind, "an object") + " " + name + " of " + cmp.Or(h.apiVersion, "no version")
}

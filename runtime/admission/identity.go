// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"crypto/sha256"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// identityRoom and identityFactor bound the bytes that identities are made of: for a call, and for a byte of its
// objects. A validator may return many errors with long paths or large values, and elements may have many errors.
// Beyond the bound no error is a warning.
const (
	identityRoom   = 1 << 20
	identityFactor = 32
)

// fieldError identifies a field error among the errors of an object.
type fieldError struct {
	// path has keys in place of indexes, and message the type, too.
	path, message string
	// value is the value in the error, and own the object's value at the path, if that has no members: an error may hide
	// its value. element is the innermost element around the error, if a list on the path has no keys. All are digests.
	// An error about a list or map has none of them.
	value, own, element string
}

// aboutList is the list or the map that an error is about; the zero value for other errors.
type aboutList struct {
	is bool
	// length is the number of elements, and byLength whether the error is about it.
	length   int
	byLength bool
	// mayGrow is set if more elements do not make the error worse.
	mayGrow bool
	value   string // the digest of the value in the error
	// elements returns the digests of the elements, sorted.
	elements func() []string
}

type identifiedError struct {
	fieldError
	about aboutList
}

// storedErrors has the errors of the stored object. An error that occurs twice is there twice.
type storedErrors map[fieldError][]aboutList

// mostCompared is how many lists with the same error are compared by their elements. Lists in a list without keys have
// the same path.
const mostCompared = 16

// take removes the error of the stored object that is the same, and reports whether there is one.
func (s storedErrors) take(e identifiedError) bool {
	all := s[e.fieldError]
	if len(all) == 0 {
		return false
	}
	best := len(all) - 1
	if e.about.is {
		best = e.about.among(all)
	}
	if best < 0 {
		return false
	}
	s[e.fieldError] = slices.Delete(all, best, best+1)
	return true
}

// among returns the index of the list of a stored object whose error is the same, or -1: of several, the shortest.
func (a aboutList) among(stored []aboutList) int {
	best := -1
	for i, old := range stored {
		same := a.value == old.value || a.byLength && old.byLength
		if !same && i < mostCompared {
			same = isPart(a.elements(), old.elements())
		}
		if same && (a.length <= old.length || a.mayGrow) && (best < 0 || old.length < stored[best].length) {
			best = i
		}
	}
	return best
}

// isPart reports whether all texts of one sorted list are in another one.
func isPart(some, all []string) bool {
	if len(some) > len(all) {
		return false
	}
	i := 0
	for _, text := range all {
		if i < len(some) && some[i] == text {
			i++
		}
	}
	return i == len(some)
}

// identifier finds the identities of the errors of an object.
type identifier struct {
	shape  *wire.Shape
	object reflect.Value
	room   *int
	steps  map[string]*elementAt // the elements of lists, and values that decode themselves, by their paths
	lists  map[string][]string   // the digests of the elements of lists, by their paths
}

// elementAt is a part of the object on the path of an error.
type elementAt struct {
	name    string        // in place of the index
	value   reflect.Value // what encodes as JSON to the content
	content string        // the digest, or empty if it has not been needed
	untyped any           // of a value that decodes itself
}

func newIdentifier(s *wire.Shape, object reflect.Value, room *int) *identifier {
	return &identifier{shape: s, object: object.Elem(), room: room, steps: map[string]*elementAt{}, lists: map[string][]string{}}
}

// digest returns a short text that differs for values of different JSON. It returns false for values that JSON cannot
// express, and without room.
func (n *identifier) digest(v any) (string, bool) {
	if *n.room < 0 {
		return "", false
	}
	text, err := json.Marshal(v)
	*n.room -= len(text) + 16
	if err != nil || *n.room < 0 {
		return "", false
	}
	if len(text) <= sha256.Size {
		return string(text), true
	}
	sum := sha256.Sum256(text)
	return string(sum[:]), true
}

// errorOf returns the identity of a field error of the object. It returns false for other errors, for values that JSON
// cannot express, and without room.
func (n *identifier) errorOf(err error) (id identifiedError, ok bool) {
	if !isAboutObject(err) {
		return id, false
	}
	e := err.(*field.Error)
	if *n.room -= len(e.Field) + len(e.Detail); *n.room < 0 {
		return id, false
	}
	id.message = string(e.Type) + ": " + e.Detail
	if id.value, ok = n.digest(e.BadValue); !ok {
		return id, false
	}
	path, s, v, at := n.walk(e.Field)
	id.path = path
	if v.IsValid() {
		switch s.Kind {
		case wire.List, wire.Dict:
			id.about = n.aboutList(e, s, v, id.value)
			id.value = ""
			return id, true
		case wire.Structure:
		default:
			if id.own, ok = n.digest(address(v).Interface()); !ok {
				return id, false
			}
		}
	}
	if at == nil {
		return id, true
	}
	id.element, ok = n.contentOf(at)
	return id, ok
}

func (n *identifier) contentOf(at *elementAt) (string, bool) {
	if at.content == "" {
		content, ok := n.digest(address(at.value).Interface())
		if !ok {
			return "", false
		}
		at.content = content
	}
	return at.content, true
}

// aboutList returns the list or map v that an error is about. Its elements are read when they are needed.
func (n *identifier) aboutList(e *field.Error, s *wire.Shape, v reflect.Value, value string) aboutList {
	length := v.Len()
	byLength := e.Type == field.ErrorTypeTooMany || e.Type == field.ErrorTypeTooLong || value == strconv.Itoa(length)
	return aboutList{
		is: true, length: length, byLength: byLength, mayGrow: e.Type == field.ErrorTypeRequired, value: value,
		elements: func() []string {
			digests, ok := n.lists[e.Field]
			if !ok {
				digests = n.elements(s, v)
				n.lists[e.Field] = digests
			}
			return digests
		},
	}
}

// elements returns the digests of the elements of a list or map, sorted.
func (n *identifier) elements(s *wire.Shape, v reflect.Value) (all []string) {
	add := func(key string, element reflect.Value) {
		digest, _ := n.digest(address(element).Interface())
		all = append(all, key+digest)
	}
	if s.Kind == wire.List {
		for i := range v.Len() {
			add("", v.Index(i))
		}
	} else {
		for entries := v.MapRange(); entries.Next(); {
			add(entries.Key().String()+"=", entries.Value())
		}
	}
	slices.Sort(all)
	return all
}

// walk follows the path of an error to its value. It returns the path with keys in place of indexes, in lists that
// declare keys: spec.items[sku="tea"].quantity. In other lists it leaves the index out, and returns the innermost
// element. The path stays the same from the first step that the object does not have, and there is no value then.
func (n *identifier) walk(path string) (stable string, s *wire.Shape, v reflect.Value, innermost *elementAt) {
	s, v = n.shape, n.object
	var out strings.Builder
	var in *wire.Member // the list that v is
	keyless := false
	for at := 0; at < len(path); {
		if path[at] == '.' {
			out.WriteByte('.')
			at++
			continue
		}
		lost := func() (string, *wire.Shape, reflect.Value, *elementAt) {
			return out.String() + path[at:], nil, reflect.Value{}, innermost
		}
		if s, v = n.opened(s, v, path[:at]); !v.IsValid() {
			return lost()
		}
		rest := path[at:]
		word := strings.IndexAny(rest, ".[")
		if word < 0 {
			word = len(rest)
		}
		switch {
		case s.Kind == wire.Structure:
			i, ok := s.Index[rest[:word]]
			if !ok {
				return lost()
			}
			in = &s.Fields[i]
			if v, ok = in.In(v); !ok {
				return lost()
			}
			s = in.Shape
			out.WriteString(rest[:word])
			at += word
		case s.Kind == wire.List:
			end := strings.IndexByte(rest, ']') + 1
			if rest[0] != '[' || end == 0 {
				return lost()
			}
			i, err := strconv.Atoi(rest[1 : end-1])
			if err != nil || i < 0 || i >= v.Len() {
				return lost()
			}
			s, v = s.Elem, v.Index(i)
			at += end
			element := n.steps[path[:at]]
			if element == nil {
				element = &elementAt{name: n.keysOf(in, s, v), value: v}
				n.steps[path[:at]] = element
			}
			if keyless = keyless || element.name == ""; keyless {
				innermost = element
			}
			out.WriteString("[" + element.name + "]")
			in = nil
		case s.Kind == wire.Dict:
			end, key := word, ""
			if rest[0] == '[' {
				if end = keyEnd(rest, v); end == 0 {
					return lost()
				}
				key = rest[1 : end-1]
			} else {
				key = rest[:end]
			}
			name := reflect.New(v.Type().Key()).Elem()
			name.SetString(key)
			if s, v, in = s.Elem, v.MapIndex(name), nil; !v.IsValid() {
				return lost()
			}
			out.WriteString(rest[:end])
			at += end
		default:
			return lost()
		}
	}
	s, v = n.opened(s, v, path)
	return out.String(), s, v, innermost
}

// opened follows pointers, and values without a type, to a value with members. A value that decodes itself is read as a
// value without a type if it has members.
func (n *identifier) opened(s *wire.Shape, v reflect.Value, path string) (*wire.Shape, reflect.Value) {
	for {
		if s, v = s.PointedAt(v); !v.IsValid() {
			return s, v
		}
		switch s.Kind {
		case wire.Self, wire.Opaque:
			known := n.steps[path+"\x00"]
			if known == nil {
				known = &elementAt{}
				n.steps[path+"\x00"] = known
				if text, err := encode(v); err == nil {
					*n.room -= len(text)
					_ = json.Unmarshal(text, &known.untyped)
				}
			}
			switch known.untyped.(type) {
			case map[string]any, []any:
			default:
				return s, v
			}
			s, v = anyValue, reflect.ValueOf(&known.untyped).Elem()
		case wire.Dynamic:
			switch x := v.Interface().(type) {
			case map[string]any:
				return anyDict, reflect.ValueOf(x)
			case []any:
				return anyList, reflect.ValueOf(x)
			}
			return s, v
		default:
			return s, v
		}
	}
}

// keysOf returns the members that identify an element of a list, as name=value. It is empty if none are declared, if
// the list is a set, and for elements that lack one.
func (n *identifier) keysOf(list *wire.Member, s *wire.Shape, v reflect.Value) string {
	if list == nil || len(list.ListKeys) == 0 {
		return ""
	}
	s, v = s.PointedAt(v)
	if !v.IsValid() || s.Kind != wire.Structure || !s.HasAll(list.ListKeys) {
		return ""
	}
	var keys []string
	for _, name := range list.ListKeys {
		key, ok := s.Fields[s.Index[name]].In(v)
		if !ok {
			return ""
		}
		text, ok := n.digest(address(key).Interface())
		if !ok {
			return ""
		}
		keys = append(keys, name+"="+text)
	}
	return strings.Join(keys, ",")
}

// keyBrackets is the number of closing brackets that a key may contain. Users choose keys, and each bracket costs a
// lookup.
const keyBrackets = 16

// keyEnd returns the end of the step to an entry of a map: [key], where the key may contain brackets. It is 0 without
// such an entry.
func keyEnd(path string, m reflect.Value) int {
	if path[0] != '[' {
		return 0
	}
	brackets := 0
	for end := 1; end < len(path) && brackets <= keyBrackets; end++ {
		if path[end] != ']' {
			continue
		}
		brackets++
		key := reflect.New(m.Type().Key()).Elem()
		key.SetString(path[1:end])
		if m.MapIndex(key).IsValid() {
			return end + 1
		}
	}
	return 0
}

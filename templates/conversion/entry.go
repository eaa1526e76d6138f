package conversion

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// Scalar is what an entry of an object's annotations or labels can say.
type Scalar interface {
	~string | ~bool | Whole
}

// ToEntry writes what a field says into an entry. A zero value says nothing, and leaves the entries as they are.
func ToEntry[S Scalar](entries *map[string]string, key string, src S) {
	var zero S
	if src != zero {
		put(entries, key, fmt.Sprint(src))
	}
}

// FromEntry moves what an entry says into a field, and reports whether it did. An entry that ToEntry would not
// have written stays what it is.
func FromEntry[D Scalar](dst *D, entries *map[string]string, key string, parse func(*D, string) error) bool {
	var value, zero D
	text, ok := (*entries)[key]
	if !ok || parse(&value, text) != nil || value == zero || fmt.Sprint(value) != text {
		return false
	}
	*dst = value
	remove(entries, key)
	return true
}

// ToEntryJSON writes what a field says into an entry, as JSON. One of which nothing is set leaves the entries as they are.
func ToEntryJSON[S any](entries *map[string]string, key string, src S) error {
	var text string
	if err := FormatJSON(&text, src); err != nil || text == "" {
		return err
	}
	put(entries, key, text)
	return nil
}

// FromEntryJSON moves what an entry says in JSON into a field, and reports whether it did. An entry that is no JSON,
// or that has something the field's type has not, stays what it is.
func FromEntryJSON[D any](dst *D, entries *map[string]string, key string) bool {
	text, ok := (*entries)[key]
	if !ok {
		return false
	}
	var value D
	var again string
	if json.Unmarshal([]byte(text), &value) != nil || FormatJSON(&again, value) != nil || !sameJSON(text, again) {
		return false
	}
	*dst = value
	remove(entries, key)
	return true
}

// sameJSON reports whether two texts are the same JSON, however they are written.
func sameJSON(a, b string) bool {
	if a == b {
		return true
	}
	x, err := decoded(json.RawMessage(a))
	y, err2 := decoded(json.RawMessage(b))
	return err == nil && err2 == nil && reflect.DeepEqual(x, y)
}

// MoveEntry gives an entry another key, unless that is taken.
func MoveEntry(from, to *map[string]string, key, newKey string) {
	text, ok := (*from)[key]
	if _, taken := (*to)[newKey]; ok && !taken {
		remove(from, key)
		put(to, newKey, text)
	}
}

func put(entries *map[string]string, key, text string) {
	if *entries == nil {
		*entries = map[string]string{}
	}
	(*entries)[key] = text
}

// remove takes an entry out; no entries are no map.
func remove(entries *map[string]string, key string) {
	if delete(*entries, key); len(*entries) == 0 {
		*entries = nil
	}
}

// ParseText reads text as it is.
func ParseText[D, S ~string](dst *D, src S) error {
	*dst = D(src)
	return nil
}

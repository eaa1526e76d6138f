// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// Scalar is a type whose values can be stored in an annotation or label.
type Scalar interface {
	~string | ~bool | Whole
}

// ToEntry stores the value of a field in an annotation or label. A zero value is not stored.
func ToEntry[S Scalar](entries *map[string]string, key string, src S) {
	var zero S
	if src != zero {
		put(entries, key, fmt.Sprint(src))
	}
}

// FromEntry moves the value of an annotation or label into a field, and reports whether it did. An entry that ToEntry
// would not have written stays.
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

// ToEntryJSON is ToEntry for a value that is stored as JSON. A value without set fields is not stored.
func ToEntryJSON[S any](entries *map[string]string, key string, src S) error {
	var text string
	if err := FormatJSON(&text, src); err != nil || text == "" {
		return err
	}
	put(entries, key, text)
	return nil
}

// FromEntryJSON is FromEntry for a value that is stored as JSON. An entry stays if it is not JSON, or if the type of
// the field lacks some of its content.
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
	x, err := parsed([]byte(a))
	y, err2 := parsed([]byte(b))
	return err == nil && err2 == nil && reflect.DeepEqual(x, y)
}

// MoveEntry gives an annotation or label another key, unless that key is taken.
func MoveEntry(from, to *map[string]string, key, newKey string) {
	text, ok := (*from)[key]
	if _, taken := (*to)[newKey]; ok && !taken {
		remove(from, key)
		put(to, newKey, text)
	}
}

func put[T any](entries *map[string]T, key string, value T) {
	if *entries == nil {
		*entries = map[string]T{}
	}
	(*entries)[key] = value
}

// remove deletes an entry, and sets an empty map to nil.
func remove(entries *map[string]string, key string) {
	if delete(*entries, key); len(*entries) == 0 {
		*entries = nil
	}
}

// ParseText copies text as it is.
func ParseText[D, S ~string](dst *D, src S) error {
	*dst = D(src)
	return nil
}

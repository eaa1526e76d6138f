package conversion

import "fmt"

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

// FromEntry moves what an entry says into a field. An entry that ToEntry would not have written stays what it is.
func FromEntry[D Scalar](dst *D, entries *map[string]string, key string, parse func(*D, string) error) {
	var value, zero D
	text, ok := (*entries)[key]
	if !ok || parse(&value, text) != nil || value == zero || fmt.Sprint(value) != text {
		return
	}
	*dst = value
	remove(entries, key)
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

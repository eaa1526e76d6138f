// SPDX-License-Identifier: Apache-2.0

package structural

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// Density is how much of a schema a random object has.
type Density int

// The densities. Least has the required members alone, Sparse and Half have some of the others, and Full has all of
// them. Limits has all of them, with values at the limits of the schema.
const (
	Least Density = iota
	Sparse
	Half
	Full
	Limits
)

// Densities returns all of them.
func Densities() []Density { return []Density{Least, Sparse, Half, Full, Limits} }

// Random returns an object of a schema, without its metadata. An API server may refuse it nevertheless: see
// [Schema.Validate].
func (s *Schema) Random(random *rand.Rand, density Density) map[string]any {
	f := filling{Rand: random, Density: density}
	object := map[string]any{}
	f.members(s, object, 0)
	for name := range object {
		if isOfObject(name) {
			delete(object, name)
		}
	}
	s.Repair(object, random)
	for name := range object {
		if isOfObject(name) {
			delete(object, name)
		}
	}
	return object
}

// The bounds of random objects. Recursive schemas end at the depth; an object with many values gets no more optional
// members, and a list or text at its limit is no longer than this.
const (
	deepest     = 12
	manyValues  = 2000
	longestList = 20
	longestText = 300
)

type filling struct {
	*rand.Rand
	Density
	values, texts int
}

// wants reports whether to add an optional member.
func (f *filling) wants(depth int) bool {
	if depth > deepest || f.values > manyValues {
		return false
	}
	switch f.Density {
	case Least:
		return false
	case Sparse:
		return f.IntN(4) == 0
	case Half:
		return f.IntN(2) == 0
	}
	return true
}

func (f *filling) members(s *Schema, object map[string]any, depth int) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if depth == 0 && isOfObject(name) || !slices.Contains(s.Required, name) && !f.wants(depth) {
			continue
		}
		if member := s.Properties[name]; member != nil {
			object[name] = f.value(member, depth+1)
		}
	}
	if values, ok := s.values(); ok && f.wants(depth) {
		for range f.length(s.MinProperties, s.MaxProperties) {
			object[f.text()] = f.value(values, depth+1)
		}
	}
}

func (f *filling) value(s *Schema, depth int) any {
	f.values++
	switch {
	case s == nil:
		return f.text()
	case len(s.Enum) > 0:
		return s.Enum[f.IntN(len(s.Enum))]
	case s.IntOrString:
		if s.Pattern == "" && f.IntN(2) == 0 {
			return json.Number(fmt.Sprint(f.IntN(100)))
		}
		return s.text(f.text())
	}
	switch s.Type {
	case "string":
		return f.string(s)
	case "integer", "number":
		return f.number(s)
	case "boolean":
		return f.IntN(2) == 0
	case "array":
		list := []any{}
		if depth <= deepest {
			for range f.length(s.MinItems, s.MaxItems) {
				list = append(list, f.value(s.Items, depth+1))
			}
		}
		return list
	}
	object := map[string]any{}
	if depth <= deepest {
		f.members(s, object, depth)
	}
	return object
}

// string returns a text, at a limit of its length if there is one.
func (f *filling) string(s *Schema) string {
	text := f.text()
	switch {
	case f.Density == Limits && s.MaxLength != nil && *s.MaxLength <= longestText:
		text += strings.Repeat("a", max(0, *s.MaxLength-len(text)))
	case f.Density != Full && f.Density != Limits && f.IntN(4) == 0:
		text = ""
	}
	return s.text(text)
}

// number returns a number, one of the limits if there are any.
func (f *filling) number(s *Schema) any {
	n := float64(f.IntN(100))
	limits := []*float64{s.Minimum, s.Maximum}
	if limit := limits[f.IntN(2)]; limit != nil && (f.Density == Limits || f.IntN(3) == 0) {
		n = *limit
	}
	return s.number(n)
}

// length returns the length of a list or a map.
func (f *filling) length(least, most *int) int {
	switch {
	case f.Density == Limits && most != nil:
		return min(*most, longestList)
	case f.Density == Limits:
		return 2
	case f.Density == Full:
		return 1
	case f.Density == Least && least == nil:
		return 0
	}
	return f.IntN(3)
}

// text returns a text that differs from all others, because it may become a key.
func (f *filling) text() string {
	f.texts++
	return fmt.Sprintf("text-%d-%d", f.texts, f.IntN(1000))
}

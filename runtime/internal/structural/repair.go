// SPDX-License-Identifier: Apache-2.0

package structural

import (
	"encoding/json"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Repair changes an object that is filled at random so that the schema refuses less of it: it chooses constants, sets
// required members, moves numbers and lengths into their bounds, and removes optional members that are still refused.
// An API server may refuse the result nevertheless: see [Schema.Validate].
func (s *Schema) Repair(object map[string]any, random *rand.Rand) {
	if s != nil {
		repairing{random}.object(s, object)
	}
}

type repairing struct{ *rand.Rand }

// value returns a repaired value.
func (r repairing) value(s *Schema, v any) any {
	if s == nil || v == nil && s.Nullable {
		return v
	}
	if !s.hasType(v) {
		return r.example(s)
	}
	if len(s.Enum) > 0 {
		if s.inEnum(v) {
			return v
		}
		return s.Enum[r.IntN(len(s.Enum))]
	}
	switch value := v.(type) {
	case string:
		return s.text(value)
	case map[string]any:
		r.object(s, value)
	case []any:
		return r.list(s, value)
	default:
		if n, ok := number(v); ok && s.problemOfNumber(n) != "" {
			return s.number(n)
		}
	}
	return v
}

// number returns the nearest number in the bounds.
func (s *Schema) number(n float64) any {
	step := 1.0
	if s.MultipleOf != nil && *s.MultipleOf > 0 {
		step = *s.MultipleOf
	}
	if s.Maximum != nil && n >= *s.Maximum {
		n = math.Floor(*s.Maximum/step) * step
		if s.ExclusiveMaximum && n == *s.Maximum {
			n -= step
		}
	}
	if s.Minimum != nil && n <= *s.Minimum {
		n = math.Ceil(*s.Minimum/step) * step
		if s.ExclusiveMinimum && n == *s.Minimum {
			n += step
		}
	}
	return json.Number(strconv.FormatFloat(math.Floor(n/step)*step, 'f', -1, 64))
}

// texts are tried where a pattern or a format refuses text.
var texts = []string{"a", "a1", "1", "10", "A", "1.2.3", "v1.2.3", "10s", "1Gi", "50%", "a.b", "a/b", "example.com", "example.com/a",
	"10.0.0.1", "10.0.0.0/8", "https://example.com", "arn:aws:iam::123456789012:role/a", "2020-01-01T00:00:00Z", "2020-01-01T00:00:00.000000Z", "2020-01-01", "YQ==", ""}

func (s *Schema) text(text string) string {
	if s.MaxLength != nil && utf8.RuneCountInString(text) > *s.MaxLength {
		text = string([]rune(text)[:*s.MaxLength])
	}
	if s.MinLength != nil {
		text += strings.Repeat("a", max(0, *s.MinLength-utf8.RuneCountInString(text)))
	}
	fits := func(text string) bool { return s.problemOfText(text) == "" }
	if fits(text) {
		return text
	}
	if i := slices.IndexFunc(texts, fits); i >= 0 {
		return texts[i]
	}
	return text
}

func (r repairing) list(s *Schema, list []any) []any {
	kept := []any{}
	for _, element := range list {
		element = r.value(s.Items, element)
		if !slices.ContainsFunc(kept, func(other any) bool { return s.twice(other, element) }) && s.Items.allows(element) {
			kept = append(kept, element)
		}
	}
	for s.MinItems != nil && len(kept) < *s.MinItems && s.Items != nil {
		kept = append(kept, r.example(s.Items))
	}
	if s.MaxItems != nil {
		kept = kept[:min(len(kept), *s.MaxItems)]
	}
	return kept
}

func (r repairing) object(s *Schema, object map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		member := s.Member(name)
		if member == nil {
			continue
		}
		object[name] = r.value(member, object[name])
		if !slices.Contains(s.Required, name) && !member.allows(object[name]) {
			delete(object, name)
		}
	}
	for _, name := range s.Required {
		if _, ok := object[name]; !ok {
			object[name] = r.example(s.Member(name))
		}
	}
	if !s.allows(object) {
		r.choose(s, object)
	}
}

// choose keeps the members of one alternative only.
func (r repairing) choose(s *Schema, object map[string]any) {
	for _, alternatives := range [][]*Schema{s.OneOf, s.AnyOf} {
		for _, i := range r.Perm(len(alternatives)) {
			tried := maps.Clone(object)
			for j, other := range alternatives {
				for _, name := range other.Required {
					if j != i && !slices.Contains(alternatives[i].Required, name) {
						delete(tried, name)
					}
				}
			}
			for _, name := range alternatives[i].Required {
				if _, ok := tried[name]; !ok && s.Member(name) != nil {
					tried[name] = r.example(s.Member(name))
				}
			}
			if s.allows(tried) {
				clear(object)
				maps.Copy(object, tried)
				return
			}
		}
	}
}

// example returns a value with few members.
func (r repairing) example(s *Schema) any {
	switch {
	case s == nil:
		return nil
	case s.Default != nil:
		return s.value()
	case len(s.Enum) > 0:
		return s.Enum[r.IntN(len(s.Enum))]
	case s.Type == "string" || s.IntOrString:
		return s.text("")
	case s.Type == "integer" || s.Type == "number":
		return s.number(0)
	case s.Type == "boolean":
		return false
	case s.Type == "array":
		return r.list(s, nil)
	}
	object := map[string]any{}
	r.object(s, object)
	return object
}

// SPDX-License-Identifier: Apache-2.0

package limits

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// origin is a value before its conversion.
type origin struct {
	t      *resolve.Type
	limits []Limits
	// zeroless is true if a zero value sets nothing on the other side.
	zeroless bool
	// same are the values that a rule lets stay what they are.
	same []string
	// values are the possible values, with their names on the other side; nil if any other value is possible.
	values []string
}

// setValues finds the possible values of a type with an Enum or with constants, and of a bool.
func (s *origin) setValues(c Change) {
	for _, l := range s.limits {
		switch {
		case len(l.Enum) == 0:
		case s.values == nil:
			s.values = slices.Clone(l.Enum)
		default: // a value must satisfy both
			s.values = slices.DeleteFunc(s.values, func(v string) bool { return !slices.Contains(l.Enum, v) })
		}
	}
	switch {
	case s.values != nil:
	case s.t.IsBool():
		s.values = []string{"false", "true"}
	case s.t.IsText():
		s.values = c.Constants(s.t)
	}
	for i, v := range s.values {
		if to, ok := c.Renamed[v]; ok {
			s.values[i] = to
		}
	}
}

// text returns the source's marker of a name; the last one is the field's own.
func (s origin) text(name string) string {
	text := ""
	for _, l := range s.limits {
		text = cmp.Or(l.text(name), text)
	}
	return text
}

// refusedBy returns the markers of a destination's type that refuse values of the source.
func (s origin) refusedBy(l Limits, to *resolve.Type) []Refusal {
	var found []Refusal
	for _, name := range l.marked() {
		if !matters(name, to) || s.satisfies(l, name, to) {
			continue
		}
		own := s.counterpart(name)
		r := Refusal{To: l.text(name), From: s.text(own)}
		switch {
		case s.values != nil && name != "Enum":
			r.From = "the values " + strings.Join(s.values, ";")
		case matters("Pattern", s.t) && name != "Enum":
			hidden := cmp.Or(s.text("Pattern"), s.text("Format"))
			r.unsure, r.From = hidden != "", cmp.Or(r.From, hidden)
		}
		r.From = cmp.Or(r.From, "no "+own)
		found = append(found, r)
	}
	return found
}

// counterpart returns the name of the source's marker that corresponds to a marker of the destination. The elements of
// a list may become the members of a map.
func (s origin) counterpart(name string) string {
	switch {
	case strings.HasSuffix(name, "Items") && s.t.Kind() == resolve.Map:
		return name[:3] + "Properties"
	case strings.HasSuffix(name, "Properties") && s.t.Kind() == resolve.Slice:
		return name[:3] + "Items"
	}
	return name
}

// satisfies reports whether every value of the source satisfies a marker.
func (s origin) satisfies(l Limits, name string, to *resolve.Type) bool {
	if name == "Enum" && slices.Contains(s.same, "*") {
		return true
	}
	if s.values != nil && name != "MultipleOf" && name != "Format" {
		return !slices.ContainsFunc(s.values, func(v string) bool {
			return !s.isZero(v) && !(name == "Enum" && slices.Contains(s.same, v)) && slices.Contains(l.refusing(s.typed(v)), name)
		})
	}
	switch name {
	case "Minimum":
		return s.isWithin(Limits.low, l.low(), 1)
	case "Maximum":
		return s.isWithin(Limits.high, l.high(), -1)
	case "MultipleOf":
		return slices.ContainsFunc(s.limits, func(own Limits) bool {
			return own.MultipleOf == l.MultipleOf || isMultiple(own.MultipleOf, l.MultipleOf)
		})
	case "Pattern", "Format", "UniqueItems":
		return slices.ContainsFunc(s.limits, func(own Limits) bool { return own.text(name) == l.text(name) })
	case listType:
		return s.t.Kind() != resolve.Slice || slices.ContainsFunc(s.limits, func(own Limits) bool { return own.isUniqueIn(l, to) })
	case "MinLength", "MinItems", "MinProperties":
		return s.least(s.counterpart(name)) >= l.Counts[name]
	case "MaxLength", "MaxItems", "MaxProperties":
		return slices.ContainsFunc(s.limits, func(own Limits) bool {
			most, ok := own.Counts[s.counterpart(name)]
			return ok && most <= l.Counts[name]
		})
	}
	return false
}

// isUniqueIn reports whether a list of this type has no element twice in a list of another type. A key that the
// elements there lack has another name there.
func (l Limits) isUniqueIn(to Limits, list *resolve.Type) bool {
	has := func(key string) bool {
		return slices.ContainsFunc(list.Elem().Target().Fields(), func(f *resolve.Field) bool { return f.JSON == key })
	}
	return l.ListType == "set" || l.ListType == "map" && (to.ListType == "set" || !slices.ContainsFunc(l.ListKeys, func(key string) bool {
		return !slices.Contains(to.ListKeys, key) && has(key)
	}))
}

// isZero reports whether a possible value is the zero value, which sets nothing on the other side.
func (s origin) isZero(value string) bool {
	return s.zeroless && (value == "" || value == "0" || value == "false") && value == fmt.Sprint(ZeroOf(s.typed(value)))
}

// typed returns a value of an Enum as a text, whole number or bool.
func (s origin) typed(value string) any {
	if typed, ok := Constant(s.t, value); ok {
		return typed
	}
	return value
}

// least returns the lowest count of the source's values.
func (s origin) least(name string) int {
	least := 0
	for _, l := range s.limits {
		least = max(least, l.Counts[name])
		if matched, err := regexp.MatchString(l.Pattern, ""); name == "MinLength" && err == nil && !matched {
			least = max(least, 1)
		}
	}
	if s.zeroless {
		least = max(least, 1)
	}
	return least
}

// isWithin reports whether one of the source's bounds is within a bound of the destination. Sign is 1 for lower bounds
// and -1 for upper bounds.
func (s origin) isWithin(of func(Limits) end, to end, sign float64) bool {
	var own []end
	for _, l := range s.limits {
		own = append(own, of(l))
	}
	if sign > 0 && strings.HasPrefix(s.t.Basic(), "uint") {
		own = append(own, end{ok: true})
	}
	if s.t.IsWhole() {
		to = to.inward(sign)
	}
	return !to.ok || slices.ContainsFunc(own, func(e end) bool {
		e.strict = e.strict || s.zeroless && e.n == 0
		if s.t.IsWhole() {
			e = e.inward(sign)
		}
		return e.ok && (e.n*sign > to.n*sign || e.n == to.n && (e.strict || !to.strict))
	})
}

// isMultiple reports whether a number is a multiple of another one, as they are written.
func isMultiple(text, of string) bool {
	n, m := endOf(text, false), endOf(of, false)
	return n.ok && m.ok && m.n != 0 && math.Mod(n.n, m.n) == 0
}

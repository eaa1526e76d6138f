// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
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
func (s *origin) setValues(p *planner, renames []Renaming) {
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
		s.values = p.valuesOf(s.t, Limits{})
	}
	for i, v := range s.values {
		if j := slices.IndexFunc(renames, func(r Renaming) bool { return r.From == v }); j >= 0 {
			s.values[i] = renames[j].To
		}
	}
}

// marked returns the names of the markers that limit a value.
func (l Limits) marked() []string {
	values := l.values()
	return slices.DeleteFunc([]string{
		"Enum", "Minimum", "Maximum", "MultipleOf", "MinLength", "MaxLength", "Pattern", "Format",
		"MinItems", "MaxItems", "UniqueItems", "MinProperties", "MaxProperties",
	}, func(name string) bool { return values[name] == "" })
}

// text returns a marker as it is written, or nothing without that marker.
func (l Limits) text(name string) string {
	if value := l.values()[name]; value != "" {
		return name + "=" + value
	}
	return ""
}

// values returns the values of the markers, by name. They are empty for missing markers.
func (l Limits) values() map[string]string {
	values := map[string]string{
		"Enum": strings.Join(l.Enum, ";"), "Minimum": l.Minimum, "Maximum": l.Maximum,
		"MultipleOf": l.MultipleOf, "Pattern": l.Pattern, "Format": l.Format,
	}
	if l.Minimum != "" && l.ExclusiveMinimum {
		values["Minimum"] += " with ExclusiveMinimum"
	}
	if l.Maximum != "" && l.ExclusiveMaximum {
		values["Maximum"] += " with ExclusiveMaximum"
	}
	if l.Unique {
		values["UniqueItems"] = "true"
	}
	for name, n := range l.Counts {
		values[name] = strconv.Itoa(n)
	}
	return values
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
func (s origin) refusedBy(l Limits, to *resolve.Type) []refusal {
	var found []refusal
	for _, name := range l.marked() {
		if !matters(name, to) || s.satisfies(l, name) {
			continue
		}
		own := s.counterpart(name)
		r := refusal{to: l.text(name), from: s.text(own)}
		switch {
		case s.values != nil && name != "Enum":
			r.from = "the values " + strings.Join(s.values, ";")
		case matters("Pattern", s.t) && name != "Enum":
			hidden := cmp.Or(s.text("Pattern"), s.text("Format"))
			r.unsure, r.from = hidden != "", cmp.Or(r.from, hidden)
		}
		r.from = cmp.Or(r.from, "no "+own)
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

// matters reports whether a marker has an effect on values of a type. A type that encodes itself may be anything.
func matters(name string, t *resolve.Type) bool {
	if t.EncodesItself() {
		return true
	}
	isBytes := t.Kind() == resolve.Slice && isBlob(t)
	switch name {
	case "Enum":
		return t.Kind() == resolve.Basic
	case "Minimum", "Maximum", "MultipleOf":
		return t.Kind() == resolve.Basic && !t.IsText() && !t.IsBool()
	case "MinLength", "MaxLength", "Pattern", "Format":
		return t.IsText() || isBytes
	case "MinItems", "MaxItems", "UniqueItems":
		return (t.Kind() == resolve.Slice || t.Kind() == resolve.Array) && !isBytes
	}
	return t.Kind() == resolve.Map || t.Kind() == resolve.Struct
}

// satisfies reports whether every value of the source satisfies a marker.
func (s origin) satisfies(l Limits, name string) bool {
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

// isZero reports whether a possible value is the zero value, which sets nothing on the other side.
func (s origin) isZero(value string) bool {
	return s.zeroless && (value == "" || value == "0" || value == "false") && value == fmt.Sprint(zeroOf(s.typed(value)))
}

// typed returns a value of an Enum as a text, whole number or bool.
func (s origin) typed(value string) any {
	if typed, ok := constant(s.t, value); ok {
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

// end is a bound of a number. It is strict if the number itself is excluded.
type end struct {
	n      float64
	strict bool
	ok     bool
}

func (l Limits) low() end { return endOf(l.Minimum, l.ExclusiveMinimum) }

func (l Limits) high() end { return endOf(l.Maximum, l.ExclusiveMaximum) }

func endOf(text string, strict bool) end {
	n, err := strconv.ParseFloat(text, 64)
	return end{n, strict, err == nil}
}

// inward returns the bound with the last whole number that it allows. Sign is 1 for a lower bound and -1 for an upper.
func (e end) inward(sign float64) end {
	n := math.Ceil(e.n * sign)
	if e.strict && n == e.n*sign {
		n++
	}
	return end{n: n * sign, ok: e.ok}
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

// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Deprecation is a deprecated field of a kind, or a deprecated value of it.
type Deprecation struct {
	// Path leads to the field.
	Path []Step
	// Value is the deprecated value, or "" if every value is deprecated.
	Value   string
	Message string
}

// Step is a step of a path: to a member, or to the elements of a list or a map.
type Step struct {
	// Member is a JSON name, or "" for elements.
	Member string
	// Map is true for the elements of a map.
	Map bool
}

// Field returns the path as text: spec.parcels[*].note.
func (d Deprecation) Field() string {
	var b strings.Builder
	for i, s := range d.Path {
		switch {
		case s.Member == "":
			b.WriteString("[*]")
		case i > 0:
			b.WriteString("." + s.Member)
		default:
			b.WriteString(s.Member)
		}
	}
	return b.String()
}

// Warning returns the text for users.
func (d Deprecation) Warning() string {
	what := d.Field()
	if d.Value != "" {
		what = fmt.Sprintf("%s: %q", what, d.Value)
	}
	return what + " is deprecated: " + d.Message
}

// Expression returns the CEL expression that is true if a request does not set the field, or leaves it alone.
func (d Deprecation) Expression() string { return d.unset("object", d.Path) }

// unset returns the expression that no value below v is set, by the remaining steps.
func (d Deprecation) unset(v string, steps []Step) string {
	if len(steps) == 0 {
		same := "oldObject != null && " + had("oldObject", d.Path, v)
		if d.Value != "" {
			return v + " != " + strconv.Quote(d.Value) + " || " + same
		}
		return same
	}
	s, rest := steps[0], steps[1:]
	if s.Member != "" {
		return fmt.Sprintf("!has(%s) || %s", member(v, s), d.unset(member(v, s), rest))
	}
	name, element := variable("e", rest), variable("e", rest)
	if s.Map {
		element = v + "[" + name + "]"
	}
	return fmt.Sprintf("%s.all(%s, %s)", v, name, d.unset(element, rest))
}

// had returns the expression that a value below v equals the set one.
func had(v string, steps []Step, set string) string {
	if len(steps) == 0 {
		return v + " == " + set
	}
	s, rest := steps[0], steps[1:]
	if s.Member != "" {
		return fmt.Sprintf("has(%s) && %s", member(v, s), had(member(v, s), rest, set))
	}
	name, element := variable("o", rest), variable("o", rest)
	if s.Map {
		element = v + "[" + name + "]"
	}
	return fmt.Sprintf("%s.exists(%s, %s)", v, name, had(element, rest, set))
}

// variable returns a name that differs from those of the steps before and after.
func variable(letter string, rest []Step) string {
	if n := len(rest); n > 0 {
		return letter + strconv.Itoa(n)
	}
	return letter
}

// member returns the expression for a member.
func member(v string, s Step) string { return v + "." + s.Member }

// Unreadable returns the first member of the path that CEL cannot select, or "". Policies see objects as they are,
// without the escaped names of the rules in CRDs.
func (d Deprecation) Unreadable() string {
	for _, s := range d.Path {
		if s.Member != "" && (!token.IsIdentifier("x"+s.Member) || strings.Trim(s.Member[:1], "0123456789") == "" ||
			strings.IndexFunc(s.Member, func(r rune) bool { return r > unicode.MaxASCII }) >= 0 ||
			slices.Contains([]string{"true", "false", "null", "in"}, s.Member)) {
			return s.Member
		}
	}
	return ""
}

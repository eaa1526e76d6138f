// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// Limits are the limits that validation markers set for a value, as in conversion.Limits.
type Limits struct {
	Enum                               []string
	Minimum, Maximum, Pattern          string
	ExclusiveMinimum, ExclusiveMaximum bool
	// Counts are the bounds of lengths, by the name of the marker.
	Counts map[string]int
	// MultipleOf, Format and Unique are compared between versions. The stash does not check them.
	MultipleOf, Format string
	Unique             bool
}

// IsZero reports whether there are no limits for the stash to check.
func (l Limits) IsZero() bool {
	return len(l.Enum) == 0 && l.Minimum == "" && l.Maximum == "" && l.Pattern == "" && len(l.Counts) == 0
}

// validation is the prefix of the markers from which controller-gen makes a schema.
const validation = "+kubebuilder:validation:"

// declarative returns the name under which controller-gen also has a marker of Kubernetes' own types.
func declarative(marker string) (name string, ok bool) {
	switch marker {
	case "+k8s:minimum":
		return "Minimum", true
	case "+k8s:maximum":
		return "Maximum", true
	case "+k8s:maxItems":
		return "MaxItems", true
	}
	return strings.CutPrefix(marker, validation)
}

// read adds the limits from comments. Markers for a list's elements begin with items. A value follows = or :=.
func (l *Limits) read(groups []*ast.CommentGroup, items bool) {
	for _, m := range load.Markers(groups...) {
		name, value, _ := strings.Cut(m, "=")
		name, ok := declarative(strings.TrimSuffix(name, ":"))
		if !ok {
			continue
		}
		if name, ofItems := strings.CutPrefix(name, "items:"); ofItems == items {
			l.set(name, strings.TrimSpace(value))
		}
	}
}

func (l *Limits) set(name, value string) {
	switch name {
	case "Enum":
		l.Enum = nil
		separator := ";"
		if inner, ok := strings.CutPrefix(value, "{"); ok {
			value, separator = strings.TrimSuffix(inner, "}"), ","
		}
		for word := range strings.SplitSeq(value, separator) {
			l.Enum = append(l.Enum, unquoted(strings.TrimSpace(word)))
		}
	case "Minimum":
		l.Minimum = value
	case "Maximum":
		l.Maximum = value
	case "ExclusiveMinimum":
		l.ExclusiveMinimum = value != "false"
	case "ExclusiveMaximum":
		l.ExclusiveMaximum = value != "false"
	case "Pattern":
		l.Pattern = unquoted(value)
	case "MultipleOf":
		l.MultipleOf = value
	case "Format":
		l.Format = unquoted(value)
	case "UniqueItems":
		l.Unique = value != "false"
	case "MinLength", "MaxLength", "MinItems", "MaxItems", "MinProperties", "MaxProperties":
		if n, err := strconv.Atoi(value); err == nil && n > 0 {
			if l.Counts == nil {
				l.Counts = map[string]int{}
			}
			l.Counts[name] = n
		}
	}
}

func unquoted(value string) string {
	if text, err := strconv.Unquote(value); err == nil {
		return text
	}
	return value
}

// addLimits adds the limits from the markers of a field, of its type and of the types in it. Types of Kubernetes itself
// have no such markers.
func (s *Schema) addLimits(f *resolve.Field, inside []*resolve.Type) {
	s.limitType(f.Type, inside, f.Doc)
	s.Limits.read(f.Doc, false)
}

func (s *Schema) limitType(t *resolve.Type, inside []*resolve.Type, field []*ast.CommentGroup) {
	if t.Err() != nil || strings.HasPrefix(t.Package, "k8s.io/") || slices.Contains(inside, t) {
		return
	}
	if t.Kind() == resolve.Pointer {
		s.limitType(t.Elem(), inside, field)
		return
	}
	s.Limits.read(t.Doc(), false)
	switch t.Kind() {
	case resolve.Slice, resolve.Map:
		elements := &Schema{}
		elements.limitType(t.Elem(), inside, nil)
		elements.Limits.read(t.Doc(), true)
		elements.Limits.read(field, true)
		if !elements.IsZero() {
			if s.Elements == nil {
				s.Elements = elements
			}
		}
	case resolve.Struct:
		if t.HasMethod("UnmarshalJSON") {
			return
		}
		s.limitFields(t, append(inside, t))
	}
}

func (s *Schema) limitFields(t *resolve.Type, inside []*resolve.Type) {
	for _, f := range t.Fields() {
		switch {
		case f.Inline:
			inner := f.Type
			if inner.Kind() == resolve.Pointer {
				inner = inner.Elem()
			}
			if inner.Kind() == resolve.Struct && inner.Err() == nil && !slices.Contains(inside, inner) {
				s.limitFields(inner, append(inside, inner))
			}
		case f.Exported && f.JSON != "":
			below := &Schema{}
			if below.addLimits(f, inside); !below.IsZero() {
				s.put([]string{f.JSON}, below)
			}
		}
	}
}

// limits returns the limits of a field whose value may be restored. They cover the whole field if no part of it
// converts, or if the user's own code converts it. Structs that convert have their own limits.
func (c *Claim) limits(side Direction) *Schema {
	s := &Schema{}
	path := c.side(side)
	if path == nil || c.Verb == model.Drop || c.Loss(side) == "" {
		return s
	}
	field := path.Last()
	if c.Value == nil || c.isCustom() {
		s.addLimits(field, nil)
		return s
	}
	for t := field.Type; t != nil && t.Err() == nil; t = t.Elem() {
		s.Limits.read(t.Doc(), false)
		if t.Kind() != resolve.Pointer {
			break
		}
	}
	s.Limits.read(field.Doc, false)
	return s
}

// fieldLimits returns the limits of a field's value: its own and the limits of its type.
func fieldLimits(f *resolve.Field) Limits {
	var s Schema
	s.limitType(f.Type, nil, f.Doc)
	l := s.Limits
	own := Limits{}
	own.read(f.Doc, false)
	if len(own.Enum) > 0 && len(l.Enum) > 0 { // a value must satisfy both
		own.Enum = slices.DeleteFunc(own.Enum, func(v string) bool { return !slices.Contains(l.Enum, v) })
	}
	l.read(f.Doc, false)
	if len(own.Enum) > 0 {
		l.Enum = own.Enum
	}
	return l
}

// allowsZero reports whether the limits allow the zero value of a type.
func (l Limits) allowsZero(t *resolve.Type) bool {
	switch t.Basic() {
	case "string":
		return l.allows("")
	case "bool":
		return true
	}
	return l.allows(0)
}

// allows reports whether the limits allow a text, whole number or bool. A pattern that Go cannot read allows any text.
func (l Limits) allows(value any) bool {
	if len(l.Enum) > 0 && !slices.Contains(l.Enum, fmt.Sprint(value)) {
		return false
	}
	switch value := value.(type) {
	case string:
		length := utf8.RuneCountInString(value)
		if most, ok := l.Counts["MaxLength"]; ok && length > most || length < l.Counts["MinLength"] {
			return false
		}
		matched, err := regexp.MatchString(l.Pattern, value)
		return err != nil || matched
	case int:
		low, err := strconv.ParseFloat(l.Minimum, 64)
		if n := float64(value); err == nil && (n < low || n == low && l.ExclusiveMinimum) {
			return false
		}
		high, err := strconv.ParseFloat(l.Maximum, 64)
		if n := float64(value); err == nil && (n > high || n == high && l.ExclusiveMaximum) {
			return false
		}
	}
	return true
}

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

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/schema"
)

// Limits are the limits that validation markers set for a value, as in conversion.Limits. MultipleOf, Format and Unique
// are compared between versions. The stash does not check them.
type Limits struct{ schema.Limits }

// IsZero reports whether there are no limits for the stash to check.
func (l Limits) IsZero() bool {
	return len(l.Enum) == 0 && l.Minimum == "" && l.Maximum == "" && l.Pattern == "" && len(l.Counts) == 0
}

// addLimits adds the limits from the markers of a field, of its type and of the types in it. Types of Kubernetes itself
// have no such markers.
func (s *Schema) addLimits(f *resolve.Field, inside []*resolve.Type) {
	s.limitType(f.Type, inside, f.Doc)
	s.Limits.Read(f.Doc, false)
}

func (s *Schema) limitType(t *resolve.Type, inside []*resolve.Type, field []*ast.CommentGroup) {
	if t.Err() != nil || strings.HasPrefix(t.Package, "k8s.io/") || slices.Contains(inside, t) {
		return
	}
	if t.Kind() == resolve.Pointer {
		s.limitType(t.Elem(), inside, field)
		return
	}
	s.Limits.Read(t.Doc(), false)
	switch t.Kind() {
	case resolve.Slice, resolve.Map:
		elements := &Schema{}
		elements.limitType(t.Elem(), inside, nil)
		elements.Limits.Read(t.Doc(), true)
		elements.Limits.Read(field, true)
		if !elements.IsZero() && s.Elements == nil {
			s.Elements = elements
		}
	case resolve.Struct:
		if !t.HasMethod("UnmarshalJSON") {
			s.limitFields(t, append(inside, t))
		}
	}
}

func (s *Schema) limitFields(t *resolve.Type, inside []*resolve.Type) {
	for _, f := range t.Fields() {
		switch {
		case f.Inline:
			if inner := pointee(f.Type); inner.Kind() == resolve.Struct && !slices.Contains(inside, inner) {
				s.limitFields(inner, append(inside, inner))
			}
		case f.Exported && f.JSON != "":
			below := &Schema{}
			below.addLimits(f, inside)
			s.put([]string{f.JSON}, below)
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
		s.Limits.Read(t.Doc(), false)
		if t.Kind() != resolve.Pointer {
			break
		}
	}
	s.Limits.Read(field.Doc, false)
	return s
}

// fieldLimits returns the limits of a field's value: its own and the limits of its type.
func fieldLimits(f *resolve.Field) Limits {
	var s Schema
	s.limitType(f.Type, nil, f.Doc)
	l := s.Limits
	own := Limits{}
	own.Read(f.Doc, false)
	if len(own.Enum) > 0 && len(l.Enum) > 0 { // a value must satisfy both
		own.Enum = slices.DeleteFunc(own.Enum, func(v string) bool { return !slices.Contains(l.Enum, v) })
	}
	l.Read(f.Doc, false)
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

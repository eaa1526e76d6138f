// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"go/ast"
	"slices"
	"strconv"
	"strings"

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
}

// IsZero reports whether there are no limits.
func (l Limits) IsZero() bool {
	return len(l.Enum) == 0 && l.Minimum == "" && l.Maximum == "" && l.Pattern == "" && len(l.Counts) == 0
}

// validation is the prefix of the markers from which controller-gen makes a schema.
const validation = "+kubebuilder:validation:"

// read adds the limits from comments. Markers for a list's elements begin with items.
func (l *Limits) read(groups []*ast.CommentGroup, items bool) {
	for _, g := range groups {
		for _, c := range g.List {
			marker, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(c.Text, "//")), validation)
			if !ok {
				continue
			}
			rest, ofItems := strings.CutPrefix(marker, "items:")
			if ofItems != items {
				continue
			}
			name, value, _ := strings.Cut(rest, "=")
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

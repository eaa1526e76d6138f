// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
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
	for _, m := range fields.Of(t, nil) {
		below := &Schema{}
		below.addLimits(m.Last(), inside)
		s.put(m.Names(), below)
	}
}

// limits returns the limits of a field whose value may be restored. They cover the whole field if no part of it
// converts, or if the user's own code converts it. Structs that convert have their own limits.
func (c *Claim) limits(side Side) *Schema {
	s := &Schema{}
	path := c.At(side)
	if path == nil || c.Verb == model.Drop || c.Loss(side.Out()) == "" {
		return s
	}
	field := path.Last()
	if c.Value == nil || c.isCustom() {
		s.addLimits(field, nil)
		return s
	}
	s.Limits.Read(field.Type.Target().Doc(), false)
	s.Limits.Read(field.Doc, false)
	return s
}

// allows reports whether the limits allow a text, whole number or bool.
func (l Limits) allows(value any) bool { return len(l.refusing(value)) == 0 }

// refusingZero returns the names of the markers that refuse the zero value of a type: of a list or map, the empty one.
func (l Limits) refusingZero(t *resolve.Type) []string {
	least := map[resolve.Kind]string{resolve.Slice: "MinItems", resolve.Map: "MinProperties"}[t.Kind()]
	switch {
	case l.Counts[least] > 0:
		return []string{least}
	case t.IsText():
		return l.refusing("")
	case t.Kind() == resolve.Basic && !t.IsBool():
		return l.refusing(0)
	}
	return nil
}

// refusing returns the names of the markers that refuse a text, whole number or bool. A pattern that Go cannot read
// refuses no text.
func (l Limits) refusing(value any) []string {
	var names []string
	note := func(name string, refuses bool) {
		if refuses {
			names = append(names, name)
		}
	}
	note("Enum", len(l.Enum) > 0 && !slices.Contains(l.Enum, fmt.Sprint(value)))
	switch value := value.(type) {
	case string:
		length := utf8.RuneCountInString(value)
		note("MinLength", length < l.Counts["MinLength"])
		most, ok := l.Counts["MaxLength"]
		note("MaxLength", ok && length > most)
		matched, err := regexp.MatchString(l.Pattern, value)
		note("Pattern", err == nil && !matched)
	case int:
		n, low, high := float64(value), l.low(), l.high()
		note("Minimum", low.ok && (n < low.n || n == low.n && low.strict))
		note("Maximum", high.ok && (n > high.n || n == high.n && high.strict))
	}
	return names
}

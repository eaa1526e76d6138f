// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"go/ast"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

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

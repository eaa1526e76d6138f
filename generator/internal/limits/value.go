// SPDX-License-Identifier: Apache-2.0

package limits

import (
	"go/ast"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/schema"
)

// Value is a value of one version with its validation markers: of its field, its type, and the list around it.
type Value struct {
	Type *resolve.Type
	// field is nil for an element.
	field *resolve.Field
	// own are the comments besides the type's own.
	own []markers
}

// markers are comments with markers for a value or, with items, for the elements of a list.
type markers struct {
	doc   []*ast.CommentGroup
	items bool
}

// Of returns the value of a field.
func Of(f *resolve.Field) Value {
	return Value{Type: f.Type.Target(), field: f, own: []markers{{doc: f.Doc}}}
}

// Element returns the value of a field that no object lacks, because it is a key.
func Element(f *resolve.Field) Value {
	return Value{Type: f.Type, own: []markers{{doc: f.Doc}}}
}

// Elements returns an element of a list or map.
func (b Value) Elements() Value {
	inner := Value{Type: b.Type.Elem().Target(), own: []markers{{b.doc(), true}}}
	for _, m := range b.own {
		if !m.items {
			inner.own = append(inner.own, markers{m.doc, true})
		}
	}
	return inner
}

// doc returns the comments of the type. Types of Kubernetes itself have no validation markers.
func (b Value) doc() []*ast.CommentGroup {
	if strings.HasPrefix(b.Type.Package, "k8s.io/") {
		return nil
	}
	return b.Type.Doc()
}

// limits returns all limits of the value. It must satisfy each of them.
func (b Value) limits() []Limits {
	var all []Limits
	for _, m := range append([]markers{{doc: b.doc()}}, b.own...) {
		var l Limits
		if l.Read(m.doc, m.items); !l.IsZero() || l.MultipleOf != "" || l.Format != "" || l.Unique || l.ListType != "" {
			all = append(all, l)
		}
	}
	return all
}

// MayBeAbsent reports whether objects may lack a field, and have no default for it then.
func (b Value) MayBeAbsent() bool {
	return b.field != nil && (b.field.OmitEmpty || b.field.OmitZero) && schema.Default(b.field) == "" && !schema.IsRequired(b.field)
}

// leftOut returns the value with which JSON lacks a required field of the other version: "absent", or the zero value,
// unless the handler copies it as text. It is empty without such a value. The zero value of a struct has members, and
// is not looked at.
func (b Value) leftOut(to Value, isText bool) string {
	if b.field == nil || to.field == nil || schema.Default(to.field) != "" {
		return ""
	}
	if b.Type.Is(fields.MetaPackage, "Time") || b.Type.Is(fields.MetaPackage, "MicroTime") { // JSON has null for zero
		if b.MayBeAbsent() && to.field.Type == to.Type && to.writesZero() && !schema.IsNullable(to.field) {
			return "absent"
		}
	}
	if !schema.IsRequired(to.field) || b.Type.Kind() == resolve.Struct {
		return ""
	}
	isPointer := b.field.Type.Kind() == resolve.Pointer
	leavesOut := OmitsZero(to.field) || isPointer && to.field.Type.Kind() == resolve.Pointer && to.field.OmitEmpty
	switch {
	case !leavesOut:
	case b.MayBeAbsent():
		return "absent"
	case !isText && !isPointer && OmitsEmpty(to.field) && b.writesZero() && !RefusesZero(b.field):
		return ZeroText(b.Type)
	}
	return ""
}

// writesZero reports whether JSON always has a field, which is zero if the other version lacks the value.
func (b Value) writesZero() bool {
	return b.field != nil && !b.field.OmitEmpty && !b.field.OmitZero
}

// Refusal is a marker of the destination that refuses values, and what the source has in its place.
type Refusal struct {
	To, From string
	// unsure is true if the source has a pattern or format, which may exclude the values.
	unsure bool
}

// absent returns the Refusal of the zero value that stands for an absent one.
func absent(limits []Limits, to *resolve.Type) Refusal {
	r := Refusal{From: "the " + ZeroText(to) + " of an absent field"}
	for _, l := range limits {
		for _, name := range l.RefusingZero(to) {
			r.To = l.text(name)
		}
	}
	return r
}

// Verb says how sure the Refusal is. Patterns and formats can be compared as text only.
func (r Refusal) Verb() string {
	to, _, _ := strings.Cut(r.To, "=")
	from, _, _ := strings.Cut(r.From, "=")
	switch {
	case to == from && (to == "Pattern" || to == "Format"):
		return "differs"
	case r.unsure:
		return "may refuse"
	}
	return "refuses"
}

// Change is what a conversion does with a value.
type Change struct {
	// IsText is true if the value keeps its text.
	IsText bool
	// IsZeroless is true if a zero value sets nothing on the other side.
	IsZeroless bool
	// HasDefault is true if a marker sets a value for an absent one.
	HasDefault bool
	// Same are the values that a rule lets stay what they are. Renamed has new names of others.
	Same    []string
	Renamed map[string]string
	// Constants returns the constants of a type.
	Constants func(*resolve.Type) []string
}

// Refusals returns the markers of the destination that refuse values of the source.
func Refusals(from, to Value, c Change) (found []Refusal) {
	if value := from.leftOut(to, c.IsText); value != "" && !c.HasDefault {
		found = append(found, Refusal{To: "required", From: value})
	}
	all := to.limits()
	if all == nil {
		return found
	}
	s := origin{t: from.Type, limits: from.limits(), same: c.Same, zeroless: !c.IsText && (to.field != nil && OmitsEmpty(to.field) || c.IsZeroless)}
	s.setValues(c)
	for _, l := range all {
		found = append(found, s.refusedBy(l, to.Type)...)
	}
	if len(found) == 0 && from.MayBeAbsent() && to.writesZero() && RefusesZero(to.field) && !c.HasDefault {
		found = append(found, absent(all, to.Type))
	}
	return found
}

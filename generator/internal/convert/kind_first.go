// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/limits"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// First converts between a value and the first element of a list.
type First struct{}

func (First) String() string           { return "first" }
func (First) matches(c candidate) bool { return c.converter == "first" }

func (First) content(p *valuePlanner, v *Value, as converters) *content {
	inHub := v.Hub.Kind() == resolve.Slice
	if inHub == (v.Spoke.Kind() == resolve.Slice) {
		return nil
	}
	plain, list, _ := p.around(v, inHub)
	return &content{p.elements(), sides.Facing(v.Outer, list.Elem(), plain), as[1:]}
}

func (k First) plan(p *valuePlanner, v *Value, as converters) (*Value, *mismatch) {
	content := k.content(p, v, as)
	if content == nil {
		return nil, p.misfit(as[0], "a list on one side alone", v)
	}
	v.Loss[v.Outer.Out()] = "all elements but the first"
	elem, bad := content.plan()
	return v.as(k, elem, bad)
}

func (First) traits(*Value) traits                      { return traits{picks: true} }
func (First) schema(s *Schema, v *Value, f facts)       { s.addElement(v, f, nil) }
func (First) expression(Body, *Value, operand) jen.Code { return nil }

func (First) bounds(b bounds, v *Value, values Sides[limits.Value], part string) {
	b.element(v, values, part)
}

func (First) emit(b Body, v *Value, src, dst operand) {
	if v.Outer != b.To.To() {
		b.Given(jen.Len(src.Value()).Op(">").Lit(0), func(b Body) { v.Elem.emit(b, src.Index(jen.Lit(0)), dst) })
		return
	}
	b.WhenSet(src, b.IsSet(fields.SetOf(v.From(b.To)), src), func(b Body) {
		if v.Elem.isAssigned() && v.Elem.Same {
			b.Set(dst, b.Type(v.To(b.To)).Values(src.Value()))
			return
		}
		b.Set(dst, jen.Make(b.Type(v.To(b.To)), jen.Lit(1)))
		v.Elem.emit(b, src, dst.Index(jen.Lit(0)))
	})
}

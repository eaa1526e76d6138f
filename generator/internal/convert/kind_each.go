// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/hint"
	"github.com/webhook-gen/webhook-gen/generator/internal/limits"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// Each converts the elements of a list or an array.
type Each struct{}

func (Each) String() string { return "" }

func (Each) matches(c candidate) bool {
	if !c.areBoth(resolve.Slice) && !c.areBoth(resolve.Array) {
		return c.converter == "each"
	}
	fits := hint.Converter(c.Spoke, c.Hub) == "" || c.rules.Hooked(c.Spoke.Elem().Target(), c.Hub.Elem().Target())
	return fits && c.Spoke.Len() == c.Hub.Len()
}

func (Each) content(p *valuePlanner, v *Value, as converters) *content {
	if len(as) > 0 {
		if v.Spoke.Kind() != resolve.Slice || v.Hub.Kind() != resolve.Slice {
			return nil
		}
		as = as[1:]
	}
	return &content{p.elements(), v.content(), as}
}

func (k Each) plan(p *valuePlanner, v *Value, as converters) (*Value, *mismatch) {
	content := k.content(p, v, as)
	if content == nil {
		return nil, p.misfit(as[0], "two lists", v)
	}
	elem, bad := content.plan()
	return v.as(k, elem, bad)
}

func (Each) traits(*Value) traits                { return traits{fills: true, same: asContent} }
func (Each) schema(s *Schema, v *Value, f facts) { s.addElements(v, f) }

func (Each) bounds(b bounds, v *Value, values Sides[limits.Value], part string) {
	b.compare(values, part)
	b.elements(v, values, part)
}

func (Each) expression(_ Body, v *Value, src operand) jen.Code {
	if v.Same && v.Elem.isAssigned() && v.Spoke.Kind() == resolve.Slice {
		return jen.Qual("slices", "Clone").Call(src.Value())
	}
	return nil
}

func (k Each) emit(b Body, v *Value, src, dst operand) {
	if clone := k.expression(b, v, src); clone != nil {
		b.Set(dst, clone)
		return
	}
	index := b.Index()
	loop := jen.For(jen.Id(index).Op(":=").Range().Add(src.Value())).BlockFunc(func(g *jen.Group) {
		v.Elem.emit(b.In(g).Below("[%d]", jen.Id(index)), src.Index(jen.Id(index)), dst.Index(jen.Id(index)))
	})
	if v.Spoke.Kind() == resolve.Array {
		b.Add(loop)
		return
	}
	b.Fill(v.To(b.To), src, dst, loop)
}

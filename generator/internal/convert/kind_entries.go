// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/limits"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// Entries converts the values of a map. Keys are the types of its keys.
type Entries struct{ Keys Types }

func (Entries) String() string { return "" }

func (Entries) matches(c candidate) bool {
	return c.areBoth(resolve.Map) && c.Spoke.Key().Basic() != "" && c.Spoke.Key().Basic() == c.Hub.Key().Basic()
}

func (Entries) content(p *valuePlanner, v *Value, _ converters) *content {
	return &content{p.elements(), v.content(), nil}
}

func (k Entries) plan(p *valuePlanner, v *Value, _ converters) (*Value, *mismatch) {
	elem, bad := k.content(p, v, nil).plan()
	return v.as(Entries{Keys: typesOf(sides.New(v.Spoke.Key(), v.Hub.Key()))}, elem, bad)
}

func (Entries) traits(*Value) traits                { return traits{fills: true, same: asContent} }
func (Entries) schema(s *Schema, v *Value, f facts) { s.addElements(v, f) }

func (Entries) bounds(b bounds, v *Value, values Sides[limits.Value], part string) {
	b.compare(values, part)
	b.elements(v, values, part)
}

func (Entries) expression(_ Body, v *Value, src operand) jen.Code {
	if v.Same && v.Elem.isAssigned() {
		return jen.Qual("maps", "Clone").Call(src.Value())
	}
	return nil
}

func (k Entries) emit(b Body, v *Value, src, dst operand) {
	if clone := k.expression(b, v, src); clone != nil {
		b.Set(dst, clone)
		return
	}
	key, value, converted := b.Variable("key"), operand{Code: jen.Id(b.Variable("value"))}, b.Variable("converted")
	b.Fill(v.To(b.To), src, dst, jen.For(jen.List(jen.Id(key), value.Code).Op(":=").Range().Add(src.Value())).BlockFunc(func(g *jen.Group) {
		entry, b := dst.Index(k.Keys.converted(b, jen.Id(key))), b.In(g)
		code := v.Elem.Kind.expression(b, v.Elem, value)
		if code == nil {
			inner := b.Declare(converted, v.Elem.To(b.To))
			v.Elem.emit(b.Below("[%v]", jen.Id(key)), value, inner)
			code = inner.Code
		}
		b.Set(entry, code)
	}))
}

// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/limits"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// Keyed converts between a map and a list whose elements have the map's key as a member. The list is sorted by key.
type Keyed struct {
	// Member is the path of the key in the elements. Keys are the types of the keys.
	Member Path
	Keys   Types
}

func (k Keyed) String() string         { return "keyed:" + k.Member.String() }
func (Keyed) matches(c candidate) bool { return c.converter == "keyed" }

func (Keyed) content(p *valuePlanner, v *Value, as converters) *content {
	m, list, _ := p.around(v, v.Hub.Kind() != resolve.Map)
	if m.Kind() != resolve.Map || list.Kind() != resolve.Slice || list.Elem().Kind() != resolve.Struct {
		return nil
	}
	member, ok := fields.Lookup(list.Elem(), as.argument())
	if !ok || len(member) != 1 || !m.Key().IsText() || !member.Last().Type.IsText() {
		return nil
	}
	return &content{p.beside(v.Outer, Constant{Member: member}), v.content(), as[1:]}
}

func (k Keyed) plan(p *valuePlanner, v *Value, as converters) (*Value, *mismatch) {
	content := k.content(p, v, as)
	if content == nil {
		return nil, p.misfit(as[0], fmt.Sprintf("a map with text as keys and a list of structs with a member %q of text", as.argument()), v)
	}
	list, m := v.Across(v.Outer)
	k.Member, _ = fields.Lookup(list.Elem(), as.argument())
	v.Loss[v.Outer.Out()] = "the order, and elements with equal keys"
	k.Keys = typesOf(sides.Facing(v.Outer, k.Member.Last().Type, m.Key()))
	elem, bad := content.plan()
	return v.as(k, elem, bad)
}

func (Keyed) traits(*Value) traits                      { return traits{fills: true} }
func (Keyed) expression(Body, *Value, operand) jen.Code { return nil }

func (k Keyed) schema(s *Schema, v *Value, f facts) {
	if v.Outer == f.side && s.Keys == nil {
		s.Keys = k.Member.Names()
	}
	s.addElements(v, f)
}

// bounds compares the keys of the map, which have no markers, with the member of the list's elements that has the key.
func (k Keyed) bounds(b bounds, v *Value, values Sides[limits.Value], part string) {
	b.compare(values, part)
	member, key := k.Member.Last(), limits.Value{Type: values.At(v.Outer.Other()).Type.Key()}
	inner := b
	inner.zeroless = Ways[bool]{}
	inner.compare(sides.Facing(v.Outer, limits.Element(member), key), part+"[key]")
	b.elements(v, values, part)
}

func (k Keyed) emit(b Body, v *Value, src, dst operand) {
	if v.Outer == b.To.To() {
		k.emitList(b, v, src, dst)
	} else {
		k.emitMap(b, v, src, dst)
	}
}

// emitList writes a list with an element for each key of a map, in the order of the keys.
func (k Keyed) emitList(b Body, v *Value, src, dst operand) {
	index, key, value := b.Index(), b.Variable("key"), b.Variable("value")
	sorted := jen.Qual("slices", "Sorted").Call(jen.Qual("maps", "Keys").Call(src.Value()))
	b.Fill(v.To(b.To), src, dst, jen.For(jen.List(jen.Id(index), jen.Id(key)).Op(":=").Range().Add(sorted)).BlockFunc(func(g *jen.Group) {
		element, b := dst.Index(jen.Id(index)), b.In(g)
		b.Set(element.Field(k.Member.Last().Name), k.Keys.converted(b, jen.Id(key)))
		g.Id(value).Op(":=").Add(src.Index(jen.Id(key)).Code)
		v.Elem.emit(b.Below("[%v]", jen.Id(key)), operand{Code: jen.Id(value)}, element)
	}))
}

// emitMap writes a map with an entry for each element of a list.
func (k Keyed) emitMap(b Body, v *Value, src, dst operand) {
	index, converted := b.Index(), b.Variable("converted")
	b.Fill(v.To(b.To), src, dst, jen.For(jen.Id(index).Op(":=").Range().Add(src.Value())).BlockFunc(func(g *jen.Group) {
		element, b := src.Index(jen.Id(index)), b.In(g)
		value := b.Declare(converted, v.Elem.To(b.To))
		v.Elem.emit(b.Below("[%d]", jen.Id(index)), element, value)
		b.Set(dst.Index(k.Keys.converted(b, element.Field(k.Member.Last().Name).Value())), value.Code)
	}))
}

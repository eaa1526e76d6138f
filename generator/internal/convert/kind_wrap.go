// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/block"
	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/limits"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// Wrap converts between a value and a member of a struct. Constants are the values of other members beside a value.
type Wrap struct {
	Member    Path
	Constants constants
	// Plain checks whether there is a value. It is nil if the check is not needed.
	Plain *Set
}

func (k Wrap) String() string { return "wrap:" + k.Member.String() + "," + k.Constants.String() }

func (Wrap) matches(c candidate) bool { return c.isNamed("wrap") }

func (Wrap) content(p *valuePlanner, v *Value, as converters) *content {
	member, _, _ := strings.Cut(as.argument(), ",")
	holdsStruct := func(t *resolve.Type) bool { // one of two structs is around the other
		found, ok := fields.Lookup(t, member)
		return ok && found.Last().Type.Target().Kind() == resolve.Struct
	}
	inHub := v.Spoke.Kind() != resolve.Struct || v.Hub.Kind() == resolve.Struct && !holdsStruct(v.Spoke) && holdsStruct(v.Hub)
	plain, outside, _ := p.around(v, inHub)
	found, ok := fields.Lookup(outside, member)
	if !ok {
		return nil
	}
	inner := *p
	inner.skip = Sides[map[string]bool]{}
	*inner.fields.On(v.Outer) = found.Last()
	return &content{&inner, sides.Facing(v.Outer, found.Last().Type, plain), as[1:]}
}

func (k Wrap) plan(p *valuePlanner, v *Value, as converters) (*Value, *mismatch) {
	if v.Spoke.Kind() != resolve.Struct && v.Hub.Kind() != resolve.Struct {
		if bad := p.single(as); bad != nil {
			return nil, bad
		}
		return nil, p.misfit(as[0], "a struct on one side", v)
	}
	member, others, _ := strings.Cut(as.argument(), ",")
	content := k.content(p, v, as)
	if content == nil {
		return nil, p.misfit(as[0], fmt.Sprintf("a struct with a member %q on one side", member), v)
	}
	outside, plain := v.Across(v.Outer)
	k.Member, _ = fields.Lookup(outside, member)
	var bad *mismatch
	if k.Constants, bad = p.constants(v, "a struct", outside, others, as[0]); bad != nil {
		return nil, bad
	}
	switch {
	case len(k.Constants) > 0:
		v.Loss[v.Outer.Out()] = "all but " + member + ", and with other constants all of it"
	case hasOthers(outside, k.Member, p.skip.At(v.Outer)):
		v.Loss[v.Outer.Out()] = "all members but " + member
	}
	elem, bad := content.plan()
	if bad == nil && (k.Member.HasPointers() || len(k.Constants) > 0 && !p.element) {
		k.Plain = fields.SetOf(plain)
		if plain.Kind() == resolve.Slice || plain.Kind() == resolve.Map {
			k.Plain.Test, v.Loss[v.Outer.In()] = fields.NotEmpty, "whether it was nil or empty"
		}
	}
	return v.as(k, elem, bad)
}

func (k Wrap) traits(*Value) traits {
	return traits{selects: len(k.Constants) > 0, members: []Path{k.Member}}
}
func (Wrap) expression(Body, *Value, operand) jen.Code { return nil }

func (k Wrap) schema(s *Schema, v *Value, f facts) {
	if v.Outer != f.side {
		s.addValue(v.Elem, f)
		return
	}
	below := &Schema{}
	below.addValue(v.Elem, f)
	s.put(k.Member.Names(), below)
}

func (k Wrap) bounds(b bounds, v *Value, values Sides[limits.Value], part string) {
	b.zeroless[v.Outer.In()] = b.zeroless[v.Outer.In()] || k.Plain != nil
	*values.On(v.Outer) = limits.Of(k.Member.Last())
	b.value(v.Elem, values, part)
}

func (k Wrap) emit(b Body, v *Value, src, dst operand) {
	if v.Outer != b.To.To() {
		conditions, src := k.Constants.conditions(src)
		member, pointers := src.Down(k.Member)
		b.When(append(conditions, block.NotNil(pointers)...), func(b Body) { v.Elem.emit(b, member, dst) })
		return
	}
	write := func(b Body) {
		member, pointers := k.Constants.emit(b, dst).Down(k.Member)
		b.Make(pointers)
		v.Elem.emit(b, src, member)
	}
	if k.Plain == nil {
		write(b)
		return
	}
	b.WhenSet(src, b.IsSet(k.Plain, src), func(b Body) {
		src.Known = true
		write(b)
	})
}

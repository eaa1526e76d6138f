// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"cmp"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/block"
	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/limits"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// Element converts between a value and the list element whose members have the values of Constants.
type Element struct {
	// Content checks whether the target of a pointer is set; it is nil for other values.
	Content   *Set
	Constants constants
}

func (k Element) String() string         { return "element:" + k.Constants.String() }
func (Element) matches(c candidate) bool { return c.converter == "element" }

func (k Element) content(p *valuePlanner, v *Value, as converters) *content {
	plain, list, _ := p.around(v, v.Spoke.Kind() != resolve.Slice)
	if list.Kind() != resolve.Slice || list.Elem().Kind() != resolve.Struct {
		return nil
	}
	constants, bad := p.constants(v, "", list.Elem(), as.argument(), as[0])
	if bad != nil {
		return nil
	}
	return &content{p.beside(v.Outer, constants...), sides.Facing(v.Outer, list.Elem(), plain), as[1:]}
}

func (k Element) plan(p *valuePlanner, v *Value, as converters) (*Value, *mismatch) {
	plain, list, _ := p.around(v, v.Spoke.Kind() != resolve.Slice)
	if list.Kind() != resolve.Slice || list.Elem().Kind() != resolve.Struct {
		return nil, p.misfit(as[0], "a list of structs on one side", v)
	}
	var bad *mismatch
	if k.Constants, bad = p.constants(v, "a list of structs", list.Elem(), as.argument(), as[0]); bad != nil {
		return nil, bad
	}
	v.Loss[v.Outer.Out()] = "all elements but this one"
	if plain.Kind() == resolve.Pointer && plain.Elem().Kind() == resolve.Struct {
		k.Content, v.Loss[v.Outer.In()] = fields.SetOf(plain.Elem()), "whether it was nil or empty"
	}
	elem, bad := k.content(p, v, as).plan()
	return v.as(k, elem, bad)
}

func (Element) traits(*Value) traits                      { return traits{picks: true} }
func (k Element) schema(s *Schema, v *Value, f facts)     { s.addElement(v, f, k.Constants) }
func (Element) expression(Body, *Value, operand) jen.Code { return nil }

func (Element) bounds(b bounds, v *Value, values Sides[limits.Value], part string) {
	b.element(v, values, part)
}

func (k Element) emit(b Body, v *Value, src, dst operand) {
	if v.Outer == b.To.To() {
		k.emitList(b, v, src, dst)
		return
	}
	index := b.Index()
	conditions, element := k.Constants.conditions(src.Index(jen.Id(index)))
	b.Group.For(jen.Id(index).Op(":=").Range().Add(src.Value())).Block(
		jen.If(block.All(conditions)).BlockFunc(func(g *jen.Group) {
			v.Elem.emit(b.In(g).Below("[%d]", jen.Id(index)), element, dst)
			g.Break()
		}))
}

// emitList writes a value into a list of one element, with the constants.
func (k Element) emitList(b Body, v *Value, src, dst operand) {
	set := b.IsSet(fields.SetOf(v.From(b.To)), src)
	if k.Content != nil {
		set.Op("&&").Add(b.IsSet(k.Content, block.Target(src.Value())))
		src.Known = false
	}
	b.WhenSet(src, set, func(b Body) {
		src.Known = true
		element, literal := dst.Index(jen.Lit(0)), structLiteral(nil)
		for _, c := range k.Constants {
			literal.add(b, c.Member, jen.Lit(c.Value))
			element = element.Reached(c.Member)
		}
		member, value := assignedMember(b, v.Elem, src)
		isAssigned := value != nil && literal.add(b, member, value)
		b.Set(dst, b.Type(v.To(b.To)).Values(literal.code()))
		if !isAssigned {
			v.Elem.emit(b, src, element)
		}
	})
}

// assignedMember returns the member of an element to which a value or its copy is assigned. The value is nil if the
// conversion needs statements.
func assignedMember(b Body, v *Value, src operand) (Path, jen.Code) {
	k, ok := v.Kind.(Wrap)
	switch {
	case !ok || v.Outer != b.To.To() || len(k.Constants) > 0:
		return nil, nil
	case v.Elem.isCopiedPointer():
		return k.Member, b.Runtime("CopyPointer").Call(src.Value())
	case !v.Elem.isAssigned():
		return nil, nil
	}
	return k.Member, v.Elem.Types.converted(b, src.Value())
}

// structLiteral has the members of a literal of a struct, in order.
type structLiteral []literalMember

// literalMember is a member with a value, or a struct with members of its own, maybe behind a pointer.
type literalMember struct {
	name    string
	of      jen.Code // the type of the struct
	pointer bool
	value   jen.Code
	members structLiteral
}

// add adds the value of a member. It returns false if there is a value already.
func (l *structLiteral) add(b Body, path Path, value jen.Code) bool {
	first := path[0]
	i := slices.IndexFunc(*l, func(o literalMember) bool { return o.name == first.Name })
	switch {
	case i >= 0 && (len(path) == 1 || (*l)[i].value != nil):
		return false
	case len(path) == 1:
		*l = append(*l, literalMember{name: first.Name, value: value})
		return true
	case i < 0:
		i = len(*l)
		in := cmp.Or(first.Type.Elem(), first.Type)
		*l = append(*l, literalMember{name: first.Name, of: b.Type(in), pointer: in != first.Type})
	}
	return (*l)[i].members.add(b, path[1:], value)
}

// code returns the literal without its type.
func (l structLiteral) code() *jen.Statement {
	return jen.Values(block.Codes(l, func(m literalMember) *jen.Statement {
		value := m.value
		if value == nil {
			value = jen.Add(m.of).Add(m.members.code())
		}
		if m.pointer {
			value = jen.Op("&").Add(value)
		}
		return jen.Id(m.name).Op(":").Add(value)
	})...)
}

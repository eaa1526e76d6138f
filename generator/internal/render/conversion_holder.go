// SPDX-License-Identifier: Apache-2.0

package render

import (
	"cmp"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/convert"
)

// down leads from an operand to a field in it, and gives the pointers to structs on the way that may be nil.
func down(from operand, path convert.Path) (to operand, pointers []pointerTo) {
	to = from
	for i, f := range path {
		if to = to.field(f.Name); i+1 < len(path) && f.Type.Elem() != nil && !slices.Contains(from.sure, path[:i+1].String()) {
			pointers = append(pointers, pointerTo{to.code, path[:i+1].String(), f.Type.Elem()})
		}
	}
	return to, pointers
}

// pointerTo is a pointer on the way to a field.
type pointerTo struct {
	code *jen.Statement
	path string
	to   *convert.Type
}

// there are the conditions that none of the pointers is nil.
func there(pointers []pointerTo) []jen.Code {
	return codes(pointers, func(p pointerTo) *jen.Statement { return p.code.Clone().Op("!=").Nil() })
}

// make has each of the pointers point to something.
func (w *conversionWriter) make(g *jen.Group, pointers []pointerTo) {
	for _, p := range pointers {
		g.If(p.code.Clone().Op("==").Nil()).Block(p.code.Clone().Op("=").New(w.typ(p.to)))
	}
}

// wrap writes a value into the member of a struct, or out of it.
func (w *conversionWriter) wrap(g *jen.Group, v *convert.Value, how convert.Wrap, d convert.Direction, src, dst operand, at where) {
	if v.Outer != d.To() {
		conditions, src := has(src, how.Constants)
		member, pointers := down(src, how.Member)
		when(g, append(conditions, there(pointers)...), func(g *jen.Group) { w.value(g, v.Elem, d, member, dst, at) })
		return
	}
	write := func(g *jen.Group) {
		dst := w.constants(g, dst, how.Constants)
		member, pointers := down(dst, how.Member)
		w.make(g, pointers)
		w.value(g, v.Elem, d, src, member, at)
	}
	if how.Plain == nil {
		write(g)
		return
	}
	src.ifSet(g, w.isSet(how.Plain, src), func(g *jen.Group) {
		src.known = true
		write(g)
	})
}

// constants sets the members of a struct with fixed values. It returns the struct, with the pointers that are set.
func (w *conversionWriter) constants(g *jen.Group, dst operand, constants []convert.Constant) operand {
	for _, c := range constants {
		member, pointers := down(dst, c.Member)
		for _, p := range pointers {
			g.Add(p.code.Clone()).Op("=").New(w.typ(p.to))
		}
		dst = dst.surely(c.Member)
		member.set(g, jen.Lit(c.Value))
	}
	return dst
}

// has are the conditions that members of a struct have fixed values. It returns the struct, with the pointers that lead
// to them.
func has(src operand, constants []convert.Constant) ([]jen.Code, operand) {
	var conditions []jen.Code
	for _, c := range constants {
		member, pointers := down(src, c.Member)
		conditions = append(conditions, there(pointers)...)
		is := member.value()
		if c.Value != true {
			is.Op("==").Lit(c.Value)
		}
		conditions = append(conditions, is)
		src = src.surely(c.Member)
	}
	return conditions, src
}

// tuple writes the values of a text, or the text of some values.
func (w *conversionWriter) tuple(g *jen.Group, v *convert.Value, how convert.Tuple, d convert.Direction, src, dst operand) {
	if v.Outer == d.To() {
		g.Switch(src.value()).BlockFunc(func(g *jen.Group) {
			for i, t := range how.Texts {
				if slices.ContainsFunc(how.Texts[:i], func(before convert.TupleText) bool { return before.Text == t.Text }) {
					continue
				}
				g.Case(jen.Lit(t.Text)).BlockFunc(func(g *jen.Group) {
					w.constants(g, dst, slices.DeleteFunc(slices.Clone(t.Members), func(c convert.Constant) bool { return c.Value == "" }))
				})
			}
		})
		return
	}
	g.Switch().Block(codes(how.Texts, func(t convert.TupleText) *jen.Statement {
		conditions, _ := has(src, t.Members)
		return jen.Case(all(conditions)).Add(dst.value()).Op("=").Lit(t.Text)
	})...)
}

// parts cuts a text into the members of a struct, or joins them.
func (w *conversionWriter) parts(g *jen.Group, v *convert.Value, how convert.Parts, d convert.Direction, src, dst operand) {
	function, text, around := "JoinParts", dst.address(), src
	if v.Outer == d.To() {
		function, text, around = "CutParts", src.value(), dst
	}
	args := []jen.Code{text, jen.Lit(how.Layout)}
	for _, part := range how.Parts {
		member, _ := down(around, part.Member)
		kind := "Part"
		if part.Member.Last().Type.Elem() != nil {
			kind = "PointerPart"
		}
		args = append(args, jen.Qual(conversionPackage, kind).Call(member.address(), jen.Lit(part.Word)))
	}
	g.Qual(conversionPackage, function).Call(args...)
}

// present writes a struct if a bool is true, or tells by a bool whether there is one.
func (w *conversionWriter) present(g *jen.Group, v *convert.Value, how convert.Present, d convert.Direction, src, dst operand) {
	from, to := v.Ends(d)
	var conditions []jen.Code
	if from.Elem() != nil {
		conditions = append(conditions, src.value().Op("!=").Nil())
		src = operand{code: src.value(), pointer: true}
	}
	if v.Outer == d.To() {
		conditions = append(conditions, src.value())
	} else {
		same, _ := has(src, how.Constants)
		conditions = append(conditions, same...)
	}
	g.If(all(conditions)).BlockFunc(func(g *jen.Group) {
		if to.Elem() != nil {
			dst.set(g, jen.New(w.typ(to.Elem())))
			dst = operand{code: dst.value(), pointer: true}
		}
		if v.Outer == d.To() {
			w.constants(g, dst, how.Constants)
		} else {
			dst.set(g, jen.True())
		}
	})
}

// element writes a value into a list of one element, with what tells it from others, or looks for that element.
func (w *conversionWriter) element(g *jen.Group, v *convert.Value, how convert.Element, d convert.Direction, src, dst operand, at where) {
	if v.Outer == d.To() {
		set := w.isSet(convert.SetOf(v.From(d)), src)
		if how.Content != nil {
			set.Op("&&").Add(w.isSet(how.Content, operand{code: src.value(), pointer: true}))
			src.known = false
		}
		src.ifSet(g, set, func(g *jen.Group) {
			src.known = true
			element, members := dst.index(jen.Lit(0)), members(nil)
			for _, c := range how.Constants {
				members.add(w, c.Member, jen.Lit(c.Value))
				element = element.surely(c.Member)
			}
			member, value, isAssigned := w.assigned(v.Elem, d, src)
			isAssigned = isAssigned && members.add(w, member, value)
			dst.set(g, w.typ(v.To(d)).Values(members.literal()))
			if !isAssigned {
				w.value(g, v.Elem, d, src, element, at)
			}
		})
		return
	}
	index := at.index()
	conditions, element := has(src.index(jen.Id(index)), how.Constants)
	g.For(jen.Id(index).Op(":=").Range().Add(src.value())).Block(
		jen.If(all(conditions)).BlockFunc(func(g *jen.Group) {
			w.value(g, v.Elem, d, element, dst, at.below("[%d]", jen.Id(index)))
			g.Break()
		}))
}

// members are the members of a literal of a struct, in order.
type members []member

// member is a member with a value, or a struct with members of its own, maybe behind a pointer.
type member struct {
	name    string
	code    jen.Code // the type of the struct
	pointer bool
	value   jen.Code
	members members
}

// add adds the value of a member. It returns false if there is a value already.
func (m *members) add(w *conversionWriter, path convert.Path, value jen.Code) bool {
	first := path[0]
	i := slices.IndexFunc(*m, func(o member) bool { return o.name == first.Name })
	switch {
	case i >= 0 && (len(path) == 1 || (*m)[i].value != nil):
		return false
	case len(path) == 1:
		*m = append(*m, member{name: first.Name, value: value})
		return true
	case i < 0:
		i = len(*m)
		in := cmp.Or(first.Type.Elem(), first.Type)
		*m = append(*m, member{name: first.Name, code: w.typ(in), pointer: in != first.Type})
	}
	return (*m)[i].members.add(w, path[1:], value)
}

// literal is the literal without its type.
func (m members) literal() *jen.Statement {
	return jen.Values(codes(m, func(member member) *jen.Statement {
		value := member.value
		if value == nil {
			value = jen.Add(member.code).Add(member.members.literal())
		}
		if member.pointer {
			value = jen.Op("&").Add(value)
		}
		return jen.Id(member.name).Op(":").Add(value)
	})...)
}

// assigned returns the member of an element to which a value or its copy is assigned.
func (w *conversionWriter) assigned(v *convert.Value, d convert.Direction, src operand) (convert.Path, jen.Code, bool) {
	how, ok := v.How.(convert.Wrap)
	switch {
	case !ok || v.Outer != d.To() || len(how.Constants) > 0:
		return nil, nil, false
	case v.Elem.How == convert.Pointer{} && isAssign(v.Elem.Elem) && v.Elem.Elem.Same:
		return how.Member, jen.Qual(conversionPackage, "CopyPointer").Call(src.value()), true
	case !isAssign(v.Elem):
		return nil, nil, false
	}
	return how.Member, w.converted(v.Elem.Types, d, src.value()), true
}

// keyedList writes a list with an element for each key of a map, in the order of the keys.
func (w *conversionWriter) keyedList(g *jen.Group, v *convert.Value, how convert.Keyed, d convert.Direction, src, dst operand, at where) {
	index, key, value := at.index(), at.variable("key"), at.variable("value")
	sorted := jen.Qual("slices", "Sorted").Call(jen.Qual("maps", "Keys").Call(src.value()))
	w.filled(g, v, d, src, dst, jen.For(jen.List(jen.Id(index), jen.Id(key)).Op(":=").Range().Add(sorted)).BlockFunc(func(g *jen.Group) {
		element := dst.index(jen.Id(index))
		element.field(how.Member.Last().Name).set(g, w.converted(how.Keys, d, jen.Id(key)))
		g.Id(value).Op(":=").Add(src.index(jen.Id(key)).code)
		w.value(g, v.Elem, d, operand{code: jen.Id(value)}, element, at.below("[%v]", jen.Id(key)))
	}))
}

// keyedMap writes a map with an entry for each element of a list.
func (w *conversionWriter) keyedMap(g *jen.Group, v *convert.Value, how convert.Keyed, d convert.Direction, src, dst operand, at where) {
	index, converted := at.index(), at.variable("converted")
	w.filled(g, v, d, src, dst, jen.For(jen.Id(index).Op(":=").Range().Add(src.value())).BlockFunc(func(g *jen.Group) {
		element := src.index(jen.Id(index))
		g.Var().Id(converted).Add(w.typ(v.Elem.To(d)))
		w.value(g, v.Elem, d, element, operand{code: jen.Id(converted)}, at.below("[%d]", jen.Id(index)))
		key := w.converted(how.Keys, d, element.field(how.Member.Last().Name).value())
		dst.index(key).set(g, jen.Id(converted))
	}))
}

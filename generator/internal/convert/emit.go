// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// Writer is the generated file that the statements of conversions belong to.
type Writer interface {
	// Type returns a type in the syntax of the file, and imports its package.
	Type(t *Type) *jen.Statement
	// Qualified returns a name of a package, and imports it.
	Qualified(importPath, name string) *jen.Statement
	// Runtime returns a function or type of the package conversion.
	Runtime(name string) *jen.Statement
	// ZeroFunction returns the name of the function that reports whether a struct or an array is zero.
	ZeroFunction(t *Type) string
	// Comment returns a comment of one line.
	Comment(format string, args ...any) *jen.Statement
}

// Body writes the statements of a function that converts in a direction.
type Body struct {
	Writer
	group *jen.Group
	to    Direction
	// format and args are the converted field in messages: a format, and the argument of its verb for each loop around.
	format string
	args   []jen.Code
}

// NewBody returns the body of a function.
func NewBody(w Writer, g *jen.Group, d Direction) Body { return Body{Writer: w, group: g, to: d} }

// in returns the body of a block inside.
func (b Body) in(g *jen.Group) Body {
	b.group = g
	return b
}

// at returns the body with a field for its messages.
func (b Body) at(field string) Body {
	b.format, b.args = field, nil
	return b
}

// below returns the body of a loop over the elements of the field.
func (b Body) below(format string, arg jen.Code) Body {
	b.format, b.args = b.format+format, append(slices.Clip(b.args), arg)
	return b
}

// add adds a statement.
func (b Body) add(statement jen.Code) { b.group.Add(statement) }

// index returns a name for the index of a loop.
func (b Body) index() string { return string(rune('i' + len(b.args))) }

// variable returns a name of a variable that no loop around has.
func (b Body) variable(name string) string {
	if len(b.args) == 0 {
		return name
	}
	return fmt.Sprint(name, len(b.args)+1)
}

// declare declares a variable.
func (b Body) declare(name string, t *Type) operand {
	b.group.Var().Id(name).Add(b.Type(t))
	return operand{code: jen.Id(name)}
}

// when writes statements inside an if with all conditions, or without an if if there are no conditions.
func (b Body) when(conditions []jen.Code, write func(Body)) {
	if len(conditions) == 0 {
		write(b)
		return
	}
	b.group.If(all(conditions)).BlockFunc(func(g *jen.Group) { write(b.in(g)) })
}

// given writes statements inside an if.
func (b Body) given(condition jen.Code, write func(Body)) { b.when([]jen.Code{condition}, write) }

// whenSet writes statements for the case that an operand is set, without the condition if that is known.
func (b Body) whenSet(o operand, condition jen.Code, write func(Body)) {
	if o.known {
		write(b)
		return
	}
	b.given(condition, write)
}

// set assigns to an operand.
func (b Body) set(o operand, to jen.Code) { b.group.Add(o.value()).Op("=").Add(to) }

// call writes a call that returns an error, with the field in front of it. The separator follows the field. The error
// counts if further conditions hold.
func (b Body) call(separator string, call jen.Code, conditions ...jen.Code) {
	args := append([]jen.Code{jen.Lit(b.format + separator + "%w")}, b.args...)
	b.group.If(jen.Err().Op(":=").Add(call), all(append([]jen.Code{jen.Err().Op("!=").Nil()}, conditions...))).Block(
		jen.Return(jen.Qual("fmt", "Errorf").Call(append(args, jen.Err())...)))
}

// checked writes a call that fails if the value does not fit the other version.
func (b Body) checked(call jen.Code) {
	b.call(": ", call, jen.Op("!").Add(b.Runtime("LeaveOut")).Call(jen.Id("ctx")))
}

// whole returns the condition that src is a full object, and not a part of one.
func (b Body) whole() *jen.Statement {
	return jen.Op("!").Add(b.Runtime("Partial")).Call(jen.Id("ctx"))
}

// make lets each of the pointers point to something.
func (b Body) make(pointers []pointer) {
	for _, p := range pointers {
		b.group.If(p.code.Clone().Op("==").Nil()).Block(p.code.Clone().Op("=").New(b.Type(p.to)))
	}
}

// fill makes a list or map with room for the source, unless that is nil, and fills it by a loop.
func (b Body) fill(v *Value, src, dst operand, loop jen.Code) {
	b.whenSet(src, src.value().Op("!=").Nil(), func(b Body) {
		b.set(dst, jen.Make(b.Type(v.To(b.to)), jen.Len(src.value())))
		b.add(loop)
	})
}

// converted returns an expression as the type of the destination, converted if it has another one.
func (b Body) converted(t Types, code jen.Code) jen.Code {
	if t.Same {
		return code
	}
	return b.Type(t.To(b.to)).Call(code)
}

// isSet returns the condition that an operand is set.
func (b Body) isSet(s *Set, o operand) *jen.Statement { return b.test(s, o, true) }

// test returns the condition that an operand is set, or that it is not.
func (b Body) test(s *Set, o operand, wantSet bool) *jen.Statement {
	equals, length, isSet, isZero := "!=", ">", jen.Null(), jen.Op("!")
	if !wantSet {
		equals, length, isSet, isZero = "==", "==", isZero, isSet
	}
	switch s.Test {
	case fields.NotEmpty:
		return jen.Len(o.value()).Op(length).Lit(0)
	case fields.NotIsZero:
		return isZero.Add(o.code.Clone()).Dot("IsZero").Call()
	case fields.NotEqual:
		return o.value().Op(equals).Parens(b.Type(s.Type).Values())
	case fields.AnyPart:
		return isZero.Id(b.ZeroFunction(s.Type)).Call(o.address())
	}
	switch s.Type.Basic() {
	case "":
		return o.value().Op(equals).Nil()
	case "bool":
		return isSet.Add(o.value())
	case "string":
		return o.value().Op(equals).Lit("")
	}
	return o.value().Op(equals).Lit(0)
}

// isUnset returns the condition that a field in an operand is not set.
func (b Body) isUnset(path Path, in operand) *jen.Statement {
	field, pointers := in.down(path)
	set := fields.FieldSet(path.Last())
	conditions := append(notNil(pointers), b.isSet(set, field))
	if len(conditions) > 1 {
		return jen.Op("!").Parens(all(conditions))
	}
	return b.test(set, field, false)
}

// IsZero writes the function that reports whether a struct or an array that Go cannot compare is zero.
func (b Body) IsZero(t *Type) {
	if elem := t.Elem(); elem != nil {
		isSet := b.isSet(fields.SetOf(elem), operand{code: jen.Id("v")}.index(jen.Id("i")))
		b.group.For(jen.Id("i").Op(":=").Range().Id("v")).Block(jen.If(isSet).Block(jen.Return(jen.False())))
	}
	var unset []jen.Code
	for _, f := range t.Fields() {
		if f.Exported {
			unset = append(unset, b.test(fields.FieldSet(f), operand{code: jen.Id("v").Dot(f.Name)}, false))
		}
	}
	if len(unset) == 0 {
		unset = append(unset, jen.True())
	}
	b.group.Return(joined(unset, jen.Op("&&").Line()))
}

// operand is an expression: a value, or a pointer whose target is meant.
type operand struct {
	code    *jen.Statement
	pointer bool
	// known is true if the expression is known to be neither nil nor zero.
	known bool
	// made are the paths of pointers in it that are known not to be nil.
	made []string
}

// target returns the operand for the target of a pointer.
func target(code *jen.Statement) operand { return operand{code: code, pointer: true} }

func (o operand) value() *jen.Statement {
	if o.pointer {
		return jen.Op("*").Add(o.code.Clone())
	}
	return o.code.Clone()
}

func (o operand) address() *jen.Statement {
	if o.pointer {
		return o.code.Clone()
	}
	return jen.Op("&").Add(o.code.Clone())
}

func (o operand) field(name string) operand { return operand{code: o.code.Clone().Dot(name)} }

func (o operand) index(i jen.Code) operand {
	if o.pointer {
		return operand{code: jen.Parens(o.value()).Index(i)}
	}
	return operand{code: o.code.Clone().Index(i)}
}

// with returns the operand with a pointer in it that is known not to be nil.
func (o operand) with(path string) operand {
	o.made = append(slices.Clip(o.made), path)
	return o
}

// reached returns the operand with the pointers that lead to a member, which are known not to be nil.
func (o operand) reached(member Path) operand {
	for i := range len(member) - 1 {
		o = o.with(member[:i+1].String())
	}
	return o
}

// down returns the field at a path in the operand, and the pointers to structs on the way that may be nil.
func (o operand) down(path Path) (to operand, pointers []pointer) {
	to = o
	for i, f := range path {
		if to = to.field(f.Name); i+1 < len(path) && f.Type.Elem() != nil && !slices.Contains(o.made, path[:i+1].String()) {
			pointers = append(pointers, pointer{to.code, path[:i+1].String(), f.Type.Elem()})
		}
	}
	return to, pointers
}

// pointer is a pointer on the way to a field.
type pointer struct {
	code *jen.Statement
	path string
	to   *resolve.Type
}

// notNil returns the condition `p != nil` for each pointer.
func notNil(pointers []pointer) []jen.Code {
	return codes(pointers, func(p pointer) *jen.Statement { return p.code.Clone().Op("!=").Nil() })
}

// anyOf returns the disjunction of conditions. A long one has a line for each condition.
func anyOf(conditions []jen.Code) *jen.Statement {
	const short = 100
	length := 0
	for _, c := range conditions {
		length += len(fmt.Sprintf("%#v", c))
	}
	if length > short {
		return joined(conditions, jen.Op("||").Line())
	}
	return joined(conditions, jen.Op("||"))
}

// all returns the conjunction of conditions.
func all(conditions []jen.Code) *jen.Statement { return joined(conditions, jen.Op("&&")) }

// joined returns the conditions with an operator between them.
func joined(conditions []jen.Code, operator *jen.Statement) *jen.Statement {
	s := jen.Add(conditions[0])
	for _, c := range conditions[1:] {
		s.Add(operator, c)
	}
	return s
}

// codes returns the code of each item.
func codes[T any](items []T, code func(T) *jen.Statement) []jen.Code {
	var all []jen.Code
	for _, item := range items {
		all = append(all, code(item))
	}
	return all
}

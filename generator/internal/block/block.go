// SPDX-License-Identifier: Apache-2.0

// Package block writes statements of generated functions that convert.
package block

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// Writer is the generated file that the statements of conversions belong to.
type Writer interface {
	// Type returns a type in the syntax of the file, and imports its package.
	Type(t *resolve.Type) *jen.Statement
	// Qualified returns a name of a package, and imports it.
	Qualified(importPath, name string) *jen.Statement
	// Runtime returns a function or type of the package conversion.
	Runtime(name string) *jen.Statement
	// ZeroFunction returns the name of the function that reports whether a struct or an array is zero.
	ZeroFunction(t *resolve.Type) string
	// Comment returns a comment of one line.
	Comment(format string, args ...any) *jen.Statement
}

// Block writes statements of a function that converts in a direction.
type Block struct {
	Writer
	Group *jen.Group
	To    sides.Direction
	// format and args are the converted field in messages: a format, and the argument of its verb for each loop around.
	format string
	args   []jen.Code
}

// New returns the body of a function.
func New(w Writer, g *jen.Group, d sides.Direction) Block { return Block{Writer: w, Group: g, To: d} }

// In returns the body of a block inside.
func (b Block) In(g *jen.Group) Block {
	b.Group = g
	return b
}

// At returns the body with a field for its messages.
func (b Block) At(field string) Block {
	b.format, b.args = field, nil
	return b
}

// Below returns the body of a loop over the elements of the field.
func (b Block) Below(format string, arg jen.Code) Block {
	b.format, b.args = b.format+format, append(slices.Clip(b.args), arg)
	return b
}

// Add adds a statement.
func (b Block) Add(statement jen.Code) { b.Group.Add(statement) }

// Index returns a name for the index of a loop.
func (b Block) Index() string { return string(rune('i' + len(b.args))) }

// Variable returns a name of a variable that no loop around has.
func (b Block) Variable(name string) string {
	if len(b.args) == 0 {
		return name
	}
	return fmt.Sprint(name, len(b.args)+1)
}

// Declare declares a variable.
func (b Block) Declare(name string, t *resolve.Type) Operand {
	b.Group.Var().Id(name).Add(b.Type(t))
	return Operand{Code: jen.Id(name)}
}

// When writes statements inside an if with all conditions, or without an if if there are no conditions.
func (b Block) When(conditions []jen.Code, write func(Block)) {
	if len(conditions) == 0 {
		write(b)
		return
	}
	b.Group.If(All(conditions)).BlockFunc(func(g *jen.Group) { write(b.In(g)) })
}

// Given writes statements inside an if.
func (b Block) Given(condition jen.Code, write func(Block)) { b.When([]jen.Code{condition}, write) }

// WhenSet writes statements for the case that an operand is set, without the condition if that is known.
func (b Block) WhenSet(o Operand, condition jen.Code, write func(Block)) {
	if o.Known {
		write(b)
		return
	}
	b.Given(condition, write)
}

// Set assigns to an operand.
func (b Block) Set(o Operand, to jen.Code) { b.Group.Add(o.Value()).Op("=").Add(to) }

// Call writes a call that returns an error, with the field in front of it. The separator follows the field. The error
// counts if further conditions hold.
func (b Block) Call(separator string, call jen.Code, conditions ...jen.Code) {
	args := append([]jen.Code{jen.Lit(b.format + separator + "%w")}, b.args...)
	b.Group.If(jen.Err().Op(":=").Add(call), All(append([]jen.Code{jen.Err().Op("!=").Nil()}, conditions...))).Block(
		jen.Return(jen.Qual("fmt", "Errorf").Call(append(args, jen.Err())...)))
}

// Checked writes a call that fails if the value does not fit the other version.
func (b Block) Checked(call jen.Code) {
	b.Call(": ", call, jen.Op("!").Add(b.Runtime("Omit")).Call(jen.Id("ctx")))
}

// Whole returns the condition that src is a full object, and not a part of one.
func (b Block) Whole() *jen.Statement {
	return jen.Op("!").Add(b.Runtime("Partial")).Call(jen.Id("ctx"))
}

// Fill makes a list or map of a type with room for the source, unless that is nil, and fills it by a loop.
func (b Block) Fill(t *resolve.Type, src, dst Operand, loop jen.Code) {
	b.WhenSet(src, src.Value().Op("!=").Nil(), func(b Block) {
		b.Set(dst, jen.Make(b.Type(t), jen.Len(src.Value())))
		b.Add(loop)
	})
}

// Make lets each of the pointers point to something.
func (b Block) Make(pointers []Pointer) {
	for _, p := range pointers {
		b.Group.If(p.Code.Clone().Op("==").Nil()).Block(p.Code.Clone().Op("=").New(b.Type(p.To)))
	}
}

// IsSet returns the condition that an operand is set.
func (b Block) IsSet(s *fields.Set, o Operand) *jen.Statement { return b.Test(s, o, true) }

// Test returns the condition that an operand is set, or that it is not.
func (b Block) Test(s *fields.Set, o Operand, wantSet bool) *jen.Statement {
	equals, length, isSet, isZero := "!=", ">", jen.Null(), jen.Op("!")
	if !wantSet {
		equals, length, isSet, isZero = "==", "==", isZero, isSet
	}
	switch s.Test {
	case fields.NotEmpty:
		return jen.Len(o.Value()).Op(length).Lit(0)
	case fields.NotIsZero:
		return isZero.Add(o.Code.Clone()).Dot("IsZero").Call()
	case fields.NotEqual:
		return o.Value().Op(equals).Parens(b.Type(s.Type).Values())
	case fields.AnyPart:
		return isZero.Id(b.ZeroFunction(s.Type)).Call(o.Address())
	}
	switch s.Type.Basic() {
	case "":
		return o.Value().Op(equals).Nil()
	case "bool":
		return isSet.Add(o.Value())
	case "string":
		return o.Value().Op(equals).Lit("")
	}
	return o.Value().Op(equals).Lit(0)
}

// IsUnset returns the condition that a field in an operand is not set.
func (b Block) IsUnset(path fields.Path, in Operand) *jen.Statement {
	field, pointers := in.Down(path)
	set := fields.FieldSet(path.Last())
	conditions := append(NotNil(pointers), b.IsSet(set, field))
	if len(conditions) > 1 {
		return jen.Op("!").Parens(All(conditions))
	}
	return b.Test(set, field, false)
}

// IsZero writes the function that reports whether a struct or an array that Go cannot compare is zero.
func (b Block) IsZero(t *resolve.Type) {
	if elem := t.Elem(); elem != nil {
		isSet := b.IsSet(fields.SetOf(elem), Operand{Code: jen.Id("v")}.Index(jen.Id("i")))
		b.Group.For(jen.Id("i").Op(":=").Range().Id("v")).Block(jen.If(isSet).Block(jen.Return(jen.False())))
	}
	var unset []jen.Code
	for _, f := range t.Fields() {
		if f.Exported {
			unset = append(unset, b.Test(fields.FieldSet(f), Operand{Code: jen.Id("v").Dot(f.Name)}, false))
		}
	}
	if len(unset) == 0 {
		unset = append(unset, jen.True())
	}
	b.Group.Return(joined(unset, jen.Op("&&").Line()))
}

// Operand is an expression: a value, or a pointer whose target is meant.
type Operand struct {
	Code    *jen.Statement
	Pointer bool
	// Known is true if the expression is known to be neither nil nor zero.
	Known bool
	// Made are the paths of pointers in it that are known not to be nil.
	Made []string
}

// Target returns the operand for the target of a pointer.
func Target(code *jen.Statement) Operand { return Operand{Code: code, Pointer: true} }

// Value returns the value, of a pointer the value of its target.
func (o Operand) Value() *jen.Statement {
	if o.Pointer {
		return jen.Op("*").Add(o.Code.Clone())
	}
	return o.Code.Clone()
}

// Address returns the address of the value.
func (o Operand) Address() *jen.Statement {
	if o.Pointer {
		return o.Code.Clone()
	}
	return jen.Op("&").Add(o.Code.Clone())
}

// Field returns a field.
func (o Operand) Field(name string) Operand { return Operand{Code: o.Code.Clone().Dot(name)} }

// Index returns an element.
func (o Operand) Index(i jen.Code) Operand {
	if o.Pointer {
		return Operand{Code: jen.Parens(o.Value()).Index(i)}
	}
	return Operand{Code: o.Code.Clone().Index(i)}
}

// With returns the operand with a pointer in it that is known not to be nil.
func (o Operand) With(path string) Operand {
	o.Made = append(slices.Clip(o.Made), path)
	return o
}

// Reached returns the operand with the pointers that lead to a member, which are known not to be nil.
func (o Operand) Reached(member fields.Path) Operand {
	for i := range len(member) - 1 {
		o = o.With(member[:i+1].String())
	}
	return o
}

// Down returns the field at a path in the operand, and the pointers to structs on the way that may be nil.
func (o Operand) Down(path fields.Path) (to Operand, pointers []Pointer) {
	to = o
	for i, f := range path {
		if to = to.Field(f.Name); i+1 < len(path) && f.Type.Elem() != nil && !slices.Contains(o.Made, path[:i+1].String()) {
			pointers = append(pointers, Pointer{to.Code, path[:i+1].String(), f.Type.Elem()})
		}
	}
	return to, pointers
}

// Pointer is a pointer on the way to a field.
type Pointer struct {
	Code *jen.Statement
	Path string
	To   *resolve.Type
}

// NotNil returns the condition `p != nil` for each pointer.
func NotNil(pointers []Pointer) []jen.Code {
	return Codes(pointers, func(p Pointer) *jen.Statement { return p.Code.Clone().Op("!=").Nil() })
}

// AnyOf returns the disjunction of conditions. A long one has a line for each condition.
func AnyOf(conditions []jen.Code) *jen.Statement {
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

// All returns the conjunction of conditions.
func All(conditions []jen.Code) *jen.Statement { return joined(conditions, jen.Op("&&")) }

// joined returns the conditions with an operator between them.
func joined(conditions []jen.Code, operator *jen.Statement) *jen.Statement {
	s := jen.Add(conditions[0])
	for _, c := range conditions[1:] {
		s.Add(operator, c)
	}
	return s
}

// Codes returns the code of each item.
func Codes[T any](items []T, code func(T) *jen.Statement) []jen.Code {
	var all []jen.Code
	for _, item := range items {
		all = append(all, code(item))
	}
	return all
}

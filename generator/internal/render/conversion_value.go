// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/convert"
)

// operand is an expression: a value, or a pointer whose target is meant.
type operand struct {
	code    *jen.Statement
	pointer bool
	// known says that the expression is known to be neither nil nor zero.
	known bool
	// sure are the paths of pointers in it that are known not to be nil.
	sure []string
}

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

// with is the operand with a pointer in it that is known not to be nil.
func (o operand) with(path string) operand {
	o.sure = append(o.sure[:len(o.sure):len(o.sure)], path)
	return o
}

// keepsZero reports whether a value that is not set becomes one that is not set, by the assignment that converts it.
func keepsZero(v *convert.Value, s *convert.Set) bool {
	if how, ok := v.How.(convert.Pointer); ok {
		return how == (convert.Pointer{}) && isAssign(v.Elem) && v.Elem.Same
	}
	return isAssign(v) && s.Test == convert.NotZero && s.Type.Basic() != ""
}

// surely is the operand when a member of it has been reached.
func (o operand) surely(member convert.Path) operand {
	for i := range len(member) - 1 {
		o = o.with(member[:i+1].String())
	}
	return o
}

// ifSet writes statements for the case that the operand is there, without a condition where that is known.
func (o operand) ifSet(g *jen.Group, condition jen.Code, write func(*jen.Group)) {
	if o.known {
		write(g)
		return
	}
	g.If(condition).BlockFunc(write)
}

// set assigns to the operand.
func (o operand) set(g *jen.Group, to jen.Code) { g.Add(o.value()).Op("=").Add(to) }

// where is a field in messages: a format and the arguments of its verbs, one for each loop around the field.
type where struct {
	format string
	args   []jen.Code
}

// index is the name of a loop's index that no loop around has.
func (w where) index() string { return string(rune('i' + len(w.args))) }

// variable makes a name of a variable that no loop around has.
func (w where) variable(name string) string {
	if len(w.args) == 0 {
		return name
	}
	return fmt.Sprint(name, len(w.args)+1)
}

func (w where) below(format string, arg jen.Code) where {
	return where{w.format + format, append(w.args[:len(w.args):len(w.args)], arg)}
}

// failing writes a call and returns its error with the place in front, if further conditions hold.
func failing(g *jen.Group, at where, separator string, call jen.Code, conditions ...jen.Code) {
	args := append([]jen.Code{jen.Lit(at.format + separator + "%w")}, at.args...)
	g.If(jen.Err().Op(":=").Add(call), all(append([]jen.Code{jen.Err().Op("!=").Nil()}, conditions...))).Block(
		jen.Return(jen.Qual("fmt", "Errorf").Call(append(args, jen.Err())...)))
}

// checked writes a call that fails if the value does not fit the other version.
func (w *conversionWriter) checked(g *jen.Group, at where, call jen.Code) {
	failing(g, at, ": ", call, jen.Op("!").Qual(conversionPackage, "LeaveOut").Call(jen.Id("ctx")))
}

// value writes the statements that set dst, which is zero so far, from src.
func (w *conversionWriter) value(g *jen.Group, v *convert.Value, d convert.Direction, src, dst operand, at where) {
	if !v.EmptyIsNil[d] {
		w.convert(g, v, d, src, dst, at)
		return
	}
	src.known = true
	g.If(jen.Len(src.value()).Op(">").Lit(0)).BlockFunc(func(g *jen.Group) { w.convert(g, v, d, src, dst, at) })
}

// convert is value for a list or map that is not empty, if an empty one becomes nil.
func (w *conversionWriter) convert(g *jen.Group, v *convert.Value, d convert.Direction, src, dst operand, at where) {
	switch how := v.How.(type) {
	case convert.Assign:
		dst.set(g, w.converted(v.Types, d, src.value()))
	case convert.DeepCopyInto:
		copied := jen.Add(src.code.Clone()).Dot("DeepCopyInto").Call(dst.address())
		if how.Nilable {
			src.ifSet(g, src.value().Op("!=").Nil(), func(g *jen.Group) { g.Add(copied) })
		} else {
			g.Add(copied)
		}
	case convert.DeepCopy:
		dst.set(g, src.code.Clone().Dot("DeepCopy").Call())
	case convert.Checked:
		args := []jen.Code{dst.address(), src.value()}
		if how.Argument != "" {
			args = append(args, jen.Lit(how.Argument))
		}
		call := jen.Qual(conversionPackage, how.Funcs[d]).Call(args...)
		if set := how.OmitsZero[d]; set != nil {
			src.ifSet(g, w.isSet(set, src), func(g *jen.Group) { failing(g, at, ": ", call) })
		} else {
			w.checked(g, at, call)
		}
	case convert.Call:
		w.call(g, how.Pair, d, src, dst, at)
	case convert.Hook:
		failing(g, at, ": ", jen.Id("c").Dot("hooks").Dot(typeHookName(v.Types, d)).Call(jen.Id("ctx"), src.address(), dst.address()))
	case convert.Not:
		dst.set(g, jen.Op("!").Add(src.value()))
	case convert.Each:
		w.each(g, v, d, src, dst, at)
	case convert.Entries:
		w.entries(g, v, how, d, src, dst, at)
	case convert.Keyed:
		if v.Outer == d.To() {
			w.keyedList(g, v, how, d, src, dst, at)
		} else {
			w.keyedMap(g, v, how, d, src, dst, at)
		}
	case convert.Element:
		w.element(g, v, how, d, src, dst, at)
	case convert.Pointer:
		if how.OnlyIfSet[d] == nil && isAssign(v.Elem) && v.Elem.Same {
			dst.set(g, jen.Qual(conversionPackage, "CopyPointer").Call(src.value()))
			return
		}
		src.ifSet(g, src.value().Op("!=").Nil(), func(g *jen.Group) {
			w.pointer(g, v, how.OnlyIfSet[d], d, operand{code: src.value(), pointer: true}, dst, at)
		})
	case convert.Optional:
		w.optional(g, v, how, d, src, dst, at)
	case convert.Rename:
		w.rename(g, v, how[d], d, src, dst)
	case convert.First:
		if v.Outer == d.To() {
			src.ifSet(g, w.isSet(convert.SetOf(v.From(d)), src), func(g *jen.Group) {
				if isAssign(v.Elem) && v.Elem.Same {
					dst.set(g, w.typ(v.To(d)).Values(src.value()))
					return
				}
				dst.set(g, jen.Make(w.typ(v.To(d)), jen.Lit(1)))
				w.value(g, v.Elem, d, src, dst.index(jen.Lit(0)), at)
			})
			return
		}
		g.If(jen.Len(src.value()).Op(">").Lit(0)).BlockFunc(func(g *jen.Group) {
			w.value(g, v.Elem, d, src.index(jen.Lit(0)), dst, at)
		})
	case convert.Tuple:
		w.tuple(g, v, how, d, src, dst)
	case convert.Parts:
		w.parts(g, v, how, d, src, dst)
	case convert.Present:
		w.present(g, v, how, d, src, dst)
	case convert.Wrap:
		w.wrap(g, v, how, d, src, dst, at)
	}
}

func (w *conversionWriter) each(g *jen.Group, v *convert.Value, d convert.Direction, src, dst operand, at where) {
	isArray := v.Spoke.Len() != ""
	if v.Same && isAssign(v.Elem) && !isArray {
		dst.set(g, jen.Qual("slices", "Clone").Call(src.value()))
		return
	}
	index := at.index()
	loop := jen.For(jen.Id(index).Op(":=").Range().Add(src.value())).BlockFunc(func(g *jen.Group) {
		w.value(g, v.Elem, d, src.index(jen.Id(index)), dst.index(jen.Id(index)), at.below("[%d]", jen.Id(index)))
	})
	if isArray {
		g.Add(loop)
		return
	}
	w.filled(g, v, d, src, dst, loop)
}

// filled makes a list or map with room for the source, unless that is nil, and fills it by a loop.
func (w *conversionWriter) filled(g *jen.Group, v *convert.Value, d convert.Direction, src, dst operand, loop jen.Code) {
	src.ifSet(g, src.value().Op("!=").Nil(), func(g *jen.Group) {
		dst.set(g, jen.Make(w.typ(v.To(d)), jen.Len(src.value())))
		g.Add(loop)
	})
}

func (w *conversionWriter) entries(g *jen.Group, v *convert.Value, how convert.Entries, d convert.Direction, src, dst operand, at where) {
	if v.Same && isAssign(v.Elem) {
		dst.set(g, jen.Qual("maps", "Clone").Call(src.value()))
		return
	}
	key, value, converted := at.variable("key"), at.variable("value"), at.variable("converted")
	w.filled(g, v, d, src, dst, jen.For(jen.List(jen.Id(key), jen.Id(value)).Op(":=").Range().Add(src.value())).BlockFunc(func(g *jen.Group) {
		entry := dst.index(w.converted(how.Keys, d, jen.Id(key)))
		if assigns(v.Elem) {
			w.value(g, v.Elem, d, operand{code: jen.Id(value)}, entry, at)
			return
		}
		g.Var().Id(converted).Add(w.typ(v.Elem.To(d)))
		w.value(g, v.Elem, d, operand{code: jen.Id(value)}, operand{code: jen.Id(converted)}, at.below("[%v]", jen.Id(key)))
		entry.set(g, jen.Id(converted))
	}))
}

// assigns reports values that one assignment converts, which an entry of a map can be the target of.
func assigns(v *convert.Value) bool {
	switch v.How.(type) {
	case convert.Assign, convert.DeepCopy, convert.Not:
		return true
	case convert.Each, convert.Entries: // a clone
		return isAssign(v.Elem) && v.Same && v.Spoke.Len() == ""
	}
	return false
}

// converted is an expression as the type of the destination, converted if it has another one.
func (w *conversionWriter) converted(t convert.Types, d convert.Direction, code jen.Code) jen.Code {
	if t.Same {
		return code
	}
	return w.typ(t.To(d)).Call(code)
}

func isAssign(v *convert.Value) bool { return v.How == convert.Assign{} }

func (w *conversionWriter) optional(g *jen.Group, v *convert.Value, how convert.Optional, d convert.Direction, src, dst operand, at where) {
	if v.Outer != d.To() {
		src.ifSet(g, src.value().Op("!=").Nil(), func(g *jen.Group) {
			w.value(g, v.Elem, d, operand{code: src.value(), pointer: true}, dst, at)
		})
		return
	}
	set := func(g *jen.Group) { w.pointer(g, v, how.OnlyIfSet[d], d, src, dst, at) }
	switch {
	case how.ZeroIsNil:
		condition := w.isSet(how.Plain, src)
		if wrap, ok := v.Elem.How.(convert.Wrap); ok && wrap.Plain != nil && wrap.Plain.Test == how.Plain.Test {
			src.known = true
			g.If(condition).BlockFunc(set)
			return
		}
		src.ifSet(g, condition, set)
	case how.ZeroInWhole:
		src.ifSet(g, w.isSet(how.Plain, src).Op("||").Add(w.whole()), set)
	default:
		set(g)
	}
}

// pointer sets a pointer to what a value converts to, if need be only where anything of that is set.
func (w *conversionWriter) pointer(g *jen.Group, v *convert.Value, onlyIf *convert.Set, d convert.Direction, src, dst operand, at where) {
	if onlyIf == nil && isAssign(v.Elem) {
		dst.set(g, jen.Qual(conversionPackage, "Pointer").Call(w.converted(v.Elem.Types, d, src.value())))
		return
	}
	if onlyIf == nil {
		dst.set(g, jen.New(w.typ(v.Elem.To(d))))
		w.value(g, v.Elem, d, src, operand{code: dst.value(), pointer: true}, at)
		return
	}
	rest := operand{code: jen.Id("rest")}
	g.Var().Id("rest").Add(w.typ(v.Elem.To(d)))
	w.value(g, v.Elem, d, src, rest, at)
	g.If(w.isSet(onlyIf, rest)).Block(dst.value().Op("=").Add(rest.address()))
}

func (w *conversionWriter) rename(g *jen.Group, v *convert.Value, renames []convert.Renaming, d convert.Direction, src, dst operand) {
	renames = slices.DeleteFunc(slices.Clone(renames), func(r convert.Renaming) bool { return r.From == r.To })
	if len(renames) == 0 {
		dst.set(g, w.converted(v.Types, d, src.value()))
		return
	}
	g.Switch(src.value()).BlockFunc(func(g *jen.Group) {
		for _, r := range renames {
			g.Case(jen.Lit(r.From)).Add(dst.value()).Op("=").Lit(r.To)
		}
		g.Default().Add(dst.value()).Op("=").Add(w.converted(v.Types, d, src.value()))
	})
}

// isSet is the condition that an operand is set.
func (w *conversionWriter) isSet(s *convert.Set, o operand) *jen.Statement {
	return w.test(s, o, true)
}

// test is the condition that an operand is set, or that it is not.
func (w *conversionWriter) test(s *convert.Set, o operand, wantSet bool) *jen.Statement {
	equals, length, isSet, isZero := "!=", ">", jen.Null(), jen.Op("!")
	if !wantSet {
		equals, length, isSet, isZero = "==", "==", isZero, isSet
	}
	switch s.Test {
	case convert.NotEmpty:
		return jen.Len(o.value()).Op(length).Lit(0)
	case convert.NotIsZero:
		return isZero.Add(o.code.Clone()).Dot("IsZero").Call()
	case convert.NotEqual:
		return o.value().Op(equals).Parens(w.typ(s.Type).Values())
	case convert.AnyPart:
		return isZero.Id(w.zeroFunction(s)).Call(o.address())
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

// isUnset is the condition that a field in an operand is not set.
func (w *conversionWriter) isUnset(path convert.Path, in operand) *jen.Statement {
	field, pointers := down(in, path)
	set := convert.FieldSet(path.Last())
	conditions := append(there(pointers), w.isSet(set, field))
	if len(conditions) > 1 {
		return jen.Op("!").Parens(all(conditions))
	}
	return w.test(set, field, false)
}

// zeroFunction names the function that tells whether a struct or an array is zero.
func (w *conversionWriter) zeroFunction(s *convert.Set) string {
	if name, ok := w.zero[s.Type]; ok {
		return name
	}
	name := "isZero" + s.Type.Name
	for i := 2; slices.Contains(slices.Collect(maps.Values(w.zero)), name); i++ {
		name = fmt.Sprint("isZero", s.Type.Name, i)
	}
	w.zero[s.Type] = name
	w.zeros = append(w.zeros, s)
	return name
}

// isZero writes the function that tells whether a struct or an array that Go cannot compare is zero.
func (w *conversionWriter) isZero(s *convert.Set) {
	name := w.zero[s.Type]
	w.file.Add(comment("%s reports whether nothing is set.", name))
	w.file.Func().Id(name).Params(jen.Id("v").Op("*").Add(w.typ(s.Type))).Bool().BlockFunc(func(g *jen.Group) {
		if elem := s.Type.Elem(); elem != nil {
			isSet := w.isSet(convert.SetOf(elem), operand{code: jen.Id("v")}.index(jen.Id("i")))
			g.For(jen.Id("i").Op(":=").Range().Id("v")).Block(jen.If(isSet).Block(jen.Return(jen.False())))
		}
		var unset []jen.Code
		for _, f := range s.Type.Fields() {
			if f.Exported {
				unset = append(unset, w.test(convert.FieldSet(f), operand{code: jen.Id("v").Dot(f.Name)}, false))
			}
		}
		if len(unset) == 0 {
			unset = append(unset, jen.True())
		}
		g.Return(joined(unset, jen.Op("&&").Line()))
	})
}

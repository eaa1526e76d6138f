// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/convert"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
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

// surely is the operand when a member of it has been reached.
func (o operand) surely(member convert.Path) operand {
	for i := range len(member) - 1 {
		o.sure = append(o.sure[:len(o.sure):len(o.sure)], member[:i+1].String())
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

// where is a field in messages: a format and what stands in for its verbs.
type where struct {
	format string
	args   []jen.Code
}

func (w where) below(format string, arg jen.Code) where {
	return where{w.format + format, append(w.args[:len(w.args):len(w.args)], arg)}
}

// failing writes a call and returns its error with the place in front.
func (w where) failing(g *jen.Group, separator string, call jen.Code) {
	args := append([]jen.Code{jen.Lit(w.format + separator + "%w")}, w.args...)
	g.If(jen.Err().Op(":=").Add(call), jen.Err().Op("!=").Nil()).Block(
		jen.Return(jen.Qual("fmt", "Errorf").Call(append(args, jen.Err())...)))
}

// checked writes a call of which an error means that the value does not fit the other version.
func (w *conversionWriter) checked(g *jen.Group, at where, call jen.Code) {
	args := append([]jen.Code{jen.Lit(at.format + ": %w")}, at.args...)
	g.If(jen.Err().Op(":=").Add(call), jen.Err().Op("!=").Nil().Op("&&").Op("!").Qual(w.shared, "LeaveOut").Call(jen.Id("ctx"))).Block(
		jen.Return(jen.Qual("fmt", "Errorf").Call(append(args, jen.Err())...)))
}

// value writes the statements that set dst, which is zero so far, from src.
func (w *conversionWriter) value(g *jen.Group, v *convert.Value, d convert.Direction, src, dst operand, at where, depth int) {
	srcType, dstType := sides(d, v.Spoke, v.Hub)
	same := resolve.Identical(srcType, dstType)
	switch how := v.How.(type) {
	case convert.Assign:
		if same {
			dst.set(g, src.value())
		} else {
			dst.set(g, w.typ(dstType).Parens(src.value()))
		}
	case convert.DeepCopyInto:
		copied := jen.Add(src.code.Clone()).Dot("DeepCopyInto").Call(dst.address())
		if k := srcType.Kind(); k == resolve.Map || k == resolve.Slice { // deepcopy-gen's methods make an empty one of nil
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
		call := jen.Qual(w.shared, how.Funcs[d]).Call(args...)
		if how.OmitsZero[d] {
			src.ifSet(g, w.notZero(srcType, src), func(g *jen.Group) { at.failing(g, ": ", call) })
		} else {
			w.checked(g, at, call)
		}
	case convert.Call:
		at.failing(g, ".", w.call(how.Pair, d, src.address(), dst.address()))
	case convert.Hook:
		at.failing(g, ": ", jen.Id("c").Dot("hooks").Dot(typeHookName(v.Spoke, v.Hub, d)).Call(jen.Id("ctx"), src.address(), dst.address()))
	case convert.Not:
		dst.set(g, jen.Op("!").Add(src.value()))
	case convert.Each:
		guarded(g, how.EmptyIsNil[d], src, func(g *jen.Group, src operand) { w.each(g, v, d, src, dst, at, depth, same) })
	case convert.Entries:
		guarded(g, how.EmptyIsNil[d], src, func(g *jen.Group, src operand) { w.entries(g, v, d, src, dst, at, depth, same) })
	case convert.Keyed:
		list := w.keyedMap
		if how.Outer == d {
			list = w.keyedList
		}
		guarded(g, how.EmptyIsNil[d], src, func(g *jen.Group, src operand) { list(g, v, how.Member.Last(), d, src, dst, at, depth) })
	case convert.Element:
		w.element(g, v, how, d, src, dst, at, depth)
	case convert.Pointer:
		src.ifSet(g, src.value().Op("!=").Nil(), func(g *jen.Group) {
			w.pointer(g, v, how.OnlyIfSet, d, operand{code: src.value(), pointer: true}, dst, at, depth)
		})
	case convert.Optional:
		w.optional(g, v, how, d, src, dst, at, depth)
	case convert.Rename:
		w.rename(g, v, how[d], d, src, dst)
	case convert.First:
		if how.Outer == d {
			src.ifSet(g, w.notZero(srcType, src), func(g *jen.Group) {
				dst.set(g, jen.Make(w.typ(dstType), jen.Lit(1)))
				w.value(g, v.Elem, d, src, dst.index(jen.Lit(0)), at, depth)
			})
			return
		}
		g.If(jen.Len(src.value()).Op(">").Lit(0)).BlockFunc(func(g *jen.Group) {
			w.value(g, v.Elem, d, src.index(jen.Lit(0)), dst, at, depth)
		})
	case convert.Wrap:
		w.wrap(g, v, how, d, src, dst, at, depth)
	}
}

// guarded writes what converts a list or map, for one that is not empty if an empty one becomes none.
func guarded(g *jen.Group, emptyIsNil bool, src operand, write func(*jen.Group, operand)) {
	if !emptyIsNil {
		write(g, src)
		return
	}
	src.known = true
	g.If(jen.Len(src.value()).Op(">").Lit(0)).BlockFunc(func(g *jen.Group) { write(g, src) })
}

func (w *conversionWriter) each(g *jen.Group, v *convert.Value, d convert.Direction, src, dst operand, at where, depth int, same bool) {
	_, dstType := sides(d, v.Spoke, v.Hub)
	if same && isAssign(v.Elem) && dstType.Kind() == resolve.Slice {
		dst.set(g, jen.Qual("slices", "Clone").Call(src.value()))
		return
	}
	index := string(rune('i' + depth))
	loop := jen.For(jen.Id(index).Op(":=").Range().Add(src.value())).BlockFunc(func(g *jen.Group) {
		w.value(g, v.Elem, d, src.index(jen.Id(index)), dst.index(jen.Id(index)), at.below("[%d]", jen.Id(index)), depth+1)
	})
	if dstType.Kind() == resolve.Array {
		g.Add(loop)
		return
	}
	src.ifSet(g, src.value().Op("!=").Nil(), func(g *jen.Group) {
		dst.set(g, jen.Make(w.typ(dstType), jen.Len(src.value())))
		g.Add(loop)
	})
}

func (w *conversionWriter) entries(g *jen.Group, v *convert.Value, d convert.Direction, src, dst operand, at where, depth int, same bool) {
	srcType, dstType := sides(d, v.Spoke, v.Hub)
	if same && isAssign(v.Elem) {
		dst.set(g, jen.Qual("maps", "Clone").Call(src.value()))
		return
	}
	key, value, converted := numbered("key", depth), numbered("value", depth), numbered("converted", depth)
	src.ifSet(g, src.value().Op("!=").Nil(), func(g *jen.Group) {
		dst.set(g, jen.Make(w.typ(dstType), jen.Len(src.value())))
		g.For(jen.List(jen.Id(key), jen.Id(value)).Op(":=").Range().Add(src.value())).BlockFunc(func(g *jen.Group) {
			entry := dst.index(w.converted(dstType.Key(), srcType.Key(), jen.Id(key)))
			if assigns(v.Elem) {
				w.value(g, v.Elem, d, operand{code: jen.Id(value)}, entry, at, depth+1)
				return
			}
			g.Var().Id(converted).Add(w.typ(dstType.Elem()))
			w.value(g, v.Elem, d, operand{code: jen.Id(value)}, operand{code: jen.Id(converted)}, at.below("[%v]", jen.Id(key)), depth+1)
			entry.set(g, jen.Id(converted))
		})
	})
}

// assigns reports values that one assignment converts, which an entry of a map can be the target of.
func assigns(v *convert.Value) bool {
	switch v.How.(type) {
	case convert.Assign, convert.DeepCopy, convert.Not:
		return true
	case convert.Each, convert.Entries: // a clone
		return isAssign(v.Elem) && v.Spoke.Kind() != resolve.Array && resolve.Identical(v.Spoke, v.Hub)
	}
	return false
}

func isAssign(v *convert.Value) bool { return v.How == convert.Assign{} }

func (w *conversionWriter) optional(g *jen.Group, v *convert.Value, how convert.Optional, d convert.Direction, src, dst operand, at where, depth int) {
	srcType, _ := sides(d, v.Spoke, v.Hub)
	if how.Outer != d {
		src.ifSet(g, src.value().Op("!=").Nil(), func(g *jen.Group) {
			w.value(g, v.Elem, d, operand{code: src.value(), pointer: true}, dst, at, depth)
		})
		return
	}
	set := func(g *jen.Group) { w.pointer(g, v, how.OnlyIfSet, d, src, dst, at, depth) }
	switch {
	case how.ZeroIsNil:
		src.ifSet(g, w.notZero(srcType, src), set)
	case how.ZeroInWhole:
		src.ifSet(g, w.notZero(srcType, src).Op("||").Op("!").Qual(w.shared, "Partial").Call(jen.Id("ctx")), set)
	default:
		set(g)
	}
}

// pointer sets a pointer to what a value converts to, if need be only where anything of that is set.
func (w *conversionWriter) pointer(g *jen.Group, v *convert.Value, onlyIfSet bool, d convert.Direction, src, dst operand, at where, depth int) {
	_, dstType := sides(d, v.Spoke, v.Hub)
	if !onlyIfSet {
		dst.set(g, jen.New(w.typ(dstType.Elem())))
		w.value(g, v.Elem, d, src, operand{code: dst.value(), pointer: true}, at, depth)
		return
	}
	rest := operand{code: jen.Id("rest")}
	g.Var().Id("rest").Add(w.typ(dstType.Elem()))
	w.value(g, v.Elem, d, src, rest, at, depth)
	g.If(w.notZero(dstType.Elem(), rest)).Block(dst.value().Op("=").Add(rest.address()))
}

func (w *conversionWriter) rename(g *jen.Group, v *convert.Value, renames []convert.Renaming, d convert.Direction, src, dst operand) {
	srcType, dstType := sides(d, v.Spoke, v.Hub)
	g.Switch(src.value()).BlockFunc(func(g *jen.Group) {
		for _, r := range renames {
			g.Case(jen.Lit(r.From)).Add(dst.value()).Op("=").Lit(r.To)
		}
		if resolve.Identical(srcType, dstType) {
			g.Default().Add(dst.value()).Op("=").Add(src.value())
		} else {
			g.Default().Add(dst.value()).Op("=").Add(w.typ(dstType).Parens(src.value()))
		}
	})
}

// notZero is the condition that an operand is not the zero value of its type.
func (w *conversionWriter) notZero(t *resolve.Type, o operand) *jen.Statement {
	switch t.Kind() {
	case resolve.Basic:
		switch t.Basic() {
		case "bool":
			return o.value()
		case "string":
			return o.value().Op("!=").Lit("")
		}
		return o.value().Op("!=").Lit(0)
	case resolve.Struct, resolve.Array:
		switch {
		case t.HasMethod("IsZero"):
			return jen.Op("!").Add(o.code.Clone()).Dot("IsZero").Call()
		case comparable(t):
			return o.value().Op("!=").Parens(w.typ(t).Values())
		}
		return jen.Op("!").Id(w.zeroFunction(t)).Call(o.address())
	}
	return o.value().Op("!=").Nil()
}

// isSet is the condition that a field is set. An empty list or map that JSON leaves out is not: it would
// not be there any more when the object returns.
func (w *conversionWriter) isSet(f *resolve.Field, o operand) *jen.Statement {
	if kind := f.Type.Kind(); f.OmitEmpty && (kind == resolve.Slice || kind == resolve.Map) {
		return jen.Len(o.value()).Op(">").Lit(0)
	}
	return w.notZero(f.Type, o)
}

// comparable reports whether Go can compare values of the type with == and that does what it looks like.
func comparable(t *resolve.Type) bool {
	switch t.Kind() {
	case resolve.Basic, resolve.Pointer:
		return true
	case resolve.Array:
		return comparable(t.Elem())
	case resolve.Struct:
		for _, f := range t.Fields() {
			if !comparable(f.Type) {
				return false
			}
		}
		return true
	}
	return false
}

// zeroFunction names the function that tells whether a struct is zero.
func (w *conversionWriter) zeroFunction(t *resolve.Type) string {
	if name, ok := w.zero[t]; ok {
		return name
	}
	name := "isZero" + t.Name
	for i := 2; w.hasZero(name); i++ {
		name = fmt.Sprint("isZero", t.Name, i)
	}
	w.zero[t] = name
	w.zeros = append(w.zeros, t)
	return name
}

func (w *conversionWriter) hasZero(name string) bool {
	for _, n := range w.zero {
		if n == name {
			return true
		}
	}
	return false
}

// isZero writes the function that tells whether a struct that Go cannot compare is zero.
func (w *conversionWriter) isZero(t *resolve.Type) {
	name := w.zero[t]
	w.file.Comment(name + " reports whether nothing is set.")
	w.file.Func().Id(name).Params(jen.Id("v").Op("*").Add(w.typ(t))).Bool().BlockFunc(func(g *jen.Group) {
		var set []jen.Code
		for _, f := range t.Fields() {
			if f.Exported {
				set = append(set, w.isSet(f, operand{code: jen.Id("v").Dot(f.Name)}))
			}
		}
		any := jen.Add(set[0])
		for _, s := range set[1:] {
			any.Op("||").Line().Add(s)
		}
		g.Return(jen.Op("!").Parens(any))
	})
}

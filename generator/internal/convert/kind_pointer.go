// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/block"
	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/limits"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/schema"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// Pointer converts the targets of two pointers.
type Pointer struct{ OnlyIfSet }

// OnlyIfSet checks, for each direction, whether any field of a struct is set; otherwise the pointer to it is nil. It is
// needed if rules move other fields of the struct elsewhere. It is nil if the pointer is always set.
type OnlyIfSet Ways[*Set]

func (Pointer) String() string { return "" }

func (Pointer) matches(c candidate) bool { return c.isPointer(Spoke) && c.isPointer(Hub) }

func (Pointer) content(p *valuePlanner, v *Value, as converters) *content {
	return &content{p, v.content(), as}
}

func (k Pointer) plan(p *valuePlanner, v *Value, as converters) (*Value, *mismatch) {
	elem, bad := k.content(p, v, as).plan()
	if bad == nil && (p.takesElsewhere(elem) || elem.traits().selects) {
		k.OnlyIfSet, v.Loss = OnlyIfSet{fields.SetOf(v.Hub.Elem()), fields.SetOf(v.Spoke.Elem())}, sides.Both("whether the rest of it was nil or empty")
	}
	return v.as(k, elem, bad)
}

// takesElsewhere reports whether rules move parts of a struct elsewhere.
func (p *valuePlanner) takesElsewhere(v *Value) bool {
	return v.Pair() != nil && len(p.skip.Spoke)+len(p.skip.Hub) > 0
}

func (k Pointer) traits(*Value) traits {
	if k.OnlyIfSet != (OnlyIfSet{}) {
		return traits{}
	}
	return traits{same: asContent}
}

func (Pointer) schema(s *Schema, v *Value, f facts)       { s.addValue(v.Elem, f) }
func (Pointer) expression(Body, *Value, operand) jen.Code { return nil }

func (Pointer) bounds(b bounds, v *Value, values Sides[limits.Value], part string) {
	b.value(v.Elem, values, part)
}

func (k Pointer) emit(b Body, v *Value, src, dst operand) {
	if k.OnlyIfSet[b.To] == nil && v.Elem.isAssigned() && v.Elem.Same {
		b.Set(dst, b.Runtime("CopyPointer").Call(src.Value()))
		return
	}
	b.WhenSet(src, src.Value().Op("!=").Nil(), func(b Body) { k.OnlyIfSet.emit(b, v, block.Target(src.Value()), dst) })
}

// emit sets a pointer to the converted value, if need be only if anything of it is set.
func (k OnlyIfSet) emit(b Body, v *Value, src, dst operand) {
	switch set := k[b.To]; {
	case set != nil:
		rest := b.Declare("rest", v.Elem.To(b.To))
		v.Elem.emit(b, src, rest)
		b.Given(b.IsSet(set, rest), func(b Body) { b.Set(dst, rest.Address()) })
	case v.Elem.isAssigned():
		b.Set(dst, b.Runtime("Pointer").Call(v.Elem.Types.converted(b, src.Value())))
	default:
		b.Set(dst, jen.New(b.Type(v.Elem.To(b.To))))
		v.Elem.emit(b, src, block.Target(dst.Value()))
	}
}

// Optional converts between a value and the target of a pointer.
type Optional struct {
	OnlyIfSet
	// Plain checks whether the value is set. It is nil if the check is not needed.
	Plain *Set
	// ZeroIsNil makes a zero value a nil pointer. ZeroInWhole does so only in part of an object, because there
	// nobody has set the zero value.
	ZeroIsNil, ZeroInWhole bool
}

func (Optional) String() string { return "" }

func (Optional) matches(c candidate) bool {
	return c.isPointer(Spoke) != c.isPointer(Hub) || c.converter == "optional" || c.converter == "pointer"
}

func (Optional) content(p *valuePlanner, v *Value, as converters) *content {
	inHub := v.Hub.Kind() == resolve.Pointer
	if inHub == (v.Spoke.Kind() == resolve.Pointer) {
		return nil
	}
	v.Outer = sides.Of(inHub)
	if name, _ := as.first(); name == "optional" || name == "pointer" {
		as = as[1:]
	}
	return &content{p, sides.New(v.Spoke.Target(), v.Hub.Target()), as}
}

func (k Optional) plan(p *valuePlanner, v *Value, as converters) (*Value, *mismatch) {
	content := k.content(p, v, as)
	if content == nil {
		return nil, p.misfit(as[0], "a pointer on one side alone", v)
	}
	v.Loss[v.Outer.Out()] = "whether it was nil or zero"
	name, _ := as.first()
	spoke, hub := content.types.Spoke, content.types.Hub
	if name == "" && (spoke.Kind() == resolve.Struct) != (hub.Kind() == resolve.Struct) && !p.rules.Hooked(spoke, hub) {
		return nil, p.differ(v)
	}
	k, bad := p.intent(v, name)
	if bad != nil {
		return nil, bad
	}
	elem, bad := content.plan()
	if bad == nil && (p.takesElsewhere(elem) || elem.traits().selects && elem.Elem == nil) {
		k.OnlyIfSet[v.Outer.In()] = fields.SetOf(v.At(v.Outer).Elem())
	}
	return v.as(k, elem, bad)
}

// intent decides whether a zero value becomes a pointer. If JSON omits zero, the pointer is nil. If JSON always writes
// it, only the author knows whether it has a meaning.
func (p *valuePlanner) intent(v *Value, name string) (k Optional, bad *mismatch) {
	plain := v.At(v.Outer.Other())
	pointer, field := p.fields.Across(v.Outer)
	// An API server replaces nil by the default.
	replaced := !p.element && pointer.Type == v.At(v.Outer) && limits.ReplacesNil(pointer) && !(p.missing && v.Outer == Hub)
	switch {
	case name == "optional" && replaced && len(limits.OfField(field).RefusingZero(plain)) == 0:
		return k, &mismatch{rule: RuleDefault,
			message: fmt.Sprintf("optional makes nil of the zero value, and an API server makes the default %s of nil", schema.Default(pointer)), hint: p.optionalHint(v.Outer, pointer)}
	case name == "" && replaced:
		k.ZeroInWhole = true
	case name != "":
		k.ZeroIsNil, k.ZeroInWhole = name != "pointer", name == "pointer" && !p.element
	case p.element:
	case field.OmitEmpty || field.OmitZero || plain.Kind() == resolve.Struct:
		k.ZeroIsNil = true
	default:
		return k, &mismatch{rule: RuleMismatch, message: fmt.Sprintf("the zero value of %s, which has no omitempty, may mean nothing or zero", plain),
			hint: fmt.Sprintf("%s has nil for zero, %s keeps it a value", p.using("optional"), p.using("pointer"))}
	}
	if k.ZeroIsNil || k.ZeroInWhole {
		if k.Plain = fields.SetOf(plain); field.Type == plain {
			k.Plain = fields.FieldSet(field)
		}
	}
	return k, nil
}

// optionalHint returns the markers to use in place of optional where the pointer has a default.
func (p *valuePlanner) optionalHint(outer Side, pointer *resolve.Field) string {
	hint := p.using("pointer") + " keeps zero a value"
	if text := strings.Trim(schema.Default(pointer), "\"'`"); outer == Hub && pointer.Type.Target().Kind() == resolve.Basic {
		hint += fmt.Sprintf("; %s beside optional makes the default of zero", p.spot().Valued(model.Default, text))
	}
	return hint
}

func (k Optional) traits(v *Value) traits {
	return traits{needs: sides.Towards(v.Outer, Needs{Context: k.ZeroInWhole}, Needs{})}
}

func (Optional) schema(s *Schema, v *Value, f facts)       { s.addValue(v.Elem, f) }
func (Optional) expression(Body, *Value, operand) jen.Code { return nil }

func (k Optional) bounds(b bounds, v *Value, values Sides[limits.Value], part string) {
	b.zeroless[v.Outer.In()] = b.zeroless[v.Outer.In()] || k.ZeroIsNil
	b.value(v.Elem, values, part)
}

func (k Optional) emit(b Body, v *Value, src, dst operand) {
	if v.Outer != b.To.To() {
		b.WhenSet(src, src.Value().Op("!=").Nil(), func(b Body) { v.Elem.emit(b, block.Target(src.Value()), dst) })
		return
	}
	set := func(b Body) { k.OnlyIfSet.emit(b, v, src, dst) }
	switch {
	case k.ZeroIsNil:
		if wrap, ok := v.Elem.Kind.(Wrap); ok && wrap.Plain != nil && wrap.Plain.Test == k.Plain.Test {
			src.Known = true
			b.Given(b.IsSet(k.Plain, src), set)
			return
		}
		b.WhenSet(src, b.IsSet(k.Plain, src), set)
	case k.ZeroInWhole:
		b.WhenSet(src, b.IsSet(k.Plain, src).Op("||").Add(b.Whole()), set)
	default:
		set(b)
	}
}

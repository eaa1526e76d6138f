// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// Convert writes the statements that convert two structs, from src to dst.
func (b Body) Convert(p *Pair) {
	var claims []*Claim
	for _, c := range p.Claims {
		if c.Within == nil {
			claims = append(claims, c)
		} else if !slices.Contains(claims, c.Within) {
			claims = append(claims, c.Within)
		}
	}
	b.claims(claims, target(jen.Id("src")), target(jen.Id("dst")), claims)
	// The defaults below may belong to fields behind pointers, or depend on other fields. All claims that can set
	// those fields must come first.
	for _, c := range p.Claims {
		switch {
		case c.DefaultsLast() && b.to == c.DefaultTo():
			b.setDefault(c)
		case c.Below(b.to) && c.ZeroBelow(b.to) && (c.Unless == nil || b.to == FromHub):
			b.zeroBelow(c)
		}
	}
	for _, h := range p.FieldHooks() {
		if h.To != b.to {
			continue
		}
		call := jen.Id("c").Dot("hooks").Dot(h.Name).Call(jen.Id("ctx"), jen.Id("src"), jen.Id("dst"))
		if h.Field != "" {
			b.at(h.Field).call(": ", call)
			continue
		}
		b.group.If(jen.Err().Op(":=").Add(call), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
	}
	if p.Needs(b.to).Error {
		b.group.Return(jen.Nil())
	}
}

// claims writes the conversions of some of a struct's fields; whole are the claims of the whole struct. Fields behind
// the same pointer of src are in one block, and so are fields behind the same pointer of dst.
func (b Body) claims(claims []*Claim, src, dst operand, whole []*Claim) {
	for len(claims) > 0 {
		if p, block, rest := b.behindPointer(claims, func(c *Claim) pointer { return c.sourcePointer(b.to, src) }); len(block) > 1 {
			b.given(p.code.Clone().Op("!=").Nil(), func(b Body) { b.claims(block, src.with(p.path), dst, whole) })
			claims = rest
			continue
		}
		if p, block, rest := b.behindPointer(claims, func(c *Claim) pointer { return c.targetPointer(b.to, src, dst) }); len(block) > 1 {
			b.claimsBehind(p, block, src, dst, whole)
			claims = rest
			continue
		}
		c := claims[0]
		b.claim(c, src, dst)
		if c.HasDefault() && b.to == c.DefaultTo() && !c.DefaultsLast() {
			b.setDefault(c)
		}
		claims = claims[1:]
	}
}

// behindPointer divides claims into a block and the rest. The block contains the first claim and all others with the
// same pointer, except for claims that must follow one of the rest. It is empty if the first claim has no pointer.
func (b Body) behindPointer(claims []*Claim, pointerOf func(*Claim) pointer) (p pointer, block, rest []*Claim) {
	p = pointerOf(claims[0])
	if p.path == "" {
		return p, nil, nil
	}
	for _, c := range claims {
		if pointerOf(c).path == p.path && !c.follows(rest, b.to) {
			block = append(block, c)
		} else {
			rest = append(rest, c)
		}
	}
	return p, block, rest
}

// follows reports whether a claim must follow one of the others, because it sets a part of the other's field.
func (c *Claim) follows(others []*Claim, d Direction) bool {
	return slices.ContainsFunc(others, func(o *Claim) bool { return o.Value != nil && c.To(d).IsIn(o.To(d)) })
}

// sourcePointer returns the first pointer in the claim's path in src, or the field itself, that may be nil. It returns
// zero if there is none, or if the claim has a default that applies when the pointer is nil.
func (c *Claim) sourcePointer(d Direction, src operand) pointer {
	if c.Value == nil || c.HasDefault() || c.isEntry() {
		return pointer{}
	}
	from := c.From(d)
	to, pointers := src.down(from)
	if len(pointers) > 0 {
		return pointers[0]
	}
	if c.Value.convertsTarget(d) && !slices.Contains(src.made, from.String()) {
		return pointer{code: to.code, path: from.String()}
	}
	return pointer{}
}

// targetPointer returns the first pointer in the claim's path in dst that may be nil. It returns zero if there is none,
// or if more than this field of src determines whether the pointer is set.
func (c *Claim) targetPointer(d Direction, src, dst operand) pointer {
	if c.Value == nil || c.Found[d] != nil || c.HasDefault() && !c.DefaultsLast() || c.Unless != nil || c.isEntry() {
		return pointer{}
	}
	_, sources := src.down(c.From(d))
	_, pointers := dst.down(c.To(d))
	if len(sources) > 0 || len(pointers) == 0 {
		return pointer{}
	}
	return pointers[0]
}

// claimsBehind writes the conversions of fields behind one pointer of dst. The generated code sets the pointer if one
// of the fields is set.
func (b Body) claimsBehind(p pointer, block []*Claim, src, dst operand, whole []*Claim) {
	set := codes(block, func(c *Claim) *jen.Statement {
		from := c.From(b.to)
		field, _ := src.down(from)
		return b.isSet(fields.FieldSet(from.Last()), field)
	})
	b.given(anyOf(set), func(b Body) {
		isOnly := !slices.ContainsFunc(whole, func(c *Claim) bool {
			return c.Value != nil && strings.HasPrefix(c.To(b.to).String()+".", p.path+".") && !slices.Contains(block, c)
		})
		if isOnly {
			b.group.Add(p.code.Clone()).Op("=").New(b.Type(p.to))
		} else {
			b.make([]pointer{p})
		}
		b.claims(block, src, dst.with(p.path), whole)
	})
}

// claim writes the conversion of a field of src.
func (b Body) claim(c *Claim, src, dst operand) {
	switch {
	case c.Value == nil:
		b.unconverted(c)
		return
	case c.isEntry():
		c.Value.emit(b.at(c.From(b.to).String()), src, dst)
		return
	}
	from, to := c.Ends(b.to)
	isReached, isMade, around := slices.Contains(src.made, from.String()), len(dst.made) > 0, src
	src, pointers := src.down(from)
	src.known = src.known || isReached
	conditions := notNil(pointers)
	if c.Unless != nil && b.to == ToHub {
		conditions = append(conditions, b.isUnset(c.Unless, around))
	}
	dst, parents := dst.down(to)
	if len(parents) > 0 || isMade && (len(conditions) > 0 || !c.Value.keepsZero(fields.FieldSet(from.Last()))) {
		conditions = append(conditions, b.isSet(fields.FieldSet(from.Last()), src))
		src.known = true
	}
	b.at(from.String()).when(conditions, func(b Body) {
		if c.Found[b.to] == nil {
			b.make(parents)
			c.Value.emit(b, src, dst)
			return
		}
		found := b.declare("found", c.Value.To(b.to))
		c.Value.emit(b, src, found)
		b.given(b.isSet(c.Found[b.to], found), func(b Body) {
			b.make(parents)
			b.set(dst, found.value())
		})
	})
}

// unconverted writes a comment for a field of src without a counterpart. A drop deletes an entry of metadata, which was
// copied with the others.
func (b Body) unconverted(c *Claim) {
	from := c.From(b.to)
	switch {
	case from == nil || c.Functions[b.to]:
	case c.Verb == model.Drop:
		b.add(b.Comment("%s is given up: %s.", from, strings.TrimSuffix(c.Reason, ".")))
		if c.Entry != "" {
			entries, _ := target(jen.Id("dst")).down(from)
			b.group.Delete(entries.value(), jen.Lit(c.Entry))
		}
	case c.HasDefault():
		value := "its default"
		if _, isMetadata := c.Default.(Metadata); c.Default != nil && !isMetadata && len(c.Cases) == 0 {
			value = fmt.Sprintf("%#v", c.Default)
		}
		b.add(b.Comment("%s is kept in the annotation where it is not %s.", from, value))
	default:
		b.add(b.Comment("%s is kept in the annotation.", from))
	}
}

// zeroBelow sets a pointer inside another pointer's struct to the zero value, if other fields have created that
// struct.
func (b Body) zeroBelow(c *Claim) {
	_, sources := target(jen.Id("src")).down(c.From(b.to))
	dst, pointers := target(jen.Id("dst")).down(c.To(b.to))
	conditions := slices.Concat(notNil(sources), notNil(pointers), []jen.Code{dst.value().Op("==").Nil(), b.whole()})
	b.when(conditions, func(b Body) { b.set(dst, jen.New(b.Type(c.Value.Elem.To(b.to)))) })
}

// setDefault sets a field's default if the field is not set.
func (b Body) setDefault(c *Claim) {
	for _, of := range c.Cases {
		with, pointers := target(jen.Id("dst")).down(of.With)
		b.setDefaultIf(c, of.Default, append(notNil(pointers), b.isSet(fields.FieldSet(of.With.Last()), with)))
	}
	if c.Default != nil {
		b.setDefaultIf(c, c.Default, nil)
	}
}

// setDefaultIf sets a field's default if the field is not set and the conditions inCase hold.
func (b Body) setDefaultIf(c *Claim, value any, inCase []jen.Code) {
	to := c.To(c.DefaultTo())
	dst, pointers := target(jen.Id("dst")).down(to)
	unset := b.test(fields.SetOf(to.Last().Type), dst, false)
	b.when(slices.Concat(notNil(pointers), []jen.Code{unset}, inCase, []jen.Code{b.whole()}), func(b Body) {
		code, literal := jen.Lit(value), fmt.Sprintf("%T", value)
		if metadata, ok := value.(Metadata); ok {
			code, literal = b.metadata(metadata), "string"
		}
		if elem := to.Last().Type.Elem(); elem != nil {
			make := b.Runtime("Pointer")
			if elem.Package != "" || elem.Name != literal {
				make.Types(b.Type(elem))
			}
			code = make.Call(code)
		}
		b.set(dst, code)
	})
}

// metadata returns a metadata value of the converted object.
func (b Body) metadata(of Metadata) *jen.Statement {
	getter := "Get" + model.Upper(strings.TrimPrefix(string(of), "metadata."))
	return b.Runtime("ObjectOf").Types(b.Qualified(fields.MetaPackage, "Object")).Call(jen.Id("ctx")).Dot(getter).Call()
}

// FieldHook is a function of the user for two structs in a direction. Its field is empty if it completes the struct.
type FieldHook struct {
	Name, Field string
	To          Direction
}

// FieldHooks returns the functions of the user for two structs in the order of the calls.
func (p *Pair) FieldHooks() []FieldHook {
	var hooks []FieldHook
	add := func(functions Ways[bool], goName, field string) {
		for _, d := range sides.Directions() {
			if functions[d] {
				hooks = append(hooks, FieldHook{model.Upper(p.HookName) + goName + d.Suffix(), field, d})
			}
		}
	}
	for _, c := range p.Claims {
		add(c.Functions, c.Field().Last().Name, c.Field().String())
	}
	add(p.After, "", "")
	return hooks
}

// HookName returns the name of a function of the user for all values of two types. It contains both names or, if they
// are equal, one name and the direction.
func (t Types) HookName(d Direction) string {
	if t.Spoke.Name == t.Hub.Name {
		return t.Spoke.Name + d.Suffix()
	}
	return t.From(d).Name + "To" + t.To(d).Name
}

// Function returns the function of a pair or kind: a method of Converter if the pair needs hooks.
func (p *Pair) Function(name string, d Direction) *jen.Statement {
	if p.NeedsHooks() {
		return jen.Id("c").Dot(name + d.Suffix())
	}
	return jen.Id(name + d.Suffix())
}

// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/block"
	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// Emit writes the statements that convert two structs, from src to dst.
func (p *Pair) Emit(b Body) {
	var claims []*Claim
	for _, c := range p.Claims {
		if c.Within == nil {
			claims = append(claims, c)
		} else if !slices.Contains(claims, c.Within) {
			claims = append(claims, c.Within)
		}
	}
	emitClaims(b, claims, block.Target(jen.Id("src")), block.Target(jen.Id("dst")), claims)
	// The defaults below may belong to fields behind pointers, or depend on other fields. All claims that can set
	// those fields must come first.
	for _, c := range p.Claims {
		switch {
		case c.DefaultsLast() && b.To == c.DefaultTo():
			c.emitDefault(b)
		case c.Below(b.To) && c.ZeroBelow(b.To) && (c.Unless == nil || b.To == FromHub):
			c.emitZero(b)
		}
	}
	for _, h := range p.FieldHooks() {
		if h.To != b.To {
			continue
		}
		call := jen.Id("c").Dot("hooks").Dot(h.Name).Call(jen.Id("ctx"), jen.Id("src"), jen.Id("dst"))
		if h.Field != "" {
			b.At(h.Field).Call(": ", call)
			continue
		}
		b.Group.If(jen.Err().Op(":=").Add(call), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
	}
	if p.Needs(b.To).Error {
		b.Group.Return(jen.Nil())
	}
}

// emitClaims writes the conversions of some of a struct's fields; whole are the claims of the whole struct. Fields
// behind the same pointer of src are in one block, and so are fields behind the same pointer of dst.
func emitClaims(b Body, claims []*Claim, src, dst operand, whole []*Claim) {
	for len(claims) > 0 {
		if p, group, rest := behindPointer(b.To, claims, func(c *Claim) pointer { return c.sourcePointer(b.To, src) }); len(group) > 1 {
			b.Given(p.Code.Clone().Op("!=").Nil(), func(b Body) { emitClaims(b, group, src.With(p.Path), dst, whole) })
			claims = rest
			continue
		}
		if p, group, rest := behindPointer(b.To, claims, func(c *Claim) pointer { return c.targetPointer(b.To, src, dst) }); len(group) > 1 {
			emitBehind(b, p, group, src, dst, whole)
			claims = rest
			continue
		}
		c := claims[0]
		c.emit(b, src, dst)
		if c.HasDefault() && b.To == c.DefaultTo() && !c.DefaultsLast() {
			c.emitDefault(b)
		}
		claims = claims[1:]
	}
}

// behindPointer divides claims into a group and the rest. The group contains the first claim and all others with the
// same pointer, except for claims that must follow one of the rest. It is empty if the first claim has no pointer.
func behindPointer(d Direction, claims []*Claim, pointerOf func(*Claim) pointer) (p pointer, group, rest []*Claim) {
	p = pointerOf(claims[0])
	if p.Path == "" {
		return p, nil, nil
	}
	for _, c := range claims {
		if pointerOf(c).Path == p.Path && !c.follows(rest, d) {
			group = append(group, c)
		} else {
			rest = append(rest, c)
		}
	}
	return p, group, rest
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
	to, pointers := src.Down(from)
	if len(pointers) > 0 {
		return pointers[0]
	}
	if c.Value.convertsTarget(d) && !slices.Contains(src.Made, from.String()) {
		return pointer{Code: to.Code, Path: from.String()}
	}
	return pointer{}
}

// targetPointer returns the first pointer in the claim's path in dst that may be nil. It returns zero if there is none,
// or if more than this field of src determines whether the pointer is set.
func (c *Claim) targetPointer(d Direction, src, dst operand) pointer {
	if c.Value == nil || c.Found[d] != nil || c.HasDefault() && !c.DefaultsLast() || c.Unless != nil || c.isEntry() {
		return pointer{}
	}
	_, sources := src.Down(c.From(d))
	_, pointers := dst.Down(c.To(d))
	if len(sources) > 0 || len(pointers) == 0 {
		return pointer{}
	}
	return pointers[0]
}

// emitBehind writes the conversions of fields behind one pointer of dst. The generated code sets the pointer if one
// of the fields is set.
func emitBehind(b Body, p pointer, group []*Claim, src, dst operand, whole []*Claim) {
	set := block.Codes(group, func(c *Claim) *jen.Statement {
		from := c.From(b.To)
		field, _ := src.Down(from)
		return b.IsSet(fields.FieldSet(from.Last()), field)
	})
	b.Given(block.AnyOf(set), func(b Body) {
		isOnly := !slices.ContainsFunc(whole, func(c *Claim) bool {
			return c.Value != nil && strings.HasPrefix(c.To(b.To).String()+".", p.Path+".") && !slices.Contains(group, c)
		})
		if isOnly {
			b.Group.Add(p.Code.Clone()).Op("=").New(b.Type(p.To))
		} else {
			b.Make([]pointer{p})
		}
		emitClaims(b, group, src, dst.With(p.Path), whole)
	})
}

// emit writes the conversion of a field of src.
func (c *Claim) emit(b Body, src, dst operand) {
	switch {
	case c.Value == nil:
		c.emitUnconverted(b)
		return
	case c.isEntry():
		c.Value.emit(b.At(c.From(b.To).String()), src, dst)
		return
	}
	from, to := c.Ends(b.To)
	isReached, isMade, around := slices.Contains(src.Made, from.String()), len(dst.Made) > 0, src
	src, pointers := src.Down(from)
	src.Known = src.Known || isReached
	conditions := block.NotNil(pointers)
	if c.Unless != nil && b.To == ToHub {
		conditions = append(conditions, b.IsUnset(c.Unless, around))
	}
	dst, parents := dst.Down(to)
	if len(parents) > 0 || isMade && (len(conditions) > 0 || !c.Value.keepsZero(fields.FieldSet(from.Last()))) {
		conditions = append(conditions, b.IsSet(fields.FieldSet(from.Last()), src))
		src.Known = true
	}
	b.At(from.String()).When(conditions, func(b Body) {
		if c.Found[b.To] == nil {
			b.Make(parents)
			c.Value.emit(b, src, dst)
			return
		}
		found := b.Declare("found", c.Value.To(b.To))
		c.Value.emit(b, src, found)
		b.Given(b.IsSet(c.Found[b.To], found), func(b Body) {
			b.Make(parents)
			b.Set(dst, found.Value())
		})
	})
}

// emitUnconverted writes a comment for a field of src without a counterpart. A drop deletes an entry of metadata, which
// was copied with the others.
func (c *Claim) emitUnconverted(b Body) {
	from := c.From(b.To)
	switch {
	case from == nil || c.Functions[b.To]:
	case c.Verb == model.Drop:
		b.Add(b.Comment("%s is given up: %s.", from, strings.TrimSuffix(c.Reason, ".")))
		if c.Entry != "" {
			entries, _ := block.Target(jen.Id("dst")).Down(from)
			b.Group.Delete(entries.Value(), jen.Lit(c.Entry))
		}
	case c.HasDefault():
		value := "its default"
		if _, isMetadata := c.Default.(Metadata); c.Default != nil && !isMetadata && len(c.Cases) == 0 {
			value = fmt.Sprintf("%#v", c.Default)
		}
		b.Add(b.Comment("%s is kept in the annotation where it is not %s.", from, value))
	default:
		b.Add(b.Comment("%s is kept in the annotation.", from))
	}
}

// emitZero sets a pointer inside another pointer's struct to the zero value, if other fields have created that
// struct.
func (c *Claim) emitZero(b Body) {
	_, sources := block.Target(jen.Id("src")).Down(c.From(b.To))
	dst, pointers := block.Target(jen.Id("dst")).Down(c.To(b.To))
	conditions := slices.Concat(block.NotNil(sources), block.NotNil(pointers), []jen.Code{dst.Value().Op("==").Nil(), b.Whole()})
	b.When(conditions, func(b Body) { b.Set(dst, jen.New(b.Type(c.Value.Elem.To(b.To)))) })
}

// emitDefault sets a field's default if the field is not set.
func (c *Claim) emitDefault(b Body) {
	for _, of := range c.Cases {
		with, pointers := block.Target(jen.Id("dst")).Down(of.With)
		c.emitDefaultIf(b, of.Default, append(block.NotNil(pointers), b.IsSet(fields.FieldSet(of.With.Last()), with)))
	}
	if c.Default != nil {
		c.emitDefaultIf(b, c.Default, nil)
	}
}

// emitDefaultIf sets a field's default if the field is not set and the conditions inCase hold.
func (c *Claim) emitDefaultIf(b Body, value any, inCase []jen.Code) {
	to := c.To(c.DefaultTo())
	dst, pointers := block.Target(jen.Id("dst")).Down(to)
	unset := b.Test(fields.SetOf(to.Last().Type), dst, false)
	b.When(slices.Concat(block.NotNil(pointers), []jen.Code{unset}, inCase, []jen.Code{b.Whole()}), func(b Body) {
		code, literal := jen.Lit(value), fmt.Sprintf("%T", value)
		if metadata, ok := value.(Metadata); ok {
			code, literal = metadata.code(b), "string"
		}
		if elem := to.Last().Type.Elem(); elem != nil {
			make := b.Runtime("Pointer")
			if elem.Package != "" || elem.Name != literal {
				make.Types(b.Type(elem))
			}
			code = make.Call(code)
		}
		b.Set(dst, code)
	})
}

// code returns the metadata value of the converted object.
func (of Metadata) code(b Body) *jen.Statement {
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
	taken := map[string]bool{}
	for _, c := range p.Claims {
		if c.Functions == sides.Both(false) {
			continue
		}
		names := c.hookNames()
		isShared := func(o *Claim) bool { return o != c && o.Functions != sides.Both(false) && o.hookNames()[0] == names[0] }
		if slices.ContainsFunc(p.Claims, isShared) {
			names = names[1:]
		}
		name := names[0]
		for i := 2; taken[name]; i++ {
			name = fmt.Sprint(names[0], i)
		}
		taken[name] = true
		add(c.Functions, name, c.Field().String())
	}
	add(p.After, "", "")
	return hooks
}

// hookNames returns two names for the functions of a field: its Go name, and the names of all fields that lead to it.
// The key of an entry of metadata is a part of them.
func (c *Claim) hookNames() []string {
	path, whole := c.Field(), ""
	for _, f := range path {
		whole += f.Name
	}
	_, key, _ := fields.EntryKey(path)
	return []string{path.Last().Name + model.Camel(key[strings.LastIndexByte(key, '/')+1:]), whole + model.Camel(key)}
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

// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/block"
	"github.com/webhook-gen/webhook-gen/generator/internal/limits"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// Entry converts between a value and the text of a metadata entry, or between two entries. The content of the value is
// a Rename if rules rename values of an enum.
type Entry struct {
	// Keys are the keys of the entries, by side. A key is empty if the side has no entry.
	Keys Sides[string]
	// Parse is the function that reads the text. It is empty if the text is JSON.
	Parse string
	// Paths lead to the fields or entries.
	Paths Sides[Path]
}

func (k Entry) String() string { return k.Keys.Spoke + " " + k.Keys.Hub }

func (Entry) matches(c candidate) bool { return c.entries != Sides[string]{} }

func (k Entry) plan(p *valuePlanner, v *Value, as converters) (*Value, *mismatch) {
	k.Keys, k.Paths = p.entries, sides.New(p.path, p.hubPath)
	side := sides.Of(k.Keys.Spoke != "") // the side of the field
	field, isJSON := v.At(side), slices.Equal(as, converters{"json"}) && k.Keys.At(side) == ""
	switch {
	case isJSON:
		v.Loss[side.Out()] = "whether it was empty or absent"
	case field.IsText():
		k.Parse = "ParseText"
	case field.IsWhole():
		k.Parse = "ParseInteger"
	case field.IsBool():
		k.Parse = "ParseBool"
	}
	if p.hasRenames() && k.Parse == "ParseText" && len(as) == 0 && k.Keys.At(side) == "" {
		elem, bad := Rename{}.plan(p, &Value{Types: v.Types}, nil)
		return v.as(k, elem, bad)
	}
	if !isJSON && (k.Parse == "" || len(as) > 0 || p.hasRenames()) {
		return nil, &mismatch{rule: RuleConverter, message: "an entry of metadata is for text, a whole number or a bool as they are, and for the rest as JSON",
			hint: p.usingOnly("json") + " writes JSON; " + p.byHand()}
	}
	return v.as(k, nil, nil)
}

func (Entry) content(*valuePlanner, *Value, converters) *content { return nil }
func (k Entry) traits(*Value) (t traits) {
	for _, d := range sides.Directions() {
		isJSON := k.Parse == "" && k.Keys.From(d) == "" // FromEntryJSON returns no error
		t.needs[d] = Needs{isJSON, isJSON}
	}
	return t
}

func (Entry) schema(*Schema, *Value, facts)                      {}
func (Entry) bounds(bounds, *Value, Sides[limits.Value], string) {}
func (Entry) expression(Body, *Value, operand) jen.Code          { return nil }

// emit converts a field of src to an entry, or back. The object's metadata has been copied to dst before.
func (k Entry) emit(b Body, v *Value, src, dst operand) {
	fromKey, toKey := k.Keys.Ends(b.To)
	from, to := k.Paths.Ends(b.To)
	if fromKey != "" {
		src = dst
	}
	src, srcPointers := src.Down(from)
	dst, dstPointers := dst.Down(to)
	switch {
	case fromKey != "" && toKey != "":
		b.Group.Add(b.Runtime("MoveEntry")).Call(src.Address(), dst.Address(), jen.Lit(fromKey), jen.Lit(toKey))
	case toKey != "":
		b.When(block.NotNil(srcPointers), func(b Body) {
			args := []jen.Code{dst.Address(), jen.Lit(toKey), src.Value()}
			switch {
			case v.Elem != nil:
				b.Group.BlockFunc(func(g *jen.Group) {
					b := b.In(g)
					renamed := b.Declare("renamed", v.To(b.To))
					v.Elem.emit(b, src, renamed)
					g.Add(b.Runtime("ToEntry")).Call(args[0], args[1], renamed.Value())
				})
			case k.Parse == "":
				b.Checked(b.Runtime("ToEntryJSON").Call(args...))
			default:
				b.Group.Add(b.Runtime("ToEntry")).Call(args...)
			}
		})
	case len(dstPointers) == 0 && v.Elem == nil:
		b.Add(k.read(b, dst.Address(), src, fromKey))
	default:
		value, t := block.Target(jen.Id("value")), v.To(b.To)
		if v.Elem != nil {
			t = v.From(b.To)
		}
		b.Group.If(jen.Id("value").Op(":=").New(b.Type(t)), k.read(b, value.Address(), src, fromKey)).BlockFunc(func(g *jen.Group) {
			b := b.In(g)
			b.Make(dstPointers)
			if v.Elem != nil {
				v.Elem.emit(b, value, dst)
			} else {
				b.Set(dst, value.Value())
			}
		})
	}
}

// read reads an entry into a variable.
func (k Entry) read(b Body, into jen.Code, src operand, key string) *jen.Statement {
	if k.Parse == "" {
		return b.Runtime("FromEntryJSON").Call(into, src.Address(), jen.Lit(key))
	}
	return b.Runtime("FromEntry").Call(into, src.Address(), jen.Lit(key), b.Runtime(k.Parse))
}

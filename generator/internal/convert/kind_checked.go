// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/hint"
	"github.com/webhook-gen/webhook-gen/generator/internal/limits"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// Checked calls a function of the package conversion, which fails if the value does not fit.
type Checked struct {
	// Funcs are the functions by direction. Argument is their additional argument.
	Funcs    Ways[string]
	Argument string
	// OmitsZero checks, for each direction, whether the source is set. It is used if JSON omits a zero value, so
	// that the call is omitted too; otherwise it is nil.
	OmitsZero Ways[*Set]
}

func (k Checked) String() string { return fmt.Sprint(k.Funcs[ToHub], " ", k.Argument) }

func (Checked) matches(c candidate) bool {
	if c.converter == "" {
		return c.areBoth(resolve.Basic) && c.Spoke.IsWhole() && c.Hub.IsWhole()
	}
	return slices.Contains([]string{"seconds", "string", "join", "json"}, c.converter)
}

func (k Checked) plan(p *valuePlanner, v *Value, as converters) (*Value, *mismatch) {
	name, argument := as.first()
	if bad := p.single(as); bad != nil {
		return nil, bad
	}
	switch name {
	case "seconds":
		side := sides.Of(v.Hub.IsWhole())
		number, duration := v.Across(side)
		if !duration.Is(fields.MetaPackage, "Duration") || !number.IsWhole() {
			return nil, p.misfit(name, "a metav1.Duration and a whole number", v)
		}
		k.Funcs, v.Loss[side.In()] = sides.Towards(side, "ToSeconds", "FromSeconds"), "parts of a second"
	case "join":
		side := sides.Of(v.Hub.IsText())
		text, list := v.Across(side)
		if list.Kind() != resolve.Slice || !list.Elem().IsText() || !text.IsText() {
			return nil, p.misfit(name, "a list of strings and a string", v)
		}
		k.Funcs, k.Argument, v.Loss[side.In()] = sides.Towards(side, "Join", "Split"), argument, "whether it was nil or empty"
	case "json":
		return k.json(p, v)
	case "string":
		for _, d := range sides.Directions() {
			if t, f := v.From(d), p.fields.From(d); (f.OmitEmpty || f.OmitZero) && (t.IsWhole() || t.IsBool()) {
				k.OmitsZero[d] = fields.SetOf(t)
			}
		}
		side := sides.Of(v.Hub.IsText())
		text, value := v.Across(side)
		word, loss := hint.Textual(value)
		if word == "" || !text.IsText() {
			return nil, p.misfit(name, "a whole number, bool, Quantity, Duration or IntOrString and a string", v)
		}
		k.Funcs, v.Loss = sides.Towards(side, "Format"+word, "Parse"+word), sides.Towards(side, loss, "how it was written")
	default:
		k.Funcs = sides.Both("Integer")
	}
	return v.as(k, nil, nil)
}

// json plans the conversion between any value and its JSON. The text loses its formatting and the members that the type
// does not have.
func (k Checked) json(p *valuePlanner, v *Value) (*Value, *mismatch) {
	if limits.IsBlob(v.Spoke) == limits.IsBlob(v.Hub) {
		return nil, p.misfit("json", "a string, []byte, RawExtension or JSON on one side", v)
	}
	v.Outer = sides.Of(limits.IsBlob(v.Hub))
	k.Funcs = sides.Towards(v.Outer, "FormatJSON", "ParseJSON")
	v.Loss = sides.Towards(v.Outer, "whether it was empty or absent", "how it was written, and what the type does not have")
	blob := v.At(v.Outer)
	if blob.Kind() != resolve.Struct {
		return v.as(k, nil, nil)
	}
	raw := slices.IndexFunc(blob.Fields(), func(f *resolve.Field) bool { return f.Name == "Raw" })
	return v.as(Wrap{Member: Path{blob.Fields()[raw]}}, &Value{Kind: k, Types: v.Types}, nil)
}

func (Checked) content(*valuePlanner, *Value, converters) *content { return nil }
func (k Checked) traits(*Value) traits {
	return traits{needs: Ways[Needs]{ToHub: {k.OmitsZero[ToHub] == nil, true}, FromHub: {k.OmitsZero[FromHub] == nil, true}}}
}

func (Checked) schema(*Schema, *Value, facts)             {}
func (Checked) expression(Body, *Value, operand) jen.Code { return nil }

func (k Checked) bounds(b bounds, _ *Value, values Sides[limits.Value], part string) {
	if k.Funcs == sides.Both("Integer") {
		b.compare(values, part)
	}
}

func (k Checked) emit(b Body, _ *Value, src, dst operand) {
	args := []jen.Code{dst.Address(), src.Value()}
	if k.Argument != "" {
		args = append(args, jen.Lit(k.Argument))
	}
	call := b.Runtime(k.Funcs[b.To]).Call(args...)
	if set := k.OmitsZero[b.To]; set != nil {
		b.WhenSet(src, b.IsSet(set, src), func(b Body) { b.Call(": ", call) })
	} else {
		b.Checked(call)
	}
}

// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/block"
	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/limits"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// Tuple converts between text and a struct. Each of the Texts has its values of some members.
type Tuple struct{ Texts []TupleText }

// TupleText is a text and the members that it becomes.
type TupleText struct {
	Text    string
	Members constants
}

func (k Tuple) String() string {
	text := "tuple:"
	for _, t := range k.Texts {
		text += t.Text + "=" + t.Members.String() + ";"
	}
	return text
}

func (Tuple) matches(c candidate) bool { return c.isNamed("tuple") }

func (k Tuple) plan(p *valuePlanner, v *Value, as converters) (*Value, *mismatch) {
	plain, outside, skip := p.around(v, v.Spoke.Kind() != resolve.Struct)
	field, argument := p.fields.At(v.Outer.Other()), as.argument()
	names := strings.Split(argument, ",")
	values := sides.Facing(v.Outer, strings.Repeat("x,", len(names)-1)+"x", "a")
	example := fmt.Sprintf(`+webhook:conversion:enum(from: %q, to: %q) names a text and its values`, values.Spoke, values.Hub)
	switch bad := p.single(as); {
	case outside.Kind() != resolve.Struct && bad == nil:
		return nil, p.misfit("tuple", "text and a struct", v)
	case outside.Kind() == resolve.Struct && !plain.IsText():
		return nil, p.misfit(as[0], "text and a struct", v)
	case bad != nil:
		return nil, bad
	case p.renames == nil:
		return nil, &mismatch{rule: RuleConverter, message: "tuple lacks its values", hint: example}
	}
	limits := limits.In(plain, field)
	texts := p.valuesOf(plain, limits)
	for _, r := range p.renames {
		list, text := sides.New(r.From, r.To).Across(v.Outer)
		values := strings.Split(list, ",")
		if text == "" || len(values) != len(names) || strings.Join(values, "") == "" {
			return nil, &mismatch{rule: RuleEnum, message: fmt.Sprintf("%q is not %d values of %s for a text", list, len(names), argument), hint: example}
		}
		if !limits.Allows(text) {
			return nil, &mismatch{rule: RuleRefused, message: fmt.Sprintf("the markers of %s refuse the value %q", field.JSON, text), hint: "choose a value that its Enum, bounds, lengths and pattern allow"}
		}
		of := TupleText{Text: text}
		for i, name := range names {
			if values[i] == "" { // the member has its zero value
				found, ok := fields.Lookup(outside, name)
				if !ok || !found.Last().Type.IsText() {
					return nil, p.misfit(as[0], fmt.Sprintf("text and a struct with a member %q of text", name), v)
				}
				of.Members = append(of.Members, Constant{found, ""})
				continue
			}
			member, bad := p.constants(v, "text and a struct", outside, name+"="+values[i], as[0])
			if bad != nil {
				return nil, bad
			}
			of.Members = append(of.Members, member...)
		}
		k.Texts = append(k.Texts, of)
		skip = of.Members.addTo(skip)
	}
	for _, value := range texts {
		if value == "" {
			continue // no text, and zero values
		}
		if !slices.ContainsFunc(k.Texts, func(o TupleText) bool { return o.Text == value }) {
			return nil, &mismatch{rule: RuleEnum, message: fmt.Sprintf("%s has no values for %q", outside, value), hint: example}
		}
	}
	v.Loss = sides.Towards(v.Outer, "texts without values of their own", "values without a text")
	if hasOthers(outside, nil, skip) {
		v.Loss[v.Outer.Out()] = "values without a text, and other members"
	}
	return v.as(k, nil, nil)
}

func (Tuple) content(*valuePlanner, *Value, converters) *content { return nil }
func (Tuple) schema(*Schema, *Value, facts)                      {}
func (Tuple) bounds(bounds, *Value, Sides[limits.Value], string) {}
func (Tuple) expression(Body, *Value, operand) jen.Code          { return nil }

func (k Tuple) traits(*Value) traits {
	t := traits{selects: true}
	for _, text := range k.Texts {
		for _, m := range text.Members {
			if m.Value == "" {
				t.members = append(t.members, m.Member)
			}
		}
	}
	return t
}

func (k Tuple) emit(b Body, v *Value, src, dst operand) {
	if v.Outer != b.To.To() {
		b.Group.Switch().Block(block.Codes(k.Texts, func(t TupleText) *jen.Statement {
			conditions, _ := t.Members.conditions(src)
			return jen.Case(block.All(conditions)).Add(dst.Value()).Op("=").Lit(t.Text)
		})...)
		return
	}
	b.Group.Switch(src.Value()).BlockFunc(func(g *jen.Group) {
		for i, t := range k.Texts {
			if slices.ContainsFunc(k.Texts[:i], func(before TupleText) bool { return before.Text == t.Text }) {
				continue
			}
			g.Case(jen.Lit(t.Text)).BlockFunc(func(g *jen.Group) {
				slices.DeleteFunc(slices.Clone(t.Members), func(c Constant) bool { return c.Value == "" }).emit(b.In(g), dst)
			})
		}
	})
}

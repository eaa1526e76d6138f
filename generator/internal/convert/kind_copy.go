// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"bytes"
	"path/filepath"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/hint"
	"github.com/webhook-gen/webhook-gen/generator/internal/limits"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// DeepCopyInto calls the type's method of that name, so that the two objects share no memory.
type DeepCopyInto struct {
	// Nilable is true if the value may be nil. The methods of deepcopy-gen turn nil into an empty list or map.
	Nilable bool
}

func (DeepCopyInto) String() string { return "" }

func (DeepCopyInto) matches(c candidate) bool {
	return c.isCopy && (c.deepCopies(c.Spoke) || c.Spoke.IsHidden())
}

func (DeepCopyInto) plan(p *valuePlanner, v *Value, _ converters) (*Value, *mismatch) {
	t := v.Spoke
	if !p.deepCopies(t) {
		return nil, &mismatch{rule: RuleMismatch, message: t.String() + " has fields that only its own package can copy, and no method DeepCopyInto",
			hint: "give it the method, for example with controller-gen object, or use " + p.spot().Marker(model.Custom)}
	}
	return v.as(DeepCopyInto{Nilable: t.Kind() == resolve.Map || t.Kind() == resolve.Slice}, nil, nil)
}

func (DeepCopyInto) content(*valuePlanner, *Value, converters) *content { return nil }
func (DeepCopyInto) traits(*Value) traits                               { return traits{same: always} }
func (DeepCopyInto) schema(*Schema, *Value, facts)                      {}
func (DeepCopyInto) expression(Body, *Value, operand) jen.Code          { return nil }

func (DeepCopyInto) bounds(b bounds, _ *Value, values Sides[limits.Value], part string) {
	b.same(values, part)
}

func (k DeepCopyInto) emit(b Body, _ *Value, src, dst operand) {
	copied := src.Code.Clone().Dot("DeepCopyInto").Call(dst.Address())
	if !k.Nilable {
		b.Add(copied)
		return
	}
	b.WhenSet(src, src.Value().Op("!=").Nil(), func(b Body) { b.Add(copied) })
}

// DeepCopy is like DeepCopyInto for a method that returns its copy.
type DeepCopy struct{}

func (DeepCopy) String() string { return "" }

func (DeepCopy) matches(c candidate) bool {
	return c.isCopy && c.Spoke.Is(hint.QuantityPackage, "Quantity")
}

func (DeepCopy) plan(_ *valuePlanner, v *Value, _ converters) (*Value, *mismatch) {
	return v.as(DeepCopy{}, nil, nil)
}

func (DeepCopy) content(*valuePlanner, *Value, converters) *content { return nil }
func (DeepCopy) traits(*Value) traits                               { return traits{same: always} }
func (DeepCopy) schema(*Schema, *Value, facts)                      {}

func (DeepCopy) bounds(b bounds, _ *Value, values Sides[limits.Value], part string) {
	b.same(values, part)
}

func (DeepCopy) expression(_ Body, _ *Value, src operand) jen.Code {
	return src.Code.Clone().Dot("DeepCopy").Call()
}

func (k DeepCopy) emit(b Body, v *Value, src, dst operand) { b.Set(dst, k.expression(b, v, src)) }

// deepCopies reports whether a type has the method DeepCopyInto. The method is written by hand, or by deepcopy-gen or
// controller-gen. Both write it to a file of the same name, which the resolver does not read.
func (p *planner) deepCopies(t *resolve.Type) bool {
	if t.File == nil {
		return false
	}
	file := filepath.Join(filepath.Dir(t.File.Path), "zz_generated.deepcopy.go")
	text, read := p.deepCopyFiles[file]
	if !read {
		text = load.ReadText(file).Content
		p.deepCopyFiles[file] = text
	}
	return bytes.Contains(text, []byte("func (in *"+t.Name+") DeepCopyInto(")) ||
		bytes.Contains(text, []byte("func (in "+t.Name+") DeepCopyInto(")) || t.HasMethod("DeepCopyInto")
}

// flat reports whether assigning a value copies all of it.
func flat(t *resolve.Type) bool {
	return t.ConsistsOf(func(t *resolve.Type) bool {
		return t.Kind() == resolve.Basic || t.Is("time", "Time")
	})

}

// noteEmbedded finds structs of one type that both sides embed and that no rule is about. They are copied whole, with
// members that the type may get later.
func (p *pairPlanner) noteEmbedded() {
	for _, f := range p.Spoke.Fields() {
		i := slices.IndexFunc(p.Hub.Fields(), func(g *resolve.Field) bool { return g.Inline && resolve.Identical(f.Type, g.Type) })
		if !f.Inline || i < 0 || f.Type.Kind() != resolve.Struct || f.Type.EncodesItself() || f.Type.IsHidden() || p.rules.Names(f.Type) {
			continue
		}
		v := &Value{Types: typesOf(sides.New(f.Type, f.Type))}
		whole := &Claim{Sides: sides.New(Path{f}, Path{p.Hub.Fields()[i]}), Value: v}
		var parts []*Claim
		for _, c := range p.Claims {
			if c.copies(whole) {
				parts = append(parts, c)
			}
		}
		switch {
		case len(parts) < len(fields.Of(f.Type, nil)):
			continue
		case flat(f.Type):
			v.Kind = Assign{}
		case p.deepCopies(f.Type):
			v.Kind = DeepCopyInto{}
		default:
			continue
		}
		for _, c := range parts {
			c.Within = whole
		}
	}
}

// copies reports whether a claim copies a member of an embedded struct, because of its name.
func (c *Claim) copies(whole *Claim) bool {
	if c.Value == nil || c.Verb != "" || c.Default != nil || c.Spoke[0] != whole.Spoke[0] || c.Hub[0] != whole.Hub[0] {
		return false
	}
	return c.Value.Same && slices.Equal(c.Spoke[1:], c.Hub[1:]) && c.Value.isSame(map[*Pair]bool{})
}

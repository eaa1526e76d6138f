// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// noteEmbedded finds structs of one type that both sides embed and that no rule is about. They are copied whole, with
// members that the type may get later.
func (p *pairPlanner) noteEmbedded() {
	for _, f := range p.Spoke.Fields() {
		i := slices.IndexFunc(p.Hub.Fields(), func(g *resolve.Field) bool { return g.Inline && resolve.Identical(f.Type, g.Type) })
		if !f.Inline || i < 0 || f.Type.Kind() != resolve.Struct || f.Type.EncodesItself() || f.Type.IsHidden() || p.rules.Names(f.Type) {
			continue
		}
		v := &Value{Types: typesOf(f.Type, f.Type)}
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

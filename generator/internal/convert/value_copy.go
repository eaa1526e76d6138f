// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"bytes"
	"path/filepath"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// copied plans a type used on both sides, so that the two objects share no memory.
func (p *valuePlanner) copied(v *Value) (*Value, *mismatch) {
	t := v.Spoke
	switch {
	case isText(t):
		return v.as(Assign{}, nil, p.total(v)) // the fields may have an Enum of their own
	case flat(t):
		return v.as(Assign{}, nil, nil)
	case isNamed(t, quantityPackage, "Quantity"):
		return v.as(DeepCopy{}, nil, nil)
	case p.deepCopies(t):
		return v.as(DeepCopyInto{Nilable: t.Kind() == resolve.Map || t.Kind() == resolve.Slice}, nil, nil)
	case hidden(t):
		return nil, &mismatch{rule: RuleMismatch, message: t.String() + " has fields that only its own package can copy, and no method DeepCopyInto",
			hint: "give it the method, for example with controller-gen object, or use " + p.spot().marker(model.Custom)}
	}
	return p.structural(v)
}

// noteEmbedded finds structs of one type that both sides embed and that no rule is about. They are copied whole, with
// members that the type may get later.
func (p *pairPlanner) noteEmbedded() {
	for _, f := range p.Spoke.Fields() {
		i := slices.IndexFunc(p.Hub.Fields(), func(g *resolve.Field) bool { return g.Inline && resolve.Identical(f.Type, g.Type) })
		if !f.Inline || i < 0 || f.Type.Kind() != resolve.Struct || encodesItself(f.Type) || hidden(f.Type) || p.rules.names(f.Type) {
			continue
		}
		v := &Value{Types: typesOf(f.Type, f.Type)}
		whole := &Claim{Sides: Sides[Path]{Path{f}, Path{p.Hub.Fields()[i]}}, Value: v}
		var parts []*Claim
		for _, c := range p.Claims {
			if c.copies(whole) {
				parts = append(parts, c)
			}
		}
		switch {
		case len(parts) < len(members(f.Type, nil)):
			continue
		case flat(f.Type):
			v.How = Assign{}
		case p.deepCopies(f.Type):
			v.How = DeepCopyInto{}
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

const quantityPackage = "k8s.io/apimachinery/pkg/api/resource"

// flat reports whether assigning a value copies all of it.
func flat(t *resolve.Type) bool {
	return consistsOf(t, func(t *resolve.Type) bool {
		return t.Kind() == resolve.Basic || isNamed(t, "time", "Time") // the location of a time never changes
	})
}

// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// Direction is one of the two ways between a spoke and its hub.
type Direction int

const (
	// ToHub leads from the spoke to the hub.
	ToHub Direction = iota
	// FromHub leads from the hub to the spoke.
	FromHub
)

func (d Direction) String() string {
	if d == ToHub {
		return "to the hub"
	}
	return "from the hub"
}

// Pair is a struct of the spoke and its counterpart in the hub.
type Pair struct {
	Spoke, Hub *resolve.Type
	Types      Types
	// Name is unique in the package: the spoke's type with a small letter.
	Name   string
	Claims []*Claim
	// Opaque says that the types encode themselves, so that JSON has no members for their fields.
	Opaque bool
}

// Claim says what becomes of a field.
type Claim struct {
	// Spoke and Hub lead to the field in each of the two structs; nil where a side has none.
	Spoke, Hub Path
	// Verb is the rule's; empty where the names are the same, and Stash where a field of the hub is kept.
	Verb model.Verb
	// Value says how the value converts; nil where it does not.
	Value *Value
	// Set tells for each direction whether the source is set, where there are pointers on the way to the other side's
	// field.
	Set [2]*Set
	// SpokeOthers and HubOthers are further fields of each side that a custom rule takes care of.
	SpokeOthers, HubOthers []Path
	// Default is what the field of the hub is where the spoke says nothing: a string, bool or int; nil for none.
	Default any
	// Reason is a drop's, and Entry the key of the entry of metadata that it gives up; empty for a field.
	Reason, Entry string
}

// Path leads from a struct to a field of it or of a struct in it.
type Path []*resolve.Field

// String is the path in JSON names.
func (p Path) String() string {
	var names []string
	for _, f := range p {
		if !f.Inline {
			names = append(names, f.JSON)
		}
	}
	if len(names) == 0 && len(p) > 0 {
		return p[len(p)-1].Name
	}
	return strings.Join(names, ".")
}

// Last is the field itself.
func (p Path) Last() *resolve.Field { return p[len(p)-1] }

// loss says what is lost of the value, or of what it holds, in a direction; empty where nothing is.
func (v *Value) loss(d Direction, seen map[*Pair]bool) string {
	if v.Loss[d] != "" {
		return v.Loss[d]
	}
	if pair := v.Pair(); pair != nil && pair.lossy(d, seen) {
		return "parts of it"
	}
	if v.Elem != nil {
		return v.Elem.loss(d, seen)
	}
	return ""
}

// hookLoss is what may be lost where the user's own code converts.
const hookLoss = "what your functions lose"

// Loss says what the other side cannot say of the field in a direction; empty where it can say all.
func (c *Claim) Loss(d Direction) string { return c.loss(d, map[*Pair]bool{}) }

func (c *Claim) loss(d Direction, seen map[*Pair]bool) string {
	switch {
	case c.Verb == model.Drop:
		return ""
	case c.Verb == model.Custom && c.Spoke != nil:
		return hookLoss
	case c.Value == nil && (d == ToHub) == (c.Spoke != nil):
		return "all of it"
	case c.Value == nil:
		return ""
	}
	return c.Value.loss(d, seen)
}

// Calls reports whether your own code converts the field in a direction. What only the hub has is
// made of the rest of the spoke, and nothing is to be done with it on the way back.
func (c *Claim) Calls(d Direction) bool {
	return c.Verb == model.Custom && (c.Spoke != nil || d == ToHub)
}

// isCustom reports whether your own code converts the field, or what it holds.
func (c *Claim) isCustom() bool {
	return c.Verb == model.Custom || c.Value.holds(func(h How) bool { return h == Hook{} })
}

// Field is the field that the claim is about: the spoke's, or the hub's where only that has it.
func (c *Claim) Field() Path {
	if c.Spoke != nil {
		return c.Spoke
	}
	return c.Hub
}

func (p *Pair) lossy(d Direction, seen map[*Pair]bool) bool {
	if seen[p] {
		return false
	}
	seen[p] = true
	for _, c := range p.Claims {
		if c.loss(d, seen) != "" {
			return true
		}
	}
	return false
}

// Lossy reports whether a direction can lose anything, which a stash then has to keep.
func (p *Plan) Lossy(d Direction) bool { return p.Root.lossy(d, map[*Pair]bool{}) }

// NeedsHooks reports whether a custom rule takes part in converting the pair.
func (p *Pair) NeedsHooks() bool {
	return p.any((*Claim).isCustom, map[*Pair]bool{})
}

// NeedsObject reports whether converting the pair asks for the object that it is a part of.
func (p *Pair) NeedsObject() bool {
	return p.any(func(c *Claim) bool {
		return c.Default != nil || c.Value.holds(func(h How) bool { o, ok := h.(Optional); return ok && o.ZeroInWhole }) || c.isCustom()
	}, map[*Pair]bool{})
}

// any reports whether it is so of a claim of the pair or of a pair inside it.
func (p *Pair) any(is func(*Claim) bool, seen map[*Pair]bool) bool {
	if seen[p] {
		return false
	}
	seen[p] = true
	for _, c := range p.Claims {
		if is(c) {
			return true
		}
		for v := c.Value; v != nil; v = v.Elem {
			if pair := v.Pair(); pair != nil && pair.any(is, seen) {
				return true
			}
		}
	}
	return false
}

// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"cmp"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/limits"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// Pair is a struct of the spoke and its counterpart in the hub.
type Pair struct {
	Types
	// Name is unique in the package: the name of the spoke's type with a small letter.
	Name string
	// HookName is the first part of the names of its hooks. Pairs of the same two structs have the same hooks, even if
	// rules on enclosing structs claim different fields of them.
	HookName string
	Claims   []*Claim
	// After is true for each direction in which a function of the user completes the struct after its rules.
	After Ways[bool]
	// Opaque is true if the types encode themselves, so that JSON has no members for their fields.
	Opaque bool
	// IsRoot is true for the types of two versions of a kind. The runtime calls their functions.
	IsRoot bool
}

// Claim describes the conversion of a field.
type Claim struct {
	// Spoke and Hub lead to the field in each of the two structs. A path is nil if that side does not have the field.
	Sides[Path]
	// Verb is the rule's verb. It is empty if the names are the same, and Stash if a field of the hub is kept.
	Verb model.Verb
	// Value describes how the value converts; nil if it does not convert.
	Value *Value
	// Found checks, for each direction, whether an element of a list has given the destination a value. It is needed if
	// pointers lead to the destination, because no struct is made for a missing element. Otherwise it is nil.
	Found Ways[*Set]
	// Others are the additional fields of a custom rule.
	Others Sides[[]Path]
	// Same are values of an enum that one side alone has, and that stay what they are; * stands for all.
	Same []string
	// Default is the value of the hub's field if the spoke does not set it, or of a field that only the spoke has: a
	// string, bool, int or Metadata. It is nil without a default. Cases have precedence.
	Default any
	Cases   []Case
	// Unless is the spoke's field that keeps the value out of the hub if it is set. It is nil without such a field.
	Unless Path
	// Functions is true for each direction in which a function of the user converts the field.
	Functions Ways[bool]
	// Within copies the identical embedded struct that has the field on both sides. It is nil for other fields.
	Within *Claim
	// Reason is the reason of a drop. Entry is the key of the metadata entry that it drops; empty for a field.
	Reason, Entry string
}

// Case is a default for objects in which another field of the same struct is set.
type Case struct {
	Default any
	With    Path
}

// Metadata is a default that an object's metadata has, such as metadata.namespace.
type Metadata string

// isEntry reports whether the claim converts an entry of metadata.
func (c *Claim) isEntry() bool {
	_, isEntry := entryOf(c)
	return isEntry
}

// HasDefault reports whether a marker sets a default.
func (c *Claim) HasDefault() bool { return c.Default != nil || len(c.Cases) > 0 }

// DefaultTo returns the direction in which the default applies.
func (c *Claim) DefaultTo() Direction {
	if c.Hub == nil {
		return FromHub
	}
	return ToHub
}

// DefaultsLast reports whether the default depends on other fields, so that it applies after their conversion.
func (c *Claim) DefaultsLast() bool {
	return c.HasDefault() && (c.Below(c.DefaultTo()) || len(c.Cases) > 0)
}

// loss describes the loss of the value, or of its content, in a direction. It is empty if nothing is lost.
func (v *Value) loss(d Direction, seen map[*Pair]bool) string {
	own, inner := v.Loss[d], ""
	if pair := v.Pair(); pair != nil && pair.lossy(d, seen) {
		inner = "parts of it"
	} else if v.Elem != nil {
		inner = v.Elem.loss(d, seen)
	}
	if own == "" || inner == "" || own == inner {
		return cmp.Or(own, inner)
	}
	return own + ", and " + inner
}

// Loss describes the part of the field that the other side cannot hold, in a direction. It is empty if nothing is lost.
func (c *Claim) Loss(d Direction) string { return c.loss(d, map[*Pair]bool{}) }

func (c *Claim) loss(d Direction, seen map[*Pair]bool) string {
	switch {
	case c.Verb == model.Drop:
		return ""
	case c.Functions == sides.Both(true):
		return HookLoss
	case c.Value == nil && (d == ToHub) == (c.Spoke != nil):
		return "all of it"
	case c.Value == nil:
		return ""
	}
	return c.Value.loss(d, seen)
}

// Below reports whether pointers lead to the field on the destination side of a direction.
func (c *Claim) Below(d Direction) bool {
	path := c.To(d)
	return path != nil && path.HasPointers()
}

// ZeroBelow reports whether a zero value becomes a pointer to zero in a struct behind a pointer. Zero does not make the
// struct, but in a struct that something else makes, an API server would make the default of nil.
func (c *Claim) ZeroBelow(d Direction) bool {
	if c.Value == nil {
		return false
	}
	how, ok := c.Value.Kind.(Optional)
	return ok && c.Value.Outer == d.To() && how.ZeroInWhole && limits.ReplacesNil(c.To(d).Last()) && c.Value.Elem.To(d).Kind() == resolve.Basic
}

// isCustom reports whether the user's own code converts the field, or its content.
func (c *Claim) isCustom() bool {
	return c.Functions != sides.Both(false) || c.IsHooked()
}

// IsHooked reports whether the user's own code converts the field, or its content, by its type.
func (c *Claim) IsHooked() bool {
	return c.Value.holds(func(v *Value) bool { return v.Kind == Hook{} })
}

// Field returns the spoke's field, or the hub's if only the hub has the field.
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
	// The user's own code that completes a struct may lose anything.
	return p.completed() || slices.ContainsFunc(p.Claims, func(c *Claim) bool { return c.loss(d, seen) != "" })
}

// Lossy reports whether a direction can lose anything. If so, a stash has to keep it.
func (p *Plan) Lossy(d Direction) bool {
	return p.Root.lossy(d, map[*Pair]bool{}) || len(p.Schemas.From(d).Annotations)+len(p.Schemas.From(d).Labels) > 0
}

// NeedsHooks reports whether a custom rule takes part in converting the pair.
func (p *Pair) NeedsHooks() bool {
	return p.any((*Claim).isCustom)
}

// NeedsObject reports whether converting the pair needs the object that contains it.
func (p *Pair) NeedsObject() bool {
	return p.any(func(c *Claim) bool {
		return c.HasDefault() || c.Value.holds(func(v *Value) bool { how, ok := v.Kind.(Optional); return ok && how.ZeroInWhole }) || c.isCustom()
	})
}

// Needs are the needs of the function that converts a pair in a direction: a context, and an error if it fails.
type Needs struct{ Context, Error bool }

// Needs returns the needs of the pair's function: its own, and the needs of the functions that it calls. The runtime's
// and the user's own functions have both.
func (p *Pair) Needs(d Direction) (n Needs) {
	if p.IsRoot {
		return Needs{true, true}
	}
	add := func(more Needs) { n = Needs{n.Context || more.Context, n.Error || more.Error} }
	p.any(func(c *Claim) bool {
		add(Needs{c.Functions[d] || c.HasDefault() && d == c.DefaultTo(), c.Functions[d]})
		for v := c.Value; v != nil; v = v.Elem {
			add(v.traits().needs[d])
		}
		return n == Needs{true, true}
	})
	return n
}

// completed reports whether functions of the user complete the struct.
func (p *Pair) completed() bool { return p.After != sides.Both(false) }

// any reports whether is returns true for a claim of the pair or of a pair inside it. Functions that complete a pair
// are like a claim without a field.
func (p *Pair) any(is func(*Claim) bool) bool {
	return slices.ContainsFunc(p.All(), func(in *Pair) bool {
		return in.completed() && is(&Claim{Functions: in.After}) || slices.ContainsFunc(in.Claims, is)
	})
}

// All returns the pair and the pairs inside it, each once.
func (p *Pair) All() (all []*Pair) {
	seen := map[*Pair]bool{nil: true}
	var add func(*Pair)
	add = func(p *Pair) {
		if seen[p] {
			return
		}
		seen[p], all = true, append(all, p)
		for _, c := range p.Claims {
			inner, _ := c.Value.Inner()
			add(inner)
		}
	}
	add(p)
	return all
}

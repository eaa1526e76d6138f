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

// Op is a way for a value to convert.
type Op int

const (
	// Assign is Go's own assignment or conversion.
	Assign Op = iota
	// DeepCopyInto and DeepCopy call the type's method of that name.
	DeepCopyInto
	// DeepCopy is the same for a method that returns its copy.
	DeepCopy
	// Checked calls a function of the package conversion, whose names for the directions are in Value.Funcs.
	Checked
	// Call converts a pair of structs.
	Call
	// Each converts the elements of a list or an array.
	Each
	// Entries converts the values of a map.
	Entries
	// Pointer converts what two pointers point to.
	Pointer
	// Optional converts a value and what a pointer points to.
	Optional
	// Rename exchanges values of an enum.
	Rename
	// Not turns a bool round.
	Not
	// First converts a value and the first element of a list.
	First
	// Wrap converts a value and the member of a struct.
	Wrap
	// Keyed converts a map and a list whose elements have the map's key as a member.
	Keyed
	// Element converts a value and the element of a list that constants tell from the others.
	Element
	// Entry converts a value and the text of an entry of metadata, or the texts of two.
	Entry
	// Hook has the user's own code convert all values of the two types.
	Hook
)

// Value says how a value of the spoke and one of the hub convert into each other.
type Value struct {
	Op         Op
	Spoke, Hub *resolve.Type
	// Elem is what an Op does with what its values hold: elements, a pointer's target, a member.
	Elem *Value
	// Pair is that of Call.
	Pair *Pair
	// Funcs are those of Checked, by direction, and Argument what they take besides.
	Funcs    [2]string
	Argument string
	// Member leads to what Wrap wraps, or to the key in the elements of Keyed.
	Member Path
	// Entries are the keys of Entry, by side as a direction has its source; empty for a side that has none.
	Entries [2]string
	// JSON says that the text of Entry is JSON.
	JSON bool
	// Constants are what tells the element of Element.
	Constants []Constant
	// Renames are the pairs of Rename, by direction.
	Renames [2][]Renaming
	// Outer leads to the side that has the pointer, list or struct of Optional, First, Wrap, Keyed and Element.
	Outer Direction
	// OmitsZero says for each direction that JSON leaves a zero value of the source out, so that Checked does too.
	OmitsZero [2]bool
	// OnlyIfSet says that Pointer and Optional make no pointer to a struct of which nothing is set: rules
	// take other fields of it elsewhere.
	OnlyIfSet bool
	// EmptyIsNil says for each direction that an empty list or map becomes none, because JSON leaves it
	// out on the other side alone.
	EmptyIsNil [2]bool
	// ZeroIsNil says that Optional makes no pointer of a zero value, and ZeroInWhole that it makes one only in
	// a whole object: in a part, nobody said the zero.
	ZeroIsNil, ZeroInWhole bool
	// Loss says for each direction what of the value itself is lost; empty where nothing is.
	Loss [2]string
}

// Constant is a member of an element that always has the same value.
type Constant struct {
	Member Path
	Value  any // a string, bool or int
}

// Renaming is a value of an enum and what it becomes.
type Renaming struct{ From, To string }

// loss says what is lost of the value, or of what it holds, in a direction; empty where nothing is.
func (v *Value) loss(d Direction, seen map[*Pair]bool) string {
	if v.Loss[d] != "" {
		return v.Loss[d]
	}
	if v.Pair != nil && v.Pair.lossy(d, seen) {
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
	return c.Verb == model.Custom || c.holds(func(v *Value) bool { return v.Op == Hook })
}

// holds reports whether it is so of the field's value or of one that it holds.
func (c *Claim) holds(is func(*Value) bool) bool {
	for v := c.Value; v != nil; v = v.Elem {
		if is(v) {
			return true
		}
	}
	return false
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
		return c.Default != nil || c.holds(func(v *Value) bool { return v.ZeroInWhole }) || c.isCustom()
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
			if v.Pair != nil && v.Pair.any(is, seen) {
				return true
			}
		}
	}
	return false
}

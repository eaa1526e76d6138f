// SPDX-License-Identifier: Apache-2.0

package convert

import "github.com/webhook-gen/webhook-gen/generator/internal/resolve"

// Value says how a value of the spoke and one of the hub convert into each other.
type Value struct {
	Types
	How How
	// Elem is what How does with what the values hold: elements, a pointer's target, a member; nil where they hold
	// nothing.
	Elem *Value
	// Loss says for each direction what of the value itself is lost; empty where nothing is.
	Loss [2]string

	spoke, hub *resolve.Type
}

// How is a way for a value to convert: one of the types below.
type How interface{ how() }

type (
	// Assign is Go's own assignment or conversion.
	Assign struct{}
	// DeepCopyInto and DeepCopy call the type's method of that name.
	DeepCopyInto struct {
		// Nilable says that the value may be nil, of which the methods of deepcopy-gen make an empty list or map.
		Nilable bool
	}
	// DeepCopy is the same for a method that returns its copy.
	DeepCopy struct{}
	// Not turns a bool round.
	Not struct{}
	// Hook has the user's own code convert all values of the two types.
	Hook struct{}
	// Checked calls a function of the package conversion.
	Checked struct {
		// Funcs are the functions by direction, and Argument what they take besides.
		Funcs    [2]string
		Argument string
		// OmitsZero tells for each direction whether the source is set, where JSON leaves a zero value out, so that the
		// call does too; nil where it does not.
		OmitsZero [2]*Set
	}
	// Call converts a pair of structs.
	Call struct{ Pair *Pair }
	// Each converts the elements of a list or an array.
	Each struct {
		EmptyIsNil
		IsArray bool
	}
	// Entries converts the values of a map, and Keys are the types of its keys.
	Entries struct {
		EmptyIsNil
		Keys Types
	}
	// Keyed converts a map and a list whose elements have the map's key as a member.
	Keyed struct {
		EmptyIsNil
		// Outer leads to the side that has the list, and Member to the key in its elements.
		Outer  Direction
		Member Path
		Keys   Types
	}
	// Pointer converts what two pointers point to.
	Pointer struct{ OnlyIfSet }
	// Optional converts a value and what a pointer points to.
	Optional struct {
		OnlyIfSet
		// Outer leads to the side that has the pointer.
		Outer Direction
		// Plain tells whether the value is set; nil where nothing asks.
		Plain *Set
		// ZeroIsNil says that there is no pointer to a zero value, and ZeroInWhole that there is one only in a whole
		// object: in a part, nobody said the zero.
		ZeroIsNil, ZeroInWhole bool
	}
	// Rename exchanges values of an enum: the pairs of it, by direction.
	Rename [2][]Renaming
	// First converts a value, of which Plain tells whether it is set, and the first element of a list, to whose side
	// Outer leads.
	First struct {
		Outer Direction
		Plain *Set
	}
	// Wrap converts a value and the member of a struct, to whose side Outer leads. Plain is nil where no pointer leads
	// to the member.
	Wrap struct {
		Outer  Direction
		Member Path
		Plain  *Set
	}
	// Element converts a value and the element that Constants tell from the others of a list, to whose side Outer leads.
	Element struct {
		Outer     Direction
		Plain     *Set
		Constants []Constant
	}
	// Entry converts a value and the text of an entry of metadata, or the texts of two.
	Entry struct {
		// Keys are those of the entries, by side as a direction has its source; empty for a side that has none.
		Keys [2]string
		// Parse is the function that reads the text; empty where that is JSON.
		Parse string
	}
)

// EmptyIsNil says for each direction that an empty list or map becomes none, because JSON leaves it out on the other
// side alone.
type EmptyIsNil [2]bool

// OnlyIfSet tells for each direction whether anything of a struct is set, where there is no pointer to it otherwise:
// rules take other fields of it elsewhere. It is nil where there always is one.
type OnlyIfSet [2]*Set

func (Assign) how()       {}
func (DeepCopyInto) how() {}
func (DeepCopy) how()     {}
func (Not) how()          {}
func (Hook) how()         {}
func (Checked) how()      {}
func (Call) how()         {}
func (Each) how()         {}
func (Entries) how()      {}
func (Keyed) how()        {}
func (Pointer) how()      {}
func (Optional) how()     {}
func (Rename) how()       {}
func (First) how()        {}
func (Wrap) how()         {}
func (Element) how()      {}
func (Entry) how()        {}

// Constant is a member of an element that always has the same value.
type Constant struct {
	Member Path
	Value  any // a string, bool or int
}

// Renaming is a value of an enum and what it becomes.
type Renaming struct{ From, To string }

// side is the type of the side that has the hub's value, or the spoke's, as a direction has its destination.
func (v *Value) side(to Direction) *resolve.Type {
	if to == ToHub {
		return v.hub
	}
	return v.spoke
}

// Pair is the pair of structs that Call converts; nil for another value.
func (v *Value) Pair() *Pair {
	call, _ := v.How.(Call)
	return call.Pair
}

// holds reports whether it is so of a value or of one that it holds.
func (v *Value) holds(is func(How) bool) bool {
	for ; v != nil; v = v.Elem {
		if is(v.How) {
			return true
		}
	}
	return false
}

// as makes a way to convert that of the value, and elem what is in it.
func (v *Value) as(how How, elem *Value, bad *mismatch) (*Value, *mismatch) {
	v.How, v.Elem = how, elem
	return v, bad
}

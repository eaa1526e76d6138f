// SPDX-License-Identifier: Apache-2.0

package convert

import "github.com/webhook-gen/webhook-gen/generator/internal/resolve"

// Value says how a value of the spoke and one of the hub convert into each other.
type Value struct {
	Spoke, Hub *resolve.Type
	How        How
	// Elem is what How does with what the values hold: elements, a pointer's target, a member; nil where they hold nothing.
	Elem *Value
	// Loss says for each direction what of the value itself is lost; empty where nothing is.
	Loss [2]string
}

// How is a way for a value to convert: one of the types below.
type How interface{ how() }

type (
	// Assign is Go's own assignment or conversion.
	Assign struct{}
	// DeepCopyInto and DeepCopy call the type's method of that name.
	DeepCopyInto struct{}
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
		// OmitsZero says for each direction that JSON leaves a zero value of the source out, so that the call does too.
		OmitsZero [2]bool
	}
	// Call converts a pair of structs.
	Call struct{ Pair *Pair }
	// Each converts the elements of a list or an array.
	Each struct{ EmptyIsNil }
	// Entries converts the values of a map.
	Entries struct{ EmptyIsNil }
	// Keyed converts a map and a list whose elements have the map's key as a member.
	Keyed struct {
		EmptyIsNil
		// Outer leads to the side that has the list, and Member to the key in its elements.
		Outer  Direction
		Member Path
	}
	// Pointer converts what two pointers point to.
	Pointer struct{ OnlyIfSet bool }
	// Optional converts a value and what a pointer points to.
	Optional struct {
		// Outer leads to the side that has the pointer.
		Outer Direction
		// OnlyIfSet says, as in Pointer, that there is no pointer to a struct of which nothing is set: rules take other fields
		// of it elsewhere.
		OnlyIfSet bool
		// ZeroIsNil says that there is no pointer to a zero value, and ZeroInWhole that there is one only in a whole object: in a
		// part, nobody said the zero.
		ZeroIsNil, ZeroInWhole bool
	}
	// Rename exchanges values of an enum: the pairs of it, by direction.
	Rename [2][]Renaming
	// First converts a value and the first element of a list, to whose side Outer leads.
	First struct{ Outer Direction }
	// Wrap converts a value and the member of a struct, to whose side Outer leads.
	Wrap struct {
		Outer  Direction
		Member Path
	}
	// Element converts a value and the element that Constants tell from the others of a list, to whose side Outer leads.
	Element struct {
		Outer     Direction
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

// EmptyIsNil says for each direction that an empty list or map becomes none, because JSON leaves it out on the other side alone.
type EmptyIsNil [2]bool

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

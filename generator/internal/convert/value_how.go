// SPDX-License-Identifier: Apache-2.0

package convert

// Value describes how a value of the spoke and a value of the hub convert into each other.
type Value struct {
	Types
	How How
	// Elem is the conversion of the values' content: elements, a pointer's target, a member. It is nil if the values
	// have no content.
	Elem *Value
	// Outer is the side with the list, the pointer or the struct, if the other side has a plain value or
	// a map.
	Outer Side
	// EmptyIsNil is true for each direction in which an empty list or map becomes nil. This happens if only the other
	// side's JSON omits it.
	EmptyIsNil Ways[bool]
	// Loss describes, for each direction, the loss of the value itself. It is empty if nothing is lost.
	Loss Ways[string]
}

// How is a way of converting a value: one of the types below.
type How any

type (
	// Assign is Go's own assignment or conversion.
	Assign struct{}
	// DeepCopyInto and DeepCopy call the type's method of that name.
	DeepCopyInto struct {
		// Nilable is true if the value may be nil. The methods of deepcopy-gen turn nil into an empty list or map.
		Nilable bool
	}
	// DeepCopy is like DeepCopyInto for a method that returns its copy.
	DeepCopy struct{}
	// Not negates a bool.
	Not struct{}
	// Hook converts all values of the two types with the user's own code.
	Hook struct{}
	// Checked calls a function of the package conversion.
	Checked struct {
		// Funcs are the functions by direction. Argument is their additional argument.
		Funcs    Ways[string]
		Argument string
		// OmitsZero checks, for each direction, whether the source is set. It is used if JSON omits a zero value, so
		// that the call is omitted too; otherwise it is nil.
		OmitsZero Ways[*Set]
	}
	// Call converts a pair of structs.
	Call struct{ Pair *Pair }
	// Each converts the elements of a list or an array.
	Each struct{}
	// Entries converts the values of a map. Keys are the types of its keys.
	Entries struct{ Keys Types }
	// Keyed converts between a map and a list whose elements have the map's key as a member. Member is the path of the
	// key in the elements.
	Keyed struct {
		Member Path
		Keys   Types
	}
	// Pointer converts the targets of two pointers.
	Pointer struct{ OnlyIfSet }
	// Optional converts between a value and the target of a pointer.
	Optional struct {
		OnlyIfSet
		// Plain checks whether the value is set. It is nil if the check is not needed.
		Plain *Set
		// ZeroIsNil makes a zero value a nil pointer. ZeroInWhole does so only in part of an object, because there
		// nobody has set the zero value.
		ZeroIsNil, ZeroInWhole bool
	}
	// Rename exchanges values of an enum: the pairs of values, by direction.
	Rename Ways[[]Renaming]
	// First converts between a value and the first element of a list.
	First struct{}
	// Wrap converts between a value and a member of a struct. Constants are the values of other members beside a value.
	// Plain checks whether there is a value. It is nil if the check is not needed.
	Wrap struct {
		Member    Path
		Constants []Constant
		Plain     *Set
	}
	// Tuple converts between text and a struct. Each of the Texts has its values of some members.
	Tuple struct{ Texts []TupleText }
	// Parts converts between text and a struct whose members are parts of it. Layout is the text with {} for each part.
	Parts struct {
		Layout string
		Parts  []Part
	}
	// Present converts between a bool and a struct, or a pointer to one. True is a struct whose members have the values
	// of Constants.
	Present struct{ Constants []Constant }
	// Element converts between a value and the list element that Constants identify. Content checks whether the target
	// of a pointer is set; it is nil for other values.
	Element struct {
		Content   *Set
		Constants []Constant
	}
	// Entry converts between a value and the text of a metadata entry, or between two entries.
	Entry struct {
		// Keys are the keys of the entries, by side. A key is empty if the side has no entry.
		Keys Sides[string]
		// Parse is the function that reads the text. It is empty if the text is JSON.
		Parse string
	}
)

// OnlyIfSet checks, for each direction, whether any field of a struct is set; otherwise the pointer to it is nil. It is
// needed if rules move other fields of the struct elsewhere. It is nil if the pointer is always set.
type OnlyIfSet Ways[*Set]

// TupleText is a text and the members that it becomes.
type TupleText struct {
	Text    string
	Members []Constant
}

// Part is a member of a struct that is a part of a text.
type Part struct {
	Member Path
	// Word is what the text has for an absent member.
	Word string
}

// Constant is a member of a struct with a fixed value.
type Constant struct {
	Member Path
	Value  any // a string, bool or int
}

// Renaming is a value of an enum and its new name.
type Renaming struct{ From, To string }

// Pair returns the pair of structs that Call converts, or nil for another value.
func (v *Value) Pair() *Pair {
	call, _ := v.How.(Call)
	return call.Pair
}

// inner returns the pair of structs that the value or its content converts, or nil without one.
func (v *Value) inner() *Pair {
	for ; v != nil; v = v.Elem {
		if pair := v.Pair(); pair != nil {
			return pair
		}
	}
	return nil
}

// holds reports whether is returns true for a value or for its content.
func (v *Value) holds(is func(*Value) bool) bool {
	for ; v != nil; v = v.Elem {
		if is(v) {
			return true
		}
	}
	return false
}

// isSelective reports whether the value converts only if it, or the struct around it, has certain values.
func (v *Value) isSelective() bool {
	switch how := v.How.(type) {
	case Tuple, Parts:
		return true
	case Wrap:
		return len(how.Constants) > 0
	}
	return false
}

// as sets the value's way of converting, and the conversion of its content.
func (v *Value) as(how How, elem *Value, bad *mismatch) (*Value, *mismatch) {
	v.How, v.Elem = how, elem
	return v, bad
}

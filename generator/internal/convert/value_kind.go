// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// Value describes how a value of the spoke and a value of the hub convert into each other.
type Value struct {
	Types
	Kind Kind
	// Elem is the conversion of the values' content: elements, a pointer's target, a member. It is nil if the values
	// have no content.
	Elem *Value
	// Outer is the side with the list, the pointer or the struct, if the other side has a plain value or a map.
	Outer Side
	// EmptyIsNil is true for each direction in which an empty list or map becomes nil. This happens if only the other
	// side's JSON omits it.
	EmptyIsNil Ways[bool]
	// Loss describes, for each direction, the loss of the value itself. It is empty if nothing is lost.
	Loss Ways[string]
}

// Pair returns the pair of structs that Call converts, or nil for another value.
func (v *Value) Pair() *Pair {
	call, _ := v.Kind.(Call)
	return call.Pair
}

// Inner returns the pair of structs that the value or its content converts, or nil without one. The suffix leads from
// the value's path to the structs: [] for elements.
func (v *Value) Inner() (pair *Pair, suffix string) {
	for ; v != nil; v = v.Elem {
		if pair := v.Pair(); pair != nil {
			return pair, suffix
		}
		suffix += v.Suffix()
	}
	return nil, ""
}

// Suffix is [] if both values are lists, arrays or maps, and their elements convert. Otherwise it is empty.
func (v *Value) Suffix() string {
	if v.Outer == "" && v.traits().fills {
		return "[]"
	}
	return ""
}

// isList reports whether both values are lists or arrays, and their elements convert.
func (v *Value) isList() bool { return v.Suffix() != "" && v.Spoke.Kind() != resolve.Map }

// holds reports whether is returns true for a value or for its content.
func (v *Value) holds(is func(*Value) bool) bool {
	for ; v != nil; v = v.Elem {
		if is(v) {
			return true
		}
	}
	return false
}

// isSame reports whether the value is the same in JSON on both sides.
func (v *Value) isSame(seen map[*Pair]bool) bool {
	switch pair := v.Pair(); {
	case v.traits().same != asContent:
		return v.traits().same == always
	case pair != nil:
		return pair.isSame(seen)
	}
	return v.Elem.isSame(seen)
}

func (v *Value) traits() traits { return v.Kind.traits(v) }

// Renames returns the values that have other names in a direction, without those of the content.
func (v *Value) Renames(d Direction) []Renaming { return v.traits().renames[d] }

// isAssigned reports whether an assignment converts the value.
func (v *Value) isAssigned() bool { return v.Kind == Assign{} }

// isCopiedPointer reports whether the value is a pointer, and a copy of its target converts it.
func (v *Value) isCopiedPointer() bool {
	return v.Kind == Pointer{} && v.Elem.isAssigned() && v.Elem.Same
}

// keepsZero reports whether a value that is not set becomes one that is not set, by the assignment that converts it.
func (v *Value) keepsZero(s *Set) bool {
	return v.isCopiedPointer() || v.isAssigned() && s.Test == fields.NotZero && s.Type.Basic() != ""
}

// convertsTarget reports whether the source is a pointer, and the conversion is that of its target.
func (v *Value) convertsTarget(d Direction) bool {
	return v.Elem != nil && v.Elem.Pair() != nil && v.From(d).Kind() == resolve.Pointer
}

// content returns the types of the elements or targets of both values.
func (v *Value) content() Sides[*Type] { return sides.New(v.Spoke.Elem(), v.Hub.Elem()) }

// as sets the value's kind, and the conversion of its content.
func (v *Value) as(kind Kind, elem *Value, bad *mismatch) (*Value, *mismatch) {
	v.Kind, v.Elem = kind, elem
	return v, bad
}

// emit writes the statements that set dst, which is zero so far, from src.
func (v *Value) emit(b Body, src, dst operand) {
	if !v.EmptyIsNil[b.To] {
		v.Kind.emit(b, v, src, dst)
		return
	}
	src.Known = true
	b.Given(jen.Len(src.Value()).Op(">").Lit(0), func(b Body) { v.Kind.emit(b, v, src, dst) })
}

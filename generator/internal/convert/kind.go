// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/limits"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// Kind is a kind of conversion. Each kind has its own file, with all that depends on it.
type Kind interface {
	// String describes the conversion, to tell it from others. It is empty for a conversion by types alone.
	String() string
	// matches reports whether the kind is for the candidate.
	matches(c candidate) bool
	// content returns the content of a value and its converters, or nil without content that fits.
	content(p *valuePlanner, v *Value, as converters) *content
	// plan sets the kind of a value, what it loses, and the conversion of its content. The converters begin with the
	// kind's own, if it has a name.
	plan(p *valuePlanner, v *Value, as converters) (*Value, *mismatch)
	// traits are the parts of the kind that other parts of a plan depend on.
	traits(v *Value) traits
	// schema adds what the stash of a side has to know of the value.
	schema(s *Schema, v *Value, f facts)
	// bounds compares the validation markers of the two values and of their content. part names the content: "[]" for
	// elements.
	bounds(b bounds, v *Value, values Sides[limits.Value], part string)
	// expression returns the converted value, or nil if statements are needed.
	expression(b Body, v *Value, src operand) jen.Code
	// emit writes the statements that set dst, which is zero so far, from src.
	emit(b Body, v *Value, src, dst operand)
}

// kinds returns all kinds, in the order in which they are tried.
func kinds() []Kind {
	return []Kind{
		Hook{}, First{}, Keyed{}, Element{}, Present{}, Tuple{}, Parts{}, Wrap{}, Rename{}, Assign{}, DeepCopy{}, DeepCopyInto{},
		Each{}, Optional{}, Pointer{}, Not{}, Checked{}, Entries{}, Call{},
	}
}

// kind returns the first kind for the candidate, or nil.
func (c candidate) kind() Kind {
	for _, k := range kinds() {
		if k.matches(c) {
			return k
		}
	}
	return nil
}

// content is the content of two values: elements, a pointer's target, a member.
type content struct {
	*valuePlanner
	types Sides[*Type]
	as    converters
}

// plan plans the content as a value.
func (c *content) plan() (*Value, *mismatch) { return c.value(c.types, c.as) }

// traits are facts about a kind.
type traits struct {
	// fills is true if the conversion makes a list or map of the length of another one.
	fills bool
	// picks is true if the value is one element of a list.
	picks bool
	// selects is true if the value converts only if it, or the struct around it, has certain values.
	selects bool
	// members are the members of the struct around a plain value that get their value from it, and may be zero beside
	// others.
	members []Path
	// renames are the values of an enum that have another name on the other side.
	renames Ways[[]Renaming]
	// same tells whether the value is the same in JSON on both sides.
	same sameness
	// needs are the needs of a function that converts such a value.
	needs Ways[Needs]
}

// sameness tells whether a value is the same in JSON on both sides.
type sameness int

const (
	never sameness = iota
	always
	asContent
)

// candidate are two types with the facts that decide on the kind of their conversion.
type candidate struct {
	*valuePlanner
	Types
	// converter is the name of the outermost converter. It is empty without a converter.
	converter string
	// isCopy is true if the two types are the same, and no rule is about them.
	isCopy bool
	// isClosed is true for types whose content does not convert: they encode themselves.
	isClosed bool
}

// isPointer reports whether a side is a pointer.
func (c candidate) isPointer(side Side) bool { return c.At(side).Kind() == resolve.Pointer }

// areBoth reports whether the content of two types of this kind may convert without a converter.
func (c candidate) areBoth(kind resolve.Kind) bool {
	return c.converter == "" && !c.isClosed && c.Spoke.Kind() == kind && c.Hub.Kind() == kind
}

// isNamed reports whether the candidate has a converter for a struct on one side, maybe behind pointers on both sides.
func (c candidate) isNamed(converter string) bool {
	hasStruct := c.Spoke.Kind() == resolve.Struct || c.Hub.Kind() == resolve.Struct
	return c.converter == converter && (hasStruct || !c.isPointer(Spoke) && !c.isPointer(Hub))
}

// converters are the names of converters, from the outside to the inside. An argument follows a colon.
type converters []string

// first returns the name and the argument of the outermost converter.
func (as converters) first() (name, argument string) {
	if len(as) > 0 {
		name, argument, _ = strings.Cut(as[0], ":")
	}
	return name, argument
}

// argument returns the argument of the outermost converter.
func (as converters) argument() string {
	_, argument := as.first()
	return argument
}

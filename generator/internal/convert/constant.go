// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"fmt"
	"maps"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/block"
	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/limits"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// Constant is a member of a struct with a fixed value.
type Constant struct {
	Member Path
	Value  any // a string, bool or int
}

// constants are members of one struct with fixed values.
type constants []Constant

func (all constants) String() string {
	text := ""
	for _, c := range all {
		text += fmt.Sprintf("%s=%v,", c.Member, c.Value)
	}
	return text
}

// emit sets the members of a struct. It returns the struct, with the pointers that are set.
func (all constants) emit(b Body, dst operand) operand {
	for _, c := range all {
		member, pointers := dst.Down(c.Member)
		for _, p := range pointers {
			b.Group.Add(p.Code.Clone()).Op("=").New(b.Type(p.To))
		}
		dst = dst.Reached(c.Member)
		b.Set(member, jen.Lit(c.Value))
	}
	return dst
}

// conditions returns the conditions that the members of a struct have the values. It also returns the struct, with the
// pointers that lead to the members.
func (all constants) conditions(src operand) ([]jen.Code, operand) {
	var conditions []jen.Code
	for _, c := range all {
		member, pointers := src.Down(c.Member)
		conditions = append(conditions, block.NotNil(pointers)...)
		is := member.Value()
		if c.Value != true {
			is.Op("==").Lit(c.Value)
		}
		conditions = append(conditions, is)
		src = src.Reached(c.Member)
	}
	return conditions, src
}

// addTo adds the members to the skipped members of a struct.
func (all constants) addTo(skip map[string]bool) map[string]bool {
	more := map[string]bool{}
	maps.Copy(more, skip)
	for _, c := range all {
		more[c.Member.String()] = true
	}
	return more
}

// constants reads the values of members of a struct: member=value, with commas between.
func (p *valuePlanner) constants(v *Value, takes string, in *resolve.Type, argument, as string) (constants, *mismatch) {
	var all constants
	for text := range strings.SplitSeq(argument, ",") {
		if argument == "" {
			return nil, nil
		}
		member, text, _ := strings.Cut(text, "=")
		found, ok := fields.Lookup(in, member)
		if !ok {
			return nil, p.misfit(as, fmt.Sprintf("%s with a member %q on one side", takes, member), v)
		}
		value, ok := limits.Constant(found.Last().Type, text)
		if !ok || value == limits.ZeroOf(value) {
			return nil, &mismatch{rule: RuleConverter, message: fmt.Sprintf("%q is no value of %s", text, found.Last().Type), hint: "constants are text, whole numbers and bools, and not zero"}
		}
		if !limits.OfField(found.Last()).Allows(value) {
			return nil, &mismatch{rule: RuleRefused, message: fmt.Sprintf("the markers of %s refuse the value %q", found, text), hint: "choose a value that its Enum, bounds, lengths and pattern allow"}
		}
		all = append(all, Constant{found, value})
	}
	return all, nil
}

// hasOthers reports whether a struct has members besides the skipped members and the members on the way to one.
func hasOthers(t *resolve.Type, to Path, skip map[string]bool) bool {
	names := strings.Split(to.String(), ".") // of an empty path, a name that no member has
	for _, m := range fields.Of(t, nil) {
		switch name := m.String(); {
		case name != names[0] && !skip[name]:
			return true
		case name == names[0] && len(names) > 1:
			inner := m.Last().Type.Target()
			if rest, ok := fields.Lookup(inner, strings.Join(names[1:], ".")); ok && hasOthers(inner, rest, fields.Below(skip, name)) {
				return true
			}
		}
	}
	return false
}

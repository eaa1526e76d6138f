// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// wrap plans the conversion between a value and a struct with the value as a member.
func (p *valuePlanner) wrap(v *Value, argument string, as []string) (*Value, *mismatch) {
	member, others, _ := strings.Cut(argument, ",")
	holdsStruct := func(t *resolve.Type) bool { // one of two structs is around the other
		found, ok := lookup(t, member)
		return ok && pointee(found.Last().Type).Kind() == resolve.Struct
	}
	inHub := v.Spoke.Kind() != resolve.Struct || v.Hub.Kind() == resolve.Struct && !holdsStruct(v.Spoke) && holdsStruct(v.Hub)
	plain, outside, skip := p.around(v, inHub)
	found, ok := lookup(outside, member)
	if !ok {
		return nil, p.misfit(as[0], fmt.Sprintf("a struct with a member %q on one side", member), v.Spoke, v.Hub)
	}
	constants, bad := p.constants(v, "a struct", outside, others, as[0])
	if bad != nil {
		return nil, bad
	}
	if hasOthers(outside, found, withConstants(skip, constants)) {
		v.Loss[v.Outer.Out()] = "all members but " + member
	}
	if len(constants) > 0 {
		v.Loss[v.Outer.Out()] = "all but " + member + ", and with other constants all of it"
	}
	inner := *p
	inner.skip = Sides[map[string]bool]{}
	*inner.fields.on(v.Outer) = found.Last()
	elem, bad := inner.value(facing(v.Outer, found.Last().Type, plain), as[1:])
	how := Wrap{Member: found, Constants: constants}
	if bad == nil && (found.pointers() || len(constants) > 0 && !p.element) {
		how.Plain = SetOf(plain)
		if plain.Kind() == resolve.Slice || plain.Kind() == resolve.Map {
			how.Plain.Test, v.Loss[v.Outer.In()] = NotEmpty, "whether it was nil or empty"
		}
	}
	return v.as(how, elem, bad)
}

// around notes whether the hub has the struct or list around a value. It returns the type of the value, the type around
// it, and the members of a struct that rules move elsewhere.
func (p *valuePlanner) around(v *Value, inHub bool) (plain, outside *resolve.Type, skip map[string]bool) {
	v.Outer = sideOf(inHub)
	outside, plain = v.across(v.Outer)
	return plain, outside, p.skip.At(v.Outer)
}

// present plans the conversion between a bool and a struct. The bool tells whether there is a struct, or whether its
// members have certain values.
func (p *valuePlanner) present(v *Value, argument string, as []string) (*Value, *mismatch) {
	plain, outside, skip := p.around(v, pointee(v.Spoke).Kind() != resolve.Struct)
	inner := pointee(outside)
	if inner.Kind() != resolve.Struct || !isBool(pointee(plain)) || argument == "" && outside == inner {
		return nil, p.misfit(as[0], "a bool and a pointer to a struct, or a struct with constants", v.Spoke, v.Hub)
	}
	if len(as) > 1 {
		return nil, &mismatch{rule: RuleConverter, message: "nothing can follow the converter present", hint: "it is for single values"}
	}
	constants, bad := p.constants(v, "a struct", inner, argument, as[0])
	if bad != nil {
		return nil, bad
	}
	if hasOthers(inner, nil, withConstants(skip, constants)) || len(constants) > 0 {
		v.Loss[v.Outer.Out()] = "all but whether it is there"
	}
	if plain.Kind() == resolve.Pointer {
		v.Loss[v.Outer.In()] = "whether it was nil or false"
	}
	if len(skip) > 0 {
		v.Loss[v.Outer.In()] = "false beside parts of the struct"
	}
	return v.as(Present{constants}, nil, nil)
}

// tuple plans the conversion between text and the values of some members of a struct.
func (p *valuePlanner) tuple(v *Value, argument string, as []string) (*Value, *mismatch) {
	var how Tuple
	plain, outside, skip := p.around(v, v.Spoke.Kind() != resolve.Struct)
	field := p.fields.At(v.Outer.Other())
	names := strings.Split(argument, ",")
	values := facing(v.Outer, strings.Repeat("x,", len(names)-1)+"x", "a")
	example := fmt.Sprintf(`+webhook:conversion:enum(from: %q, to: %q) names a text and its values`, values.Spoke, values.Hub)
	switch {
	case !isText(plain):
		return nil, p.misfit(as[0], "text and a struct", v.Spoke, v.Hub)
	case len(as) > 1:
		return nil, &mismatch{rule: RuleConverter, message: "nothing can follow the converter tuple", hint: "it is for single values"}
	case p.renames == nil:
		return nil, &mismatch{rule: RuleConverter, message: "tuple lacks its values", hint: example}
	}
	limits := limitsIn(plain, field)
	known := p.valuesOf(plain, limits)
	for _, r := range p.renames {
		list, text := Sides[string]{r.From, r.To}.across(v.Outer)
		values := strings.Split(list, ",")
		if text == "" || len(values) != len(names) || strings.Join(values, "") == "" {
			return nil, &mismatch{rule: RuleEnum, message: fmt.Sprintf("%q is not %d values of %s for a text", list, len(names), argument), hint: example}
		}
		if !limits.allows(text) {
			return nil, &mismatch{rule: RuleRefused, message: fmt.Sprintf("the markers of %s refuse the value %q", field.JSON, text), hint: "choose a value that its Enum, bounds, lengths and pattern allow"}
		}
		of := TupleText{Text: text}
		for i, name := range names {
			if values[i] == "" { // the member has its zero value
				found, ok := lookup(outside, name)
				if !ok || !isText(found.Last().Type) {
					return nil, p.misfit(as[0], fmt.Sprintf("text and a struct with a member %q of text", name), v.Spoke, v.Hub)
				}
				of.Members = append(of.Members, Constant{found, ""})
				continue
			}
			member, bad := p.constants(v, "text and a struct", outside, name+"="+values[i], as[0])
			if bad != nil {
				return nil, bad
			}
			of.Members = append(of.Members, member...)
		}
		how.Texts = append(how.Texts, of)
		skip = withConstants(skip, of.Members)
	}
	for _, value := range known {
		if value == "" {
			continue // no text, and zero values
		}
		if !slices.ContainsFunc(how.Texts, func(o TupleText) bool { return o.Text == value }) {
			return nil, &mismatch{rule: RuleEnum, message: fmt.Sprintf("%s has no values for %q", v.At(v.Outer), value), hint: example}
		}
	}
	v.Loss[v.Outer.In()] = "texts without values of their own"
	v.Loss[v.Outer.Out()] = "values without a text"
	if hasOthers(outside, nil, skip) {
		v.Loss[v.Outer.Out()] = "values without a text, and other members"
	}
	return v.as(how, nil, nil)
}

// withConstants adds the members with constants to the skipped members of a struct.
func withConstants(skip map[string]bool, constants []Constant) map[string]bool {
	all := map[string]bool{}
	maps.Copy(all, skip)
	for _, c := range constants {
		all[c.Member.String()] = true
	}
	return all
}

// constants reads the values of members of a struct: member=value, with commas between.
func (p *valuePlanner) constants(v *Value, takes string, in *resolve.Type, argument, as string) ([]Constant, *mismatch) {
	var all []Constant
	for text := range strings.SplitSeq(argument, ",") {
		if argument == "" {
			return nil, nil
		}
		member, text, _ := strings.Cut(text, "=")
		found, ok := lookup(in, member)
		if !ok {
			return nil, p.misfit(as, fmt.Sprintf("%s with a member %q on one side", takes, member), v.Spoke, v.Hub)
		}
		value, ok := constant(found.Last().Type, text)
		if !ok || value == zeroOf(value) {
			return nil, &mismatch{rule: RuleConverter, message: fmt.Sprintf("%q is no value of %s", text, found.Last().Type), hint: "constants are text, whole numbers and bools, and not zero"}
		}
		if !fieldLimits(found.Last()).allows(value) {
			return nil, &mismatch{rule: RuleRefused, message: fmt.Sprintf("the markers of %s refuse the value %q", found, text), hint: "choose a value that its Enum, bounds, lengths and pattern allow"}
		}
		all = append(all, Constant{found, value})
	}
	return all, nil
}

// hasOthers reports whether a struct has members besides the skipped members and the members on the way to one.
func hasOthers(t *resolve.Type, to Path, skip map[string]bool) bool {
	names := strings.Split(to.String(), ".") // of an empty path, a name that no member has
	for _, m := range members(t, nil) {
		switch name := m.String(); {
		case name != names[0] && !skip[name]:
			return true
		case name == names[0] && len(names) > 1:
			inner := pointee(m.Last().Type)
			if rest, ok := lookup(inner, strings.Join(names[1:], ".")); ok && hasOthers(inner, rest, below(skip, name)) {
				return true
			}
		}
	}
	return false
}

// keyed plans the conversion between a map and a list whose elements have the map's key as a member. The list is sorted
// by key.
func (p *valuePlanner) keyed(v *Value, member string, as []string) (*Value, *mismatch) {
	var how Keyed
	m, list, _ := p.around(v, v.Hub.Kind() != resolve.Map)
	fit := m.Kind() == resolve.Map && list.Kind() == resolve.Slice && list.Elem().Kind() == resolve.Struct
	if fit {
		how.Member, fit = lookup(list.Elem(), member)
	}
	if !fit || len(how.Member) != 1 || !isText(m.Key()) || !isText(how.Member.Last().Type) {
		return nil, p.misfit(as[0], fmt.Sprintf("a map with text as keys and a list of structs with a member %q of text", member), v.Spoke, v.Hub)
	}
	v.Loss[v.Outer.Out()] = "the order, and elements with equal keys"
	how.Keys = typesIn(facing(v.Outer, how.Member.Last().Type, m.Key()))
	elem, bad := p.beside(v.Outer, Constant{Member: how.Member}).value(Sides[*Type]{v.Spoke.Elem(), v.Hub.Elem()}, as[1:])
	return v.as(how, elem, bad)
}

// listElement plans the conversion between a value and the list element whose members have certain values.
func (p *valuePlanner) listElement(v *Value, argument string, as []string) (*Value, *mismatch) {
	var how Element
	plain, list, _ := p.around(v, v.Spoke.Kind() != resolve.Slice)
	if list.Kind() != resolve.Slice || list.Elem().Kind() != resolve.Struct {
		return nil, p.misfit(as[0], "a list of structs on one side", v.Spoke, v.Hub)
	}
	var bad *mismatch
	if how.Constants, bad = p.constants(v, "a list of structs", list.Elem(), argument, as[0]); bad != nil {
		return nil, bad
	}
	v.Loss[v.Outer.Out()] = "all elements but this one"
	if plain.Kind() == resolve.Pointer && plain.Elem().Kind() == resolve.Struct {
		how.Content, v.Loss[v.Outer.In()] = SetOf(plain.Elem()), "whether it was nil or empty"
	}
	elem, bad := p.beside(v.Outer, how.Constants...).value(facing(v.Outer, list.Elem(), plain), as[1:])
	return v.as(how, elem, bad)
}

// beside plans the elements of a list, without the members that identify them.
func (p *valuePlanner) beside(list Side, told ...Constant) *valuePlanner {
	inner := p.elements()
	inner.skip = Sides[map[string]bool]{}
	*inner.skip.on(list) = withConstants(nil, told)
	return inner
}

// constant reads a value of a basic type: a string, int or bool.
func constant(t *resolve.Type, text string) (any, bool) {
	switch {
	case isText(t):
		return text, true
	case wholeType(t):
		n, err := strconv.Atoi(text)
		return n, err == nil
	case isBool(t):
		b, err := strconv.ParseBool(text)
		return b, err == nil
	}
	return nil, false
}

// zeroOf returns the zero value of a constant's type.
func zeroOf(constant any) any {
	switch constant.(type) {
	case string:
		return ""
	case int:
		return 0
	}
	return false
}

// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// Schema describes a type for a stash, in addition to its JSON.
type Schema struct {
	// Keys are the members that identify the elements of this list.
	Keys []string
	// One identifies the one element of this list that the other version has: members, or paths to them, and their
	// values as text. It is empty for the first element, and nil if the other version has all elements or none.
	One map[string]string
	// Dropped means that this field is lost on purpose.
	Dropped bool
	// Custom means that a function of the user converts this value. The innermost such value around a kept one counts.
	Custom bool
	// Lossless, of a whole kind, means that the other version can represent all of it.
	Lossless bool
	// Annotations and Labels, of a whole kind, are the keys that rules of the conversion read or write. An object may
	// have entries of its own under them.
	Annotations, Labels []string
	// Limits are the restrictions from the markers of the type.
	Limits Limits
	// Scattered means that the other version does not have this object but has some of its members elsewhere. The
	// object exists as soon as one of these members does. Its other members stay when these are removed.
	Scattered bool
	// Members are the schemas of fields of this object, if they have any.
	Members map[string]Schema
	// Elements is the schema of a list's elements or of a map's values.
	Elements *Schema
}

// withEntries returns the schema of a whole kind, with its own entries as members of the metadata. It drops all others.
func (s Schema) withEntries() Schema {
	metadata := Schema{Members: map[string]Schema{}, Elements: &Schema{Dropped: true}}
	add := func(name string, keys []string, value Schema) {
		if len(keys) == 0 {
			return
		}
		entries := Schema{Scattered: true, Members: make(map[string]Schema, len(keys)), Elements: &Schema{Dropped: true}}
		for _, key := range keys {
			value.Custom = s.Members["metadata"].Members[name].Members[key].Custom
			entries.Members[key] = value
		}
		metadata.Members[name] = entries
	}
	add("annotations", s.Annotations, Schema{})
	add("labels", s.Labels, Schema{Limits: Limits{MaxLength: validation.LabelValueMaxLength, Pattern: "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$"}})
	s.Members = maps.Clone(s.Members)
	put(&s.Members, "metadata", metadata)
	return s
}

// plan is a Schema, prepared for looking up its parts.
type plan struct {
	Schema
	// key and one are steps to elements: with the names of the keys, in order, and to the one element. A step without
	// names leads to no element.
	key, one step
	pattern  *regexp.Regexp // nil without a pattern, or with one that Go cannot read and the API server checks
	members  map[string]*plan
	elements *plan // of a list or a map; never nil
}

// planOf prepares a schema, or only the keys of its lists. The plan none is for values without a schema. It also
// reports whether functions of the user convert any value.
func planOf(s Schema, none *plan, onlyKeys bool) (p *plan, custom bool) {
	r := &planner{none: none, onlyKeys: onlyKeys, members: map[uintptr]map[string]*plan{}, elements: map[*Schema]*plan{}}
	return r.plan(s), r.custom
}

// planner prepares a schema. The schema of a type inside itself contains itself, by its Members or its Elements, and so
// does the plan.
type planner struct {
	none     *plan
	onlyKeys bool
	members  map[uintptr]map[string]*plan // by Schema.Members
	elements map[*Schema]*plan
	custom   bool
}

func (r *planner) plan(s Schema) *plan {
	r.custom = r.custom || s.Custom
	if r.onlyKeys {
		s = Schema{Keys: s.Keys, Members: s.Members, Elements: s.Elements}
	}
	p := &plan{Schema: s, elements: r.none}
	if len(s.Keys) > 0 {
		p.key.keys = slices.Sorted(slices.Values(s.Keys))
	}
	if s.One != nil {
		p.one.keys = slices.AppendSeq([]string{}, maps.Keys(s.One))
		slices.Sort(p.one.keys)
		for _, path := range p.one.keys {
			p.one.values = append(p.one.values, s.One[path])
		}
	}
	if s.Limits.Pattern != "" {
		p.pattern, _ = regexp.Compile(s.Limits.Pattern)
	}
	if s.Members != nil {
		id, known := reflect.ValueOf(s.Members).Pointer(), false
		if p.members, known = r.members[id]; !known {
			p.members = make(map[string]*plan, len(s.Members))
			r.members[id] = p.members
			for name, m := range s.Members {
				p.members[name] = r.plan(m)
			}
		}
	}
	if s.Elements != nil {
		e, known := r.elements[s.Elements]
		if !known {
			e = &plan{}
			r.elements[s.Elements] = e
			*e = *r.plan(*s.Elements)
		}
		p.elements = e
	}
	return p
}

func (p *plan) member(name string) *plan {
	if m, ok := p.members[name]; ok {
		return m
	}
	return p.elements
}

// below returns the plan of the value to which a step leads.
func (p *plan) below(s step) *plan {
	if s.keys != nil {
		return p.elements
	}
	return p.member(s.name)
}

// at returns the plan of the value at a path.
func (p *plan) at(path []step) *plan {
	for _, next := range path {
		p = p.below(next)
	}
	return p
}

// isEmpty reports whether the schema has no information about the content of the value.
func (p *plan) isEmpty() bool {
	return p.One == nil && !p.Scattered && p.Members == nil && p.Elements == nil
}

// onlyMembers reports whether nothing of an object counts but the members that the schema names.
func (p *plan) onlyMembers() bool { return p.elements.Dropped }

// hasHook reports whether functions of the user convert the value at a path, a value around it or any part of it.
func (p *plan) hasHook(at []step, value any) bool {
	for _, next := range at {
		if p.Custom {
			return true
		}
		p = p.below(next)
	}
	return p.customIn(value)
}

// customIn reports whether functions of the user convert any part of a value.
func (p *plan) customIn(value any) bool {
	if p.Custom {
		return true
	}
	switch value := value.(type) {
	case map[string]any:
		for name, v := range value {
			if p.member(name).customIn(v) {
				return true
			}
		}
	case []any:
		return p.Elements != nil && slices.ContainsFunc(value, p.elements.customIn)
	}
	return false
}

// strip returns a value without its dropped members.
func (p *plan) strip(value any) any {
	if p.Members == nil && p.Elements == nil {
		return value
	}
	switch v := value.(type) {
	case map[string]any:
		kept := make(map[string]any, len(v))
		for name, value := range v {
			if below := p.member(name); !below.Dropped {
				kept[name] = below.strip(value)
			}
		}
		return kept
	case []any:
		kept := make([]any, len(v))
		for i, e := range v {
			kept[i] = p.elements.strip(e)
		}
		return kept
	}
	return value
}

// step leads to a member, by its name, or to an element of a list, by its keys: members, or paths to them, in order.
type step struct {
	name   string
	keys   []string // nil for a member
	values []any
}

// to returns a step with the keys of an element.
func (s step) to(element any) step {
	s.values = make([]any, len(s.keys))
	for i, key := range s.keys {
		s.values[i] = inside(element, key)
	}
	return s
}

// leadsTo reports whether the step leads to an element.
func (s step) leadsTo(element any) bool { return keyText(s.to(element).values) == keyText(s.values) }

// inside returns the value at a path. It is absent if the path leads through a value that is not an object.
func inside(value any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		object, ok := value.(map[string]any)
		if !ok {
			return absent{}
		}
		value = object[name]
	}
	return value
}

// is reports whether two steps from the same place lead to the same value.
func (s step) is(other step) bool {
	if s.keys == nil || other.keys == nil {
		return s.keys == nil && other.keys == nil && s.name == other.name
	}
	return slices.Equal(s.keys, other.keys) && slices.EqualFunc(s.values, other.values, sameKey)
}

// sameKey reports whether two values of a key are the same text.
func sameKey(a, b any) bool {
	x, ok := a.(string)
	y, ok2 := b.(string)
	if ok && ok2 {
		return x == y
	}
	return fmt.Sprint(a) == fmt.Sprint(b)
}

// text returns a text that identifies a step among those from the same place.
func (s step) text() string {
	if s.keys == nil {
		return s.name
	}
	return "[" + strings.Join(s.keys, ",") + "]" + keyText(s.values)
}

// maxSteps is how many steps may lead to a kept value. A value below is kept as a part of the value there.
const maxSteps = 512

// readPath reads a path into a type, and appends it to the given steps. It returns false if the plan or the type has no
// such place, or if its place is not one of the schema's entries. The keys of a step are the plan's, each once.
func readPath(list []byte, steps []step, l layout, names *wire.Texts) ([]step, bool) {
	p, s, first := l.plan, l.whole, len(steps)
	for e := range elements(list) {
		raw := e.value
		next, ok := step{}, true
		if raw[0] == '"' {
			next.name = names.Of(wire.Text(raw, wire.Whole(raw)))
		} else if next, ok = p.key.read(raw, names); !ok {
			next, ok = p.one.read(raw, names)
		}
		if ok {
			s, ok = shapeBelow(s, next)
		}
		if onlyMembers := p.onlyMembers(); ok {
			p = p.below(next)
			ok = !onlyMembers || !p.Dropped
		}
		if !ok || len(steps)-first == maxSteps {
			return steps[:first], false
		}
		steps = append(steps, next)
	}
	return steps, len(steps) > first && !p.onlyMembers()
}

// read reads the values of the step's keys. It returns false if the text has other keys, or one of them twice, or if
// it does not lead to the one element.
func (s step) read(raw []byte, names *wire.Texts) (step, bool) {
	if s.keys == nil || !isObject(raw) {
		return s, false
	}
	values, left := make([]any, len(s.keys)), len(s.keys)
	for i := range values {
		values[i] = absent{}
	}
	for m := range entries(raw) {
		i := slices.IndexFunc(s.keys, m.is)
		if i < 0 || values[i] != (absent{}) || m.value[0] == '{' || m.value[0] == '[' {
			return s, false
		}
		values[i] = scalar(m.value, names)
		left--
	}
	if left > 0 || s.values != nil && keyText(values) != keyText(s.values) {
		return s, false
	}
	s.values = values
	return s, true
}

// shapeBelow returns the shape of the value to which a step leads: nil if there is no Go type, and false if the type
// has no such value.
func shapeBelow(s *wire.Shape, next step) (*wire.Shape, bool) {
	if s == nil {
		return nil, true
	}
	switch s = s.Target(); {
	case s.Kind == wire.Structure && next.keys == nil:
		if i, ok := s.Index[next.name]; ok {
			return s.Fields[i].Shape, true
		}
	case s.Kind == wire.Dict && next.keys == nil, s.Kind == wire.List && next.keys != nil:
		return s.Elem, true
	}
	return nil, s.Kind == wire.Self || s.Kind == wire.Opaque || s.Kind == wire.Dynamic
}

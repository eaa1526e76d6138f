// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/limits"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// Schema contains the facts about a type that the stash needs and cannot read from JSON: the members that identify the
// elements of a list, and the members that may be lost.
type Schema struct {
	Keys []string
	// One identifies the single element of a list that the other side has, as in conversion.Schema.
	One     map[string]string
	Dropped bool
	// Custom is true if a function of the user converts this value, from this side. In a struct that a function
	// completes, it is also true for each field that may be lost.
	Custom bool
	// Scattered is true if the other side has some members of this object in other places, but not the object itself.
	Scattered bool
	// Annotations and Labels are the keys of metadata entries that rules of a kind use.
	Annotations, Labels []string
	// Limits are the limits that markers set for a value that may be restored.
	Limits   limits.Limits
	Members  map[string]*Schema
	Elements *Schema
	// Same is an equal schema of the same struct. One of the two schemas contains the other, or the struct is
	// recursive.
	Same *Schema
	// Name is the name of the pair of structs, if the schema is the Same of another schema.
	Name string
}

// IsZero reports whether the schema has no facts.
func (s *Schema) IsZero() bool {
	return s == nil || s.onlyMembers() && !s.Custom && len(s.Members) == 0 && s.Same == nil
}

// onlyMembers reports whether all facts are about the struct itself, and none about the field that has it.
func (s *Schema) onlyMembers() bool {
	return len(s.Keys) == 0 && s.One == nil && !s.Dropped && !s.Scattered && s.Limits.IsZero() && s.Elements == nil
}

// Named returns the schemas that are the Same of others below this one, sorted by name.
func (s *Schema) Named() []*Schema {
	found := map[*Schema]bool{}
	s.collectNamed(found)
	return slices.SortedFunc(maps.Keys(found), func(a, b *Schema) int { return strings.Compare(a.Name, b.Name) })
}

func (s *Schema) collectNamed(found map[*Schema]bool) {
	if s == nil {
		return
	}
	if s.Same != nil && !found[s.Same] {
		found[s.Same] = true
		s.Same.collectNamed(found)
	}
	s.Elements.collectNamed(found)
	for _, m := range s.Members {
		m.collectNamed(found)
	}
}

// schemaOf makes the schema of a side of a pair.
func schemaOf(root *Pair, side Side) *Schema {
	s := &Schema{}
	s.addPair(root, facts{side, map[*Pair]*Schema{}})
	delete(s.Members, "metadata") // both versions have the same metadata
	s.addEntries(root, side)
	return s
}

// addEntries adds the metadata entries of a side that might not come back, because rules read
// or write entries under their keys. The entries that a rule drops on this side are not added.
func (s *Schema) addEntries(root *Pair, side Side) {
	for _, c := range root.Claims {
		if c.Verb == model.Drop {
			if c.At(side) == nil {
				s.addEntry(c.At(side.Other()), false)
			}
			continue
		}
		if how, ok := entryOf(c); ok && (how.Keys.At(side) == "" || how.Parse == "" || c.Value.Elem != nil || how.Keys.At(side.Other()) != "") {
			s.addEntry(c.Spoke, false)
			s.addEntry(c.Hub, false)
		}
		if c.Functions != sides.Both(false) {
			for _, of := range []Side{Spoke, Hub} {
				for _, path := range append(c.Others.At(of), c.At(of)) {
					s.addEntry(path, of == side && c.Functions[side.Out()])
				}
			}
		}
	}
}

// addEntry adds an entry of metadata, if the path leads to one. It is custom if a function of the user converts it.
func (s *Schema) addEntry(path Path, custom bool) {
	in, key, ok := fields.EntryKey(path)
	if !ok {
		return
	}
	keys := &s.Annotations
	if in == "labels" {
		keys = &s.Labels
	}
	if !slices.Contains(*keys, key) {
		*keys = append(*keys, key)
		slices.Sort(*keys)
	}
	if custom {
		s.at([]string{"metadata", in, key}).Custom = true
	}
}

// entryOf returns how a claim converts a metadata entry.
func entryOf(c *Claim) (how Entry, ok bool) {
	if c.Value != nil {
		how, ok = c.Value.Kind.(Entry)
	}
	return how, ok
}

// facts are the facts about a side. inside has the enclosing pairs and their schemas, and also the pairs that have been
// found to be recursive.
type facts struct {
	side   Side
	inside map[*Pair]*Schema
}

// addPair adds the facts of a pair.
func (s *Schema) addPair(p *Pair, f facts) {
	side := f.side
	if p.Opaque {
		return
	}
	after := p.After[side.Out()] || s.Custom
	s.Custom = after
	if around := f.inside[p]; around != nil {
		if p.hasFacts(f.side, map[*Pair]bool{}) {
			around.Name, s.Same = p.Name, around
		}
		return
	}
	f.inside[p] = s
	defer func() {
		if s.Name == "" { // a recursive struct has one schema, wherever it occurs
			delete(f.inside, p)
		}
	}()
	claimed, unconverted := p.claimed().At(side), p.unconverted(side)
	for _, c := range p.Claims {
		path := c.At(side)
		if path == nil {
			continue
		}
		for i, field := range path[:len(path)-1] {
			around := path[:i+1]
			if c.Value != nil && !field.Inline && !claimed[around.String()] && len(fields.Below(unconverted, around.String())) > 0 {
				s.at(around.Names()).Scattered = true
			}
		}
		below := c.limits(side)
		below.Custom = c.hooked(side.Out()) || after && c.Loss(side.Out()) != ""
		for _, other := range c.Others.At(side) {
			s.put(other.Names(), &Schema{Custom: c.hooked(side.Out()), Dropped: c.Verb == model.Drop})
		}
		if below.Dropped = c.Verb == model.Drop; below.Dropped || c.Value != nil {
			below.Keys = c.listKeys(side)
		}
		if c.Value != nil {
			below.addValue(c.Value, f)
		}
		s.put(path.Names(), below)
	}
}

// hasFacts reports whether the schema of a struct has any facts.
func (p *Pair) hasFacts(side Side, seen map[*Pair]bool) bool {
	if seen[p] || p.Opaque {
		return false
	}
	if seen[p] = true; p.After[side.Out()] {
		return true
	}
	identifies := func(v *Value) bool {
		if pair := v.Pair(); pair != nil {
			return pair.hasFacts(side, seen)
		}
		return v.Outer == side && (v.traits().fills || v.traits().picks) // the elements have keys
	}
	return slices.ContainsFunc(p.Claims, func(c *Claim) bool {
		return c.At(side) != nil && (c.Verb == model.Drop || c.hooked(side.Out()) || c.Value != nil && len(c.listKeys(side)) > 0 || !c.limits(side).IsZero()) ||
			c.Value.holds(identifies)
	})
}

// addValue adds what a value's kind knows.
func (s *Schema) addValue(v *Value, f facts) { v.Kind.schema(s, v, f) }

// addElements adds the facts of the elements of a list or map, if there are any.
func (s *Schema) addElements(v *Value, f facts) {
	below := &Schema{}
	if below.addValue(v.Elem, f); !below.IsZero() {
		s.Elements = below
	}
}

// addElement adds the facts of a value that is one element of a list. Constants identify it.
func (s *Schema) addElement(v *Value, f facts, identity constants) {
	if v.Outer != f.side {
		s.addValue(v.Elem, f)
		return
	}
	s.One = map[string]string{}
	for _, c := range identity {
		s.One[strings.Join(c.Member.Names(), ".")] = fmt.Sprint(c.Value)
	}
	s.addElements(v, f)
}

// at returns the schema at a path, which it makes if need be.
func (s *Schema) at(path []string) *Schema {
	for _, name := range path {
		if s.Members == nil {
			s.Members = map[string]*Schema{}
		}
		if s.Members[name] == nil {
			s.Members[name] = &Schema{}
		}
		s = s.Members[name]
	}
	return s
}

// put adds the facts about a field at a path, if there are any.
func (s *Schema) put(path []string, below *Schema) {
	if len(path) == 0 || below.IsZero() {
		return
	}
	next := s.at(path)
	if below.Name != "" && next.IsZero() && below.onlyMembers() {
		next.Same = below
		return
	}
	next.Keys, next.One, next.Dropped, next.Same = below.Keys, below.One, below.Dropped, below.Same
	next.Scattered = next.Scattered || below.Scattered
	next.Custom = next.Custom || below.Custom
	if !below.Limits.IsZero() {
		next.Limits = below.Limits
	}
	if below.Elements != nil {
		next.Elements = below.Elements
	}
	for name, m := range below.Members {
		next.put([]string{name}, m)
	}
}

// listKeys returns the keys of the claimed list on a side, limited to keys that the other side has too. Keys declared
// on this side take precedence. Otherwise it returns the keys declared on the other side, under the names that they
// have here.
func (c *Claim) listKeys(side Side) []string {
	keys := fields.ListKeys(c.At(side).Last())
	if c.Value == nil || c.Value.Elem == nil || c.Value.Elem.Pair() == nil {
		return keys
	}
	if !c.Value.isList() {
		return keys
	}
	elements := c.Value.Elem.Pair()
	if keys != nil {
		converted := elements.claimed().At(side)
		return slices.DeleteFunc(keys, func(key string) bool { return !converted[key] && !elements.isCustom() })
	}
	for _, declared := range fields.ListKeys(c.At(side.Other()).Last()) {
		i := slices.IndexFunc(elements.Claims, func(k *Claim) bool {
			return slices.Equal(k.At(side.Other()).Names(), []string{declared}) && len(k.At(side).Names()) == 1
		})
		if i >= 0 {
			keys = append(keys, elements.Claims[i].At(side).Names()[0])
		}
	}
	return keys
}

// hooked reports whether the user's own code converts the field in a direction.
func (c *Claim) hooked(d Direction) bool {
	return c.Functions[d] || c.IsHooked()
}

// addLimits adds the limits from the markers of a field, of its type and of the types in it. Types of Kubernetes itself
// have no such markers.
func (s *Schema) addLimits(f *resolve.Field, inside []*resolve.Type) {
	s.limitType(f.Type, inside, f.Doc)
	s.Limits.Read(f.Doc, false)
}

func (s *Schema) limitType(t *resolve.Type, inside []*resolve.Type, field []*ast.CommentGroup) {
	if t.Err() != nil || strings.HasPrefix(t.Package, "k8s.io/") || slices.Contains(inside, t) {
		return
	}
	if t.Kind() == resolve.Pointer {
		s.limitType(t.Elem(), inside, field)
		return
	}
	s.Limits.Read(t.Doc(), false)
	switch t.Kind() {
	case resolve.Slice, resolve.Map:
		elements := &Schema{}
		elements.limitType(t.Elem(), inside, nil)
		elements.Limits.Read(t.Doc(), true)
		elements.Limits.Read(field, true)
		if !elements.IsZero() && s.Elements == nil {
			s.Elements = elements
		}
	case resolve.Struct:
		if !t.HasMethod("UnmarshalJSON") {
			for _, m := range fields.Of(t, nil) {
				below := &Schema{}
				below.addLimits(m.Last(), append(inside, t))
				s.put(m.Names(), below)
			}
		}
	}
}

// limits returns the limits of a field whose value may be restored. They cover the whole field if no part of it
// converts, or if the user's own code converts it. Structs that convert have their own limits.
func (c *Claim) limits(side Side) *Schema {
	s := &Schema{}
	path := c.At(side)
	if path == nil || c.Verb == model.Drop || c.Loss(side.Out()) == "" {
		return s
	}
	field := path.Last()
	if c.Value == nil || c.isCustom() {
		s.addLimits(field, nil)
		return s
	}
	s.Limits.Read(field.Type.Target().Doc(), false)
	s.Limits.Read(field.Doc, false)
	return s
}

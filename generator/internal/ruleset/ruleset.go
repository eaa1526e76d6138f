// SPDX-License-Identifier: Apache-2.0

// Package ruleset decides which rules of markers have an effect on two structs that correspond.
package ruleset

import (
	"fmt"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// Set groups the rules by their subject, and tracks which rules a conversion has reached.
type Set struct {
	of      map[model.GoType][]*model.ConversionRule // by the struct they name
	general []*model.ConversionRule                  // for every struct of a package's conversions
	types   map[typePair]*model.ConversionRule       // for all values of two types
	allowed []*model.ConversionRule                  // accepted warnings
	reached map[*model.ConversionRule]bool
	// holds and fails are the rules that are true for some counterpart of their struct, and that are false for some.
	holds, fails map[*model.ConversionRule]bool
	// counterparts are the counterparts of each struct.
	counterparts map[*resolve.Type][]*resolve.Type
	// narrow are the rules that have an effect only where they are true.
	narrow map[*model.ConversionRule]bool
}

// typePair is a type of the spoke and a type of the hub.
type typePair struct{ spoke, hub model.GoType }

// ForField are the rules for one field: a rule for the field itself, and rules for values of an enum.
type ForField struct {
	Field string
	Rules []model.ConversionRule
}

// Group groups rules.
func Group(all []model.ConversionRule) Set {
	set := Set{
		of: map[model.GoType][]*model.ConversionRule{}, types: map[typePair]*model.ConversionRule{},
		reached: map[*model.ConversionRule]bool{}, holds: map[*model.ConversionRule]bool{}, fails: map[*model.ConversionRule]bool{}, counterparts: map[*resolve.Type][]*resolve.Type{}, narrow: map[*model.ConversionRule]bool{},
	}
	for i := range all {
		switch r := &all[i]; {
		case r.Verb == model.Allow:
			set.allowed = append(set.allowed, r)
		case r.Type != (model.GoType{}):
			set.types[typePair{r.Struct, r.Type}] = r
		case r.Struct == (model.GoType{}):
			set.general = append(set.general, r)
		default:
			set.of[r.Struct] = append(set.of[r.Struct], r)
		}
	}
	return set
}

// Reach returns the rules for the fields of a struct in the conversions that a package declares. Rules on an enclosing
// struct, whose fields are taken, override all others. Rules that name the struct follow, then rules of structs that it
// embeds. Rules for every struct apply to its remaining fields.
//
// A struct may have several counterparts. If a rule is true for some of them, such as a stash of a field that only
// these lack, it has no effect on the others.
func (s Set) Reach(declared string, spoke, hub *resolve.Type, taken map[string]bool) []ForField {
	var found []ForField
	for _, in := range Inlined(spoke, nil) {
		if in != spoke && fieldIndex(found, in.Name) >= 0 {
			continue // a rule moves the embedded struct as a whole
		}
		outer := len(found)
		for _, r := range s.of[GoType(in)] {
			s.reached[r] = true
			if !s.applies(r, hub) || in != spoke && r.Verb == model.Alike {
				continue
			}
			if r.Field.V == "" {
				found = withHubRule(found, *r)
				continue
			}
			for _, each := range forFields(r, in, hub) {
				if fieldIndex(found[:outer], each.Field.V) < 0 && !taken[each.Field.V] {
					found = withRule(found, each)
				}
			}
		}
	}
	named := len(found)
	for _, r := range s.general {
		if r.Declared != declared {
			continue
		}
		for _, each := range forFields(r, spoke, hub) {
			decided := each
			decided.Verb = s.deciding(r).Verb
			if !taken[each.Field.V] && fieldIndex(found[:named], each.Field.V) < 0 && fits(decided, spoke, hub) {
				s.reached[r] = true
				found = withRule(found, each)
			}
		}
	}
	return found
}

// Inlined returns a struct and the structs that it embeds, whose fields are its own in JSON.
func Inlined(t *resolve.Type, all []*resolve.Type) []*resolve.Type {
	if slices.Contains(all, t) {
		return all
	}
	all = append(all, t)
	for _, f := range t.Fields() {
		if inner := f.Type.Target(); f.Inline && inner.Kind() == resolve.Struct && !inner.EncodesItself() {
			all = Inlined(inner, all)
		}
	}
	return all
}

// applies reports whether a rule has an effect on a struct and its counterpart, and notes whether it is true for them.
func (s Set) applies(r *model.ConversionRule, hub *resolve.Type) bool {
	if isTrue(s.deciding(r), hub) {
		s.holds[r] = true
		return true
	}
	s.fails[r] = true
	return !s.narrow[r]
}

// deciding returns the stash or drop beside a default, which is then for a field that only the spoke has, or the rule
// itself.
func (s Set) deciding(r *model.ConversionRule) *model.ConversionRule {
	if r.Verb != model.Default {
		return r
	}
	for _, o := range slices.Concat(s.of[r.Struct], s.general) {
		if o.Struct == r.Struct && o.Declared == r.Declared && o.Field.V == r.Field.V && o.Field.V != "" && (o.Verb == model.Stash || o.Verb == model.Drop) {
			return o
		}
	}
	return r
}

// isTrue reports whether a rule fits a struct with this counterpart. A field is moved to a field of the counterpart.
// A field is kept or given up if the counterpart lacks it.
func isTrue(r *model.ConversionRule, hub *resolve.Type) bool {
	if slices.ContainsFunc(r.Hub.V, func(path string) bool { return !fields.Has(hub, path) }) {
		return false
	}
	switch r.Verb {
	case model.Stash, model.Drop:
		return r.Field.V == "" || strings.HasSuffix(r.Field.V, "*") || !fields.Has(hub, r.Field.V)
	case model.ToHub, model.Enum, model.Default:
		return strings.HasSuffix(r.Path.V, "*") || r.Field.V == "" || fields.Has(hub, r.Path.V)
	}
	return true
}

// Meet notes two structs that correspond.
func (s Set) Meet(spoke, hub *resolve.Type) {
	if !slices.Contains(s.counterparts[spoke], hub) {
		s.counterparts[spoke] = append(s.counterparts[spoke], hub)
	}
}

// Narrowed marks the rules that are true for some counterparts of their struct only, and reports whether there are any
// that were not marked before.
func (s Set) Narrowed() bool {
	again := false
	for r := range s.holds {
		if s.fails[r] && !s.narrow[r] {
			s.narrow[r], again = true, true
		}
	}
	return again
}

// forFields copies a rule for each field that its * matches and that both structs have.
func forFields(r *model.ConversionRule, spoke, hub *resolve.Type) []model.ConversionRule {
	before, all := strings.CutSuffix(r.Field.V, "*")
	if !all {
		return []model.ConversionRule{*r}
	}
	around := spoke
	if before != "" {
		found, ok := fields.Lookup(spoke, strings.TrimSuffix(before, "."))
		if !ok {
			return nil
		}
		around = found.Last().Type.Target()
	}
	var each []model.ConversionRule
	for _, m := range fields.Of(around, nil) {
		one := *r
		one.Field.V = before + m.String()
		if path, ok := strings.CutSuffix(r.Path.V, "*"); ok {
			one.Path.V = path + m.String()
		}
		if fits(one, spoke, hub) {
			each = append(each, one)
		}
	}
	return each
}

// fits reports whether the two structs have the fields that a rule is about.
func fits(r model.ConversionRule, spoke, hub *resolve.Type) bool {
	if !fields.Has(spoke, r.Field.V) || slices.ContainsFunc(r.Others, func(f diag.Sourced[string]) bool { return !fields.Has(spoke, f.V) }) {
		return false
	}
	needsHub := r.Verb == model.ToHub || r.Verb == model.Enum || r.Verb == model.Default
	return !needsHub || fields.Has(hub, r.Path.V)
}

// withRule adds a rule to the other rules of its field.
func withRule(all []ForField, r model.ConversionRule) []ForField {
	if i := fieldIndex(all, r.Field.V); i >= 0 {
		all[i].Rules = append(all[i].Rules, r)
		return all
	}
	return append(all, ForField{Field: r.Field.V, Rules: []model.ConversionRule{r}})
}

// fieldIndex returns the index of the rules for a field, or -1 without any.
func fieldIndex(all []ForField, field string) int {
	return slices.IndexFunc(all, func(f ForField) bool { return f.Field == field })
}

// withHubRule adds a rule for fields of the hub alone. A drop of the same fields joins a custom rule, and so do several
// defaults.
func withHubRule(all []ForField, r model.ConversionRule) []ForField {
	for i, f := range all {
		o := f.Rules[0]
		isPair := len(f.Rules) == 1 && (o.Verb == model.Custom && r.Verb == model.Drop || o.Verb == model.Drop && r.Verb == model.Custom)
		if f.Field == "" && (isPair || o.Verb == model.Default && r.Verb == model.Default) && slices.Equal(o.Hub.V, r.Hub.V) {
			all[i].Rules = append(f.Rules, r)
			return all
		}
	}
	return append(all, ForField{Rules: []model.ConversionRule{r}})
}

// Alike reports whether a rule declares that a type with its own encoding has the same JSON as its counterpart.
func (s Set) Alike(t *resolve.Type) bool {
	for _, r := range s.of[GoType(t)] {
		if r.Verb == model.Alike {
			s.reached[r] = true
			return true
		}
	}
	return false
}

// Names reports whether rules name a type, or a struct that it embeds.
func (s Set) Names(t *resolve.Type) bool {
	return slices.ContainsFunc(Inlined(t, nil), func(in *resolve.Type) bool { return len(s.of[GoType(in)]) > 0 })
}

// Hooked reports whether the user's own code converts all values of two types.
func (s Set) Hooked(spoke, hub *resolve.Type) bool {
	r, ok := s.types[typePair{GoType(spoke), GoType(hub)}]
	if ok {
		s.reached[r] = true
	}
	return ok
}

// GoType returns the name of a type.
func GoType(t *resolve.Type) model.GoType { return model.GoType{Path: t.Package, Name: t.Name} }

// spokeOf returns the counterpart of a struct of the hub, or nil.
func (s Set) spokeOf(hub model.GoType) (spoke *resolve.Type) {
	for candidate, hubs := range s.counterparts {
		if slices.ContainsFunc(hubs, func(h *resolve.Type) bool { return GoType(h) == hub }) && (spoke == nil || candidate.Name < spoke.Name) {
			spoke = candidate
		}
	}
	return spoke
}

// moved names the place in the spoke of a rule that is in the hub, with the rule as it is there.
func moved(r *model.ConversionRule, spoke *resolve.Type) string {
	if r.Verb != model.ToHub || !r.Field.IsSet() || r.Path.V == "" || len(r.As.V) > 0 || !fields.Has(spoke, r.Path.V) {
		return "the spoke's struct " + spoke.Name
	}
	if !strings.Contains(r.Path.V, ".") {
		return fmt.Sprintf("the field %s of the spoke's %s: +webhook:conversion:to=%q", r.Path.V, spoke.Name, r.Field.V)
	}
	return fmt.Sprintf("the spoke's %s: +webhook:conversion:to(field: %q, path: %q)", spoke.Name, r.Path.V, r.Field.V)
}

// Unused reports the rules that no conversion has reached.
func (s Set) Unused() diag.List {
	var diags diag.List
	add := func(r *model.ConversionRule, d diag.Diagnostic) {
		if !s.reached[r] {
			diags.Add(d)
		}
	}
	for t, rules := range s.of {
		for _, r := range rules {
			d := diag.Errorf(r.Range, Unused, "no conversion reaches the struct %s", t.Name).
				WithHint("mark the kind with +webhook:conversion:spoke, or remove the rule")
			if spoke := s.spokeOf(t); spoke != nil {
				d = diag.Errorf(r.Range, Unused, "%s is in the hub, and rules are in the spoke", t.Name).
					WithHint("move it to %s", moved(r, spoke)).WithRelated(spoke.Range, "%s of the spoke is here", spoke.Name)
			}
			add(r, d)
		}
	}
	for _, r := range s.general {
		add(r, diag.Errorf(r.Field.At, Unused, "no conversion of this package reaches a struct with %s that no other rule claims and a counterpart with %s", r.Field.V, r.Path.V).
			WithHint("correct the name, or remove it"))
	}
	for _, r := range s.allowed {
		add(r, diag.Warningf(r.Range, Unused, "nothing here breaks %s", r.Rule).WithHint("remove the marker"))
	}
	for pair, r := range s.types {
		add(r, diag.Errorf(r.Range, Unused, "no conversion reaches a value that is %s in the spoke and %s in the hub", pair.spoke.Name, pair.hub.Name).
			WithHint("+webhook:conversion:to tells which fields correspond"))
	}
	return diags
}

// Unused is the id under which unused rules are reported.
const Unused = "V8"

// Of returns the rules that name a struct.
func (s Set) Of(t *resolve.Type) []*model.ConversionRule { return s.of[GoType(t)] }

// Counterparts returns the counterparts of a struct.
func (s Set) Counterparts(spoke *resolve.Type) []*resolve.Type { return s.counterparts[spoke] }

// Use notes that a rule has an effect.
func (s Set) Use(r *model.ConversionRule) { s.reached[r] = true }

// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// ruleset groups the rules by their subject, and tracks which rules a conversion has reached.
type ruleset struct {
	of      map[model.GoType][]*model.ConversionRule // by the struct they name
	general []*model.ConversionRule                  // for every struct of a package's conversions
	types   map[typePair]*model.ConversionRule       // for all values of two types
	reached map[*model.ConversionRule]bool
}

// typePair is a type of the spoke and a type of the hub.
type typePair struct{ spoke, hub model.GoType }

// fieldRules are the rules for one field: a rule for the field itself, and rules for values of an enum.
type fieldRules struct {
	field string
	rules []model.ConversionRule
}

func groupRules(all []model.ConversionRule) ruleset {
	set := ruleset{
		of: map[model.GoType][]*model.ConversionRule{}, types: map[typePair]*model.ConversionRule{},
		reached: map[*model.ConversionRule]bool{},
	}
	for i := range all {
		switch r := &all[i]; {
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

// reach returns the rules for the fields of a struct in the conversions that a package declares. Rules that name the
// struct take precedence. Rules for every struct apply to its remaining fields.
func (s ruleset) reach(declared string, spoke, hub *resolve.Type, taken map[string]bool) []fieldRules {
	var found []fieldRules
	for _, r := range s.of[goType(spoke)] {
		s.reached[r] = true
		if r.Field.V == "" {
			found = append(found, fieldRules{rules: []model.ConversionRule{*r}})
			continue
		}
		for _, each := range forFields(r, spoke, hub) {
			if each.Field.V == r.Field.V || !taken[each.Field.V] {
				found = withRule(found, each)
			}
		}
	}
	named := len(found)
	for _, r := range s.general {
		if r.Declared != declared {
			continue
		}
		for _, each := range forFields(r, spoke, hub) {
			isNamed := slices.ContainsFunc(found[:named], func(f fieldRules) bool { return f.field == each.Field.V })
			if taken[each.Field.V] || isNamed || !fits(each, spoke, hub) {
				continue
			}
			s.reached[r] = true
			found = withRule(found, each)
		}
	}
	return found
}

// forFields copies a rule for each field that its * matches and that both structs have.
func forFields(r *model.ConversionRule, spoke, hub *resolve.Type) []model.ConversionRule {
	before, all := strings.CutSuffix(r.Field.V, "*")
	if !all {
		return []model.ConversionRule{*r}
	}
	around := spoke
	if before != "" {
		found, ok := lookup(spoke, strings.TrimSuffix(before, "."))
		if !ok {
			return nil
		}
		around = pointee(found.Last().Type)
	}
	var each []model.ConversionRule
	for _, m := range members(around, nil) {
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
	if !has(spoke, r.Field.V) || slices.ContainsFunc(r.Others, func(f diag.Sourced[string]) bool { return !has(spoke, f.V) }) {
		return false
	}
	needsHub := r.Verb == model.ToHub || r.Verb == model.Enum || r.Verb == model.Default
	return !needsHub || has(hub, r.Path.V)
}

// has reports whether a struct has a field or entry.
func has(t *resolve.Type, path string) bool {
	if found, _ := entry(t, path); found != nil {
		return true
	}
	_, ok := lookup(t, path)
	return ok
}

// withRule adds a rule to the other rules of its field.
func withRule(fields []fieldRules, r model.ConversionRule) []fieldRules {
	for i := range fields {
		if fields[i].field == r.Field.V {
			fields[i].rules = append(fields[i].rules, r)
			return fields
		}
	}
	return append(fields, fieldRules{field: r.Field.V, rules: []model.ConversionRule{r}})
}

// alike reports whether a rule declares that a type with its own encoding has the same JSON as its counterpart.
func (s ruleset) alike(t *resolve.Type) bool {
	for _, r := range s.of[goType(t)] {
		if r.Verb == model.Alike {
			s.reached[r] = true
			return true
		}
	}
	return false
}

// names reports whether rules name a struct.
func (s ruleset) names(t *resolve.Type) bool { return len(s.of[goType(t)]) > 0 }

// hooked reports whether the user's own code converts all values of two types.
func (s ruleset) hooked(spoke, hub *resolve.Type) bool {
	r, ok := s.types[typePair{goType(spoke), goType(hub)}]
	if ok {
		s.reached[r] = true
	}
	return ok
}

func goType(t *resolve.Type) model.GoType { return model.GoType{Path: t.Package, Name: t.Name} }

// unused reports the rules that no conversion has reached.
func (s ruleset) unused() diag.List {
	var diags diag.List
	for t, rules := range s.of {
		for _, r := range rules {
			if !s.reached[r] {
				diags.Add(diag.Errorf(r.Range, RuleUnused, "no conversion reaches the struct %s", t.Name).
					WithHint("mark the kind with +webhook:conversion:spoke, or remove the rule"))
			}
		}
	}
	for _, r := range s.general {
		if !s.reached[r] {
			diags.Add(diag.Errorf(r.Field.At, RuleUnused, "no conversion of this package reaches a struct with %s that no other rule claims and a counterpart with %s", r.Field.V, r.Path.V).
				WithHint("correct the name, or remove it"))
		}
	}
	for pair, r := range s.types {
		if !s.reached[r] {
			diags.Add(diag.Errorf(r.Range, RuleUnused, "no conversion reaches a value that is %s in the spoke and %s in the hub", pair.spoke.Name, pair.hub.Name).
				WithHint("+webhook:conversion:to tells which fields correspond"))
		}
	}
	return diags
}

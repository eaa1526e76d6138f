package convert

import (
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// ruleset holds the rules by the struct that they are for, and which of these a conversion has reached.
type ruleset struct {
	of      map[model.GoType][]fieldRules
	reached map[model.GoType]bool
}

// fieldRules are the rules for one field: one that says what becomes of it, and values of an enum.
type fieldRules struct {
	field string
	rules []model.ConversionRule
}

func groupRules(all []model.ConversionRule) ruleset {
	set := ruleset{of: map[model.GoType][]fieldRules{}, reached: map[model.GoType]bool{}}
next:
	for _, r := range all {
		have := set.of[r.Struct]
		for i := range have {
			if have[i].field == r.Field.V && r.Field.V != "" {
				have[i].rules = append(have[i].rules, r)
				continue next
			}
		}
		set.of[r.Struct] = append(have, fieldRules{field: r.Field.V, rules: []model.ConversionRule{r}})
	}
	return set
}

// reach returns the rules for a struct.
func (s ruleset) reach(t *resolve.Type) []fieldRules {
	key := model.GoType{Path: t.Package, Name: t.Name}
	s.reached[key] = true
	return s.of[key]
}

// alike reports whether a type that encodes itself and its counterpart are said to mean the same in JSON.
func (s ruleset) alike(t *resolve.Type) bool {
	return slices.ContainsFunc(s.reach(t), func(f fieldRules) bool { return f.rules[0].Verb == model.Alike })
}

func (s ruleset) unused() diag.List {
	var diags diag.List
	for t, fields := range s.of {
		if s.reached[t] {
			continue
		}
		for _, f := range fields {
			for _, r := range f.rules {
				diags.Add(diag.Errorf(r.Range, RuleUnused, "no conversion reaches the struct %s", t.Name).
					WithHint("mark the kind with +webhook:conversion:spoke, or remove the rule"))
			}
		}
	}
	return diags
}

// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/hint"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// spotOf returns the place of a rule for fields of the pair: the fields themselves, the embedding struct, or the
// outermost struct around. The last is for structs of other modules, and for rules that would concern other
// counterparts that have the fields.
func (p *pairPlanner) spotOf(paths ...Path) hint.Spot {
	isShared := slices.ContainsFunc(p.rules.Counterparts(p.Spoke), func(hub *resolve.Type) bool {
		return hub != p.Hub && slices.ContainsFunc(paths, func(m Path) bool { return fields.Has(hub, m.String()) })
	})
	named := func(before Path) string {
		var names []string
		for _, m := range paths {
			names = append(names, strings.Join(slices.Concat(before, m).Names(), "."))
		}
		return strings.Join(names, ";")
	}
	if p.isOwn(p.Spoke.Package) && !isShared {
		if slices.ContainsFunc(paths, func(m Path) bool { return !p.isOwn(p.declares(m)) }) {
			return hint.Spot{Fields: named(nil), On: " on " + p.Spoke.Name}
		}
		return hint.Spot{}
	}
	around, spoke := outermost(p.at.Spoke)
	counterpart, hub := outermost(p.at.Hub)
	pkg, name := p.conversion.Spoke.Path, p.conversion.Spoke.Name
	switch {
	case (around == nil) != (counterpart == nil): // a converter makes elements on one side alone
		pkg, name, spoke, hub = p.Spoke.Package, p.Spoke.Name, nil, nil
	case around != nil:
		pkg, name = around.Package, around.Name
	}
	s := hint.Spot{Fields: named(spoke), Hub: hub.Names(), On: " on " + name}
	if !p.isOwn(pkg) {
		s.Of, s.On = pkg+"."+name, " on a package of yours"
	}
	return s
}

// declares returns the package of the struct that has a field: the pair's own, or one that it embeds.
func (p *pairPlanner) declares(m Path) string {
	in := p.Spoke.Package
	for _, f := range m[:len(m)-1] {
		in = f.Type.Innermost().Package
	}
	return in
}

// outermost returns the outermost struct from which a path without lists and maps leads to the end of a path, and the
// path from there. The struct is nil if it is the kind.
func outermost(at Path) (around *resolve.Type, path Path) {
	path = at
	for i, f := range at {
		if t := f.Type.Innermost(); t != f.Type.Target() {
			around, path = t, at[i+1:]
		}
	}
	return around, path
}

// spot returns where a rule for the value's field can stand. If a rule is there, it is the same place.
func (p *valuePlanner) spot() hint.Spot {
	r := p.rule
	switch {
	case r == nil:
		return p.in.spotOf(p.path)
	case r.Struct.IsZero():
		return hint.Spot{Fields: r.Field.V}
	case !p.isOwn(r.Struct.Path):
		return hint.Spot{Of: r.Struct.Path + "." + r.Struct.Name, Fields: r.Field.V, On: " on a package of yours"}
	case strings.Contains(r.Field.V, "."):
		return hint.Spot{Fields: r.Field.V, On: " on " + r.Struct.Name}
	}
	return hint.Spot{}
}

// using writes the marker that converts the field by converters, after the converters of its rule. The field's place in
// the hub remains.
func (p *valuePlanner) using(as string) string {
	if p.rule != nil {
		as = strings.Join(append(slices.Clone(p.rule.As.V), as), ";")
		as = strings.ReplaceAll(as, "optional;pointer", "pointer")
		if path := p.rule.Path.V; path != "" && path != p.rule.Field.V {
			return p.spot().To(path, as)
		}
	}
	return p.spot().Marker(model.ToHub, "as", as)
}

// usingOnly is using without the converters of the rule.
func (p *valuePlanner) usingOnly(as string) string {
	if p.rule == nil {
		return p.using(as)
	}
	rule, alone := *p.rule, *p
	rule.As.V, alone.rule = nil, &rule
	return alone.using(as)
}

// byHand describes the rules for two fields without a converter.
func (p *valuePlanner) byHand() string {
	s := p.spot()
	var arguments []string
	if hub := s.Within(p.hubPath.String()); hub != cmp.Or(s.Fields, p.path.String()) {
		arguments = []string{"hub", hub}
	}
	custom := s.Marker(model.Custom, arguments...) + " asks for your own code"
	if p.entries.Spoke != "" { // which both versions have
		return custom
	}
	return fmt.Sprintf("%s, %s says that the two are not the same thing", custom, s.Marker(model.Stash))
}

// spotAt returns the place of a rule for the claim of a pair at a place.
func (p *planner) spotAt(pair *Pair, c *Claim, at place) hint.Spot {
	return (&pairPlanner{planner: p, Pair: pair, at: at.around(c)}).spotOf(c.Spoke)
}

// spotOn returns the place of a marker for a whole struct.
func (p *planner) spotOn(t *resolve.Type) hint.Spot {
	if !p.isOwn(t.Package) {
		return hint.Spot{Of: t.Package + "." + t.Name, On: " on a package of yours"}
	}
	return hint.Spot{On: " on " + t.Name}
}

// positionOf returns the position of a finding about a claim, and the place of a rule for it. For a field that only the
// hub has, a rule is on the struct of the spoke that would have it.
func (p *planner) positionOf(in *Pair, c *Claim, here place) (diag.Range, hint.Spot) {
	if c.Spoke != nil {
		return c.Spoke.Last().Range, p.spotAt(in, c, here)
	}
	return c.Hub.Last().Range, p.spotOn(in.Spoke)
}

// works reports whether converters fit the values of the field. It tries them, and leaves no trace.
func (p *valuePlanner) works(as string) bool {
	trial, tried := *p.planner, *p
	trial.trying, trial.diags = true, nil
	trial.Package = &Package{HandlerPackage: p.HandlerPackage, Pairs: slices.Clone(p.Pairs), Hooks: slices.Clone(p.Hooks)}
	trial.matched, trial.pairs, trial.unlocated = maps.Clone(p.matched), maps.Clone(p.pairs), maps.Clone(p.unlocated)
	tried.planner = &trial
	all := converters(strings.Split(as, ";"))
	if p.rule != nil {
		all = append(slices.Clone(p.rule.As.V), all...)
	}
	_, bad := tried.value(p.types(), all)
	return bad == nil
}

// SPDX-License-Identifier: Apache-2.0

// Package convert plans conversions between the versions of a kind. A Plan describes, for every field of both sides,
// how it converts in each direction and whether anything is lost. Unclaimed fields and fields that do not convert are
// reported at the field, with both sides shown.
package convert

import (
	"context"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/ruleset"
)

// Plan is the conversion between one spoke and its hub.
type Plan struct {
	*model.Conversion
	// Root is the pair of the two versions' types.
	Root *Pair
	// Schemas are the stash's schemas, by side.
	Schemas Sides[*Schema]
	// Refused are the fields of both versions for which a marker accepts what V11 is about, as sorted paths in JSON
	// names.
	Refused []string
}

// Package is one package of generated conversions.
type Package struct {
	model.HandlerPackage
	Plans []*Plan
	// Pairs are the pairs of structs that the plans need, in the order of their first use.
	Pairs []*Pair
	// Hooks are the pairs of types whose values the user's own code converts, in the same order.
	Hooks []Types
	// Hubs have one conversion for each type of the package that gets the method Hub.
	Hubs []*model.Conversion
}

// Cause is the marker that causes the package to be generated.
func (p *Package) Cause() diag.Range {
	if len(p.Plans) > 0 {
		return p.Plans[0].Range
	}
	return p.Hubs[0].Range
}

// Project plans all conversions of a project. A package with errors contains all its plans except the ones with errors.
func Project(ctx context.Context, module *load.Module, p *model.Project) ([]*Package, diag.List) {
	if len(p.Conversions) == 0 && len(p.ConversionRules) == 0 {
		return nil, nil
	}
	types, rules := resolve.New(ctx, module), ruleset.Group(p.ConversionRules)
	var packages []*Package
	var planners []*planner // of the packages, in the same order
	var diags diag.List
	plannerOf := func(in model.HandlerPackage) *planner {
		if i := slices.IndexFunc(packages, func(p *Package) bool { return p.Dir == in.Dir }); i >= 0 {
			return planners[i]
		}
		pkg := &Package{HandlerPackage: in}
		packages = append(packages, pkg)
		planners = append(planners, &planner{Package: pkg, module: module, types: types, rules: rules, pairs: map[pairKey]*Pair{}, deepCopyFiles: map[string][]byte{}, unlocated: map[string]bool{}, warned: map[warned]bool{}})
		return planners[len(planners)-1]
	}
	var found []conversion
	for _, c := range p.Conversions {
		planner := plannerOf(c.Package)
		if j := slices.IndexFunc(found, func(o conversion) bool { return o.planner == planner && o.Spoke.Name == c.Spoke.Name }); j >= 0 {
			diags.Add(diag.Errorf(c.Range, RuleTwice, "a second spoke %s in the package %s", c.Spoke.Name, c.Package.Path).
				WithHint("its functions would have the same names: put the marker into another package").WithRelated(found[j].Range, "the first is here"))
			continue
		}
		planner.conversion = c
		if types, ok := planner.roots(); ok {
			found = append(found, conversion{c, planner, types})
		}
	}
	matchAll(found, rules)
	for _, c := range found {
		c.planner.conversion = c.Conversion
		plan := c.planner.plan(c.types)
		c.planner.Plans = append(c.planner.Plans, plan)
		c.planner.refuseHooks(plan)
	}
	for _, planner := range planners {
		diags.Add(planner.diags...)
	}
	diags.Add(noteShared(planners)...)
	for _, c := range p.Conversions {
		if c.HubPackage.Dir == "" {
			continue
		}
		pkg := plannerOf(c.HubPackage)
		if !slices.ContainsFunc(pkg.Hubs, func(h *model.Conversion) bool { return h.Hub == c.Hub }) {
			pkg.Hubs = append(pkg.Hubs, c)
		}
	}
	if !diags.HasErrors() && !p.Incomplete {
		diags.Add(rules.Unused()...)
	}
	return packages, diags
}

// conversion is a conversion with its planner and the types of its kind.
type conversion struct {
	*model.Conversion
	planner *planner
	types   Sides[*Type]
}

// matchAll matches the rules to pairs of structs. A rule that is true for some counterparts of its struct alone has no
// effect on the others. Only then are these matched by names, which may lead to further counterparts.
func matchAll(all []conversion, rules ruleset.Set) {
	for again := true; again; again = rules.Narrowed() {
		for _, c := range all {
			c.planner.matched = map[pairKey]*pairPlanner{}
		}
		for _, c := range all {
			c.planner.conversion = c.Conversion
			c.planner.match(place{}, c.types.Spoke, c.types.Hub, typeMembers())
		}
	}
}

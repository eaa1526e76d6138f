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
)

// Plan is the conversion between one spoke and its hub.
type Plan struct {
	*model.Conversion
	// Root is the pair of the two versions' types.
	Root *Pair
	// Schemas are the stash's schemas, by side.
	Schemas Sides[*Schema]
	// Refused are the fields of both versions for which a marker accepts what V11 is about, as sorted paths in JSON names.
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
	types, rules := resolve.New(ctx, module), groupRules(p.ConversionRules)
	packages, diags := project(module, types, rules, p)
	for rules.narrowed() {
		packages, diags = project(module, types, rules, p)
	}
	if diags.HasErrors() { // by now all counterparts are known, for the hints
		packages, diags = project(module, types, rules, p)
	}
	return packages, diags
}

// project plans all conversions once. The rules note for which structs they are true.
func project(module *load.Module, types *resolve.Resolver, rules ruleset, p *model.Project) ([]*Package, diag.List) {
	var packages []*Package
	var planners []*planner // of the packages, in the same order
	var diags diag.List
	plannerOf := func(in model.HandlerPackage) *planner {
		if i := slices.IndexFunc(packages, func(p *Package) bool { return p.Dir == in.Dir }); i >= 0 {
			return planners[i]
		}
		pkg := &Package{HandlerPackage: in}
		packages = append(packages, pkg)
		planners = append(planners, &planner{Package: pkg, module: module, types: types, rules: rules, pairs: map[pairKey]*Pair{}, deepCopyFiles: map[string][]byte{}, unlocated: map[string]bool{}})
		return planners[len(planners)-1]
	}
	for _, c := range p.Conversions {
		planner := plannerOf(c.Package)
		if j := slices.IndexFunc(planner.Plans, func(p *Plan) bool { return p.Spoke.Name == c.Spoke.Name }); j >= 0 {
			diags.Add(diag.Errorf(c.Range, RuleTwice, "a second spoke %s in the package %s", c.Spoke.Name, c.Package.Path).
				WithHint("its functions would have the same names: put the marker into another package").WithRelated(planner.Plans[j].Range, "the first is here"))
			continue
		}
		planner.conversion = c
		if plan, ok := planner.plan(); ok {
			planner.Plans = append(planner.Plans, plan)
			planner.refuseHooks(plan)
		}
		diags.Add(planner.diags...)
		planner.diags = nil
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
		diags.Add(rules.unused()...)
	}
	return packages, diags
}

// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/hint"
	"github.com/webhook-gen/webhook-gen/generator/internal/limits"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/schema"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// noteDefaults warns of values that the Go type of a version cannot represent: its JSON leaves the zero value out, and
// an API server sets the default. Members that the handler copies as text are excepted. It returns the fields of these
// warnings, and of accepted ones.
func (p *planner) noteDefaults(plan *Plan) map[*resolve.Field]bool {
	same, warned := plan.Same(), map[*resolve.Field]bool{}
	p.visit(RuleDefault, plan, func(in *Pair, c *Claim, here place) bool {
		if same.has(here.Spoke.Names()) {
			return false
		}
		for _, d := range sides.Directions() {
			from, to := c.From(d).Last(), c.To(d).Last()
			if c.isEntry() || warned[to] || c.Default != nil && d == ToHub || !limits.LeavesZeroOut(to) || limits.RefusesZero(from) || limits.RefusesZero(to) {
				continue
			}
			if warned[to] = true; p.allows(RuleDefault, in, c, here.Spoke) {
				continue
			}
			version, option := p.version(d.To()), "omitempty"
			if !to.OmitEmpty || to.Type.Kind() == resolve.Struct || to.Type.Kind() == resolve.Array {
				option = "omitzero"
			}
			p.diags.Add(diag.Warningf(c.Spoke.Last().Range, RuleDefault, "%s of %s cannot be %s: its JSON leaves that out, and an API server then sets the default %s",
				strings.Join(here.To(d).Names(), "."), version, limits.ZeroText(to.Type), schema.Default(to)).
				WithHint("make it a pointer, or take %s out of its tag; %s accepts it", option, p.spotAt(in, c, here).Marker(model.Allow, "rule", RuleDefault)).WithRelated(to.Range, "the field of %s is here", version))
		}
		return true
	})
	return warned
}

// unreached reports defaults for fields below a pointer that nothing sets, so that the default would never apply.
func (p *pairPlanner) unreached() {
	for _, c := range p.Claims {
		to := c.DefaultTo()
		path := c.To(to)
		if !c.HasDefault() || c.Value != nil || !path.HasPointers() {
			continue
		}
		for i, f := range path[:len(path)-1] {
			around := path[:i+1]
			if f.Type.Kind() != resolve.Pointer || p.makes(around, to) {
				continue
			}
			custom := hint.Spot{Fields: around.String()}.Marker(model.Custom)
			if to == ToHub {
				s := p.spotOf()
				custom = s.Marker(model.Custom, "hub", s.Within(around.String()))
			}
			p.diags.Add(diag.Errorf(p.claims.To(to)[path.String()], RuleDefault, "the default for %s is never set: nothing of %s converts to %s or to a field in it", path, p.version(to.From()), around).
				WithHint("+webhook:conversion:to moves a field there; %s sets it by your own code", custom).WithRelated(f.Range, "%s is a pointer", around))
			break
		}
	}
}

// makes reports whether a value makes the struct at a path on the destination side of a direction.
func (p *pairPlanner) makes(around Path, to Direction) bool {
	return slices.ContainsFunc(p.Claims, func(c *Claim) bool {
		path := c.To(to)
		return c.Value != nil && (path.String() == around.String() || path.IsIn(around))
	})
}

// Replaced returns the fields of both versions whose zero value becomes a default, as sorted paths in JSON names: by
// markers, or because the JSON of their Go type leaves zero out. Fields that convert to such a field are included.
func (p *Plan) Replaced() []string {
	var paths []string
	for _, t := range []*resolve.Type{p.Root.Spoke, p.Root.Hub} {
		fields.Visit(t, nil, nil, func(path []string, f *resolve.Field) {
			if limits.LeavesZeroOut(f) {
				paths = append(paths, strings.Join(path, "."))
			}
		})

	}
	p.visit(func(_ *Pair, c *Claim, here place) bool {
		inBoth := c.Spoke != nil && c.Hub != nil
		if inBoth && (c.HasDefault() || c.Value != nil && (limits.LeavesZeroOut(c.Spoke.Last()) || limits.LeavesZeroOut(c.Hub.Last()))) {
			paths = append(paths, here.paths().List()...)
		}
		return true
	})
	slices.Sort(paths)
	return slices.Compact(paths)
}

// visit calls a function for the claims of a plan, at their places. It goes into a claim if the function returns true,
// and passes over types that encode themselves: JSON has no paths in them.
func (p *Plan) visit(use func(in *Pair, c *Claim, here place) bool) {
	inside := map[*Pair]bool{}
	var add func(*Pair, place)
	add = func(pair *Pair, at place) {
		if pair == nil || inside[pair] || pair.Opaque {
			return
		}
		inside[pair] = true
		defer delete(inside, pair)
		for _, c := range pair.Claims {
			if here := at.at(c.Spoke, c.Hub); use(pair, c, here) {
				inner, _ := c.Value.Inner()
				add(inner, here)
			}
		}
	}
	add(p.Root, place{})
}

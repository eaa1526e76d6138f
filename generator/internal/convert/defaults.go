// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"cmp"
	"fmt"
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
			if c.Default != nil && d == ToHub {
				continue
			}
			isValue := len(c.Value.traits().members) == 1 // a single member is the whole value
			for _, member := range append([]Path{nil}, c.Value.zeroMembers(d)...) {
				target, reason := to, ""
				if member != nil {
					target = member.Last()
				}
				if limits.LeavesZeroOut(target) {
					reason = "its JSON leaves that out, and an API server then sets the default " + schema.Default(target)
				} else if around := c.replacedAround(d); member == nil && around != nil {
					reason = fmt.Sprintf("that does not make %s, and an API server then sets its default %s", around.JSON, schema.Default(around))
				}
				if reason == "" || warned[target] || limits.RefusesZero(target) || (member == nil || isValue) && limits.RefusesZero(from) {
					continue
				}
				if warned[target] = true; !p.allows(RuleDefault, in, c, here.Spoke) {
					p.zeroDefault(in, c, here, d, member, reason)
				}
			}
		}
		return true
	})
	plan.visit(func(in *Pair, c *Claim, here place) bool {
		if c.Functions != sides.Both(false) || c.Verb == model.Drop || c.HasDefault() || c.Spoke != nil && same.has(here.Spoke.Names()) {
			return false
		}
		inner, _ := c.Value.Inner()
		for _, side := range []Side{Spoke, Hub} {
			if c.At(side) != nil && inner == nil && p.noteZeroBelow(in, c, here, side) {
				break // a copy has the same fields
			}
		}
		return true
	})
	return warned
}

// noteZeroBelow warns of fields that cannot be zero in a value of one side that is kept or copied whole: the Go type
// reads it. It reports whether there are any.
func (p *planner) noteZeroBelow(in *Pair, c *Claim, here place, side Side) bool {
	var names []string
	var first *resolve.Field
	whole, members := c.At(side).Last(), c.Value.zeroMembers(side.In())
	add := func(path []string, f *resolve.Field) {
		isMember := slices.ContainsFunc(members, func(m Path) bool { return m.Last() == f })
		if !limits.LeavesZeroOut(f) || limits.RefusesZero(f) || isMember {
			return
		}
		first = cmp.Or(first, f)
		names = append(names, strings.Join(path, "."))
	}
	if c.Value == nil {
		add(here.At(side).Names(), whole)
	}
	fields.Visit(whole.Type.Innermost(), here.At(side).Names(), nil, add)
	if names == nil || p.allows(RuleDefault, in, c, here.Spoke) {
		return names != nil
	}
	const most = 3
	zero, defaults := limits.ZeroText(first.Type), "the default "+schema.Default(first)
	if len(names) > 1 {
		zero, defaults = "zero", "the defaults"
	}
	if len(names) > most {
		names = append(names[:most], "...")
	}
	at, s := p.positionOf(in, c, here)
	p.warn(diag.Warningf(at, RuleDefault, "%s of %s cannot be %s: its JSON leaves that out, and an API server then sets %s",
		strings.Join(names, ", "), p.version(side), zero, defaults).
		WithHint("%s; %s accepts it", zeroRemedy(first), s.Marker(model.Allow, "rule", RuleDefault)).WithRelated(first.Range, "the field of %s is here", p.version(side)), c, here)
	return true
}

// zeroDefault warns of a field of a direction's destination that cannot be zero.
func (p *planner) zeroDefault(in *Pair, c *Claim, here place, d Direction, member Path, reason string) {
	path := here.To(d)
	path = slices.Concat(path, member)
	to := path.Last()
	version := p.version(d.To())
	p.warn(diag.Warningf(c.Spoke.Last().Range, RuleDefault, "%s of %s cannot be %s: %s",
		strings.Join(path.Names(), "."), version, limits.ZeroText(to.Type), reason).
		WithHint("%s; %s accepts it", zeroRemedy(to), p.spotAt(in, c, here).Marker(model.Allow, "rule", RuleDefault)).WithRelated(to.Range, "the field of %s is here", version), c, here)
}

// zeroRemedy describes how a field can be zero.
func zeroRemedy(f *resolve.Field) string {
	switch {
	case !limits.OmitsEmpty(f):
		return "remove that default"
	case !f.OmitEmpty || f.Type.Kind() == resolve.Struct || f.Type.Kind() == resolve.Array:
		return "make it a pointer, or take omitzero out of its tag"
	}
	return "make it a pointer, or take omitempty out of its tag"
}

// zeroMembers returns the members of a struct in a direction's destination that a plain value becomes, and that may be
// zero beside others: of a struct around the value, or of a text's parts.
func (v *Value) zeroMembers(d Direction) (all []Path) {
	for ; v != nil; v = v.Elem {
		if v.Outer == d.To() {
			all = append(all, v.traits().members...)
		}
	}
	return all
}

// replacedAround returns the field of a pointer around the claim's field in a direction's destination, if the zero
// value makes no struct there and an API server sets a default that has the field.
func (c *Claim) replacedAround(d Direction) *resolve.Field {
	path := c.To(d)
	if c.ZeroBelow(d) || path.Last().Type.Kind() == resolve.Pointer {
		return nil
	}
	for _, f := range path[:len(path)-1] {
		if f.Type.Kind() == resolve.Pointer && schema.Default(f) != "" && limits.ReplacesNil(f) && (schema.Default(f) != "{}" || limits.ReplacesZero(path.Last())) {
			return f
		}
	}
	return nil
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

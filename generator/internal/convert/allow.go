// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/ruleset"
)

// allows reports whether a marker accepts a warning about a claim of a pair. The path leads from the kind to the field
// of the spoke.
func (p *planner) allows(rule string, pair *Pair, c *Claim, path Path) bool {
	allowed := p.allowing(rule, pair, c, path)
	for _, r := range allowed {
		p.rules.Use(r)
	}
	return len(allowed) > 0
}

// allowing returns the markers that accept a warning about a claim, if there is one.
func (p *planner) allowing(rule string, pair *Pair, c *Claim, path Path) []*model.ConversionRule {
	return slices.DeleteFunc(slices.Clone(p.rules.Allowances()), func(r *model.ConversionRule) bool {
		// A converter may have led into a member, which the path does not have.
		return r.Rule != rule || !p.covers(r, path) && !p.isFor(r, pair.Spoke, c.Spoke)
	})
}

// visit is a pair at a place. An allowance of a rule covers the pair at some places, and not at others.
type visit struct {
	pair    *Pair
	covered bool
}

// visit calls a function for the claims with values of a pair and of the pairs inside it, at their places. It visits a
// pair once with an allowance of the rule, and once without. It goes into a claim if the function returns true.
func (p *planner) visit(rule string, pair *Pair, at place, seen map[visit]bool, use func(in *Pair, c *Claim, here place) bool) {
	visited := visit{pair, len(at.Spoke) > 0 && slices.ContainsFunc(p.rules.Allowances(), func(r *model.ConversionRule) bool {
		return r.Rule == rule && p.covers(r, at.Spoke)
	})}
	if seen[visited] || pair.Opaque {
		return
	}
	seen[visited] = true
	for _, c := range pair.Claims {
		here := at.at(c.Spoke, c.Hub)
		if inner := c.Value.inner(); c.Value != nil && use(pair, c, here) && inner != nil {
			p.visit(rule, inner, here, seen, use)
		}
	}
}

// covers reports whether an allowance is for a field, or for a field or struct around it.
func (p *planner) covers(r *model.ConversionRule, path Path) bool {
	around, err := p.types.Named(p.conversion.Spoke.Path, p.conversion.Spoke.Name)
	for i := 0; err == nil && i < len(path); i++ {
		if p.isFor(r, around, path[i:]) {
			return true
		}
		around = path[i].Type.Innermost()
	}
	return false
}

// isFor reports whether an allowance is for a field of a struct, or for a field around it.
func (p *planner) isFor(r *model.ConversionRule, t *resolve.Type, path Path) bool {
	if r.Struct.IsZero() {
		return r.Declared == p.conversion.Declared && isAt(r.Field.V, path)
	}
	return r.Struct == ruleset.GoType(t) && isAt(r.Field.V, path)
}

// isAt reports whether a path leads to a field or into it. A final * stands for every field. Without a field, any path
// does.
func isAt(field string, path Path) bool {
	if len(path) > 0 && path[0].Inline && path[0].Name == field {
		return true
	}
	names := path.Names()
	want := strings.Split(strings.TrimSuffix(strings.TrimSuffix(field, "*"), "."), ".")
	if want[0] == "" {
		return true
	}
	return len(names) >= len(want) && slices.Equal(names[:len(want)], want)
}

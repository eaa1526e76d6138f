// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
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
	return p.rules.Accepting(rule, p.spoke(), path, pair.Spoke, c.Spoke)
}

// spoke returns the kind of the spoke, whose type has been found before.
func (p *planner) spoke() ruleset.Kind {
	t, _ := p.types.Named(p.conversion.Spoke.Path, p.conversion.Spoke.Name)
	return ruleset.Kind{Declared: p.conversion.Declared, Type: t}
}

// warn adds a warning about a claim, unless there is the same one about the struct at another place: in another kind,
// or below another field. A marker that accepts one of the two accepts both.
func (p *planner) warn(d diag.Diagnostic, c *Claim, here place) {
	key := warned{d.Range, d.Rule, d.Message, d.Hint}
	for _, around := range here.around(c).paths().List() {
		if around != "" {
			key.message = strings.ReplaceAll(key.message, around+".", "")
		}
	}
	if !p.warned[key] {
		p.warned[key] = true
		p.diags.Add(d)
	}
}

// warned identifies a warning. Paths in the message begin at the struct.
type warned struct {
	at                  diag.Range
	rule, message, hint string
}

// visit is a pair at a place. An allowance of a rule covers the pair at some places, and not at others.
type visit struct {
	pair    *Pair
	covered bool
}

// visit calls a function for the claims with values of a plan, at their places. It visits a pair once with an allowance
// of the rule, and once without. It goes into a claim if the function returns true.
func (p *planner) visit(rule string, plan *Plan, use func(in *Pair, c *Claim, here place) bool) {
	seen := map[visit]bool{}
	var add func(*Pair, place)
	add = func(pair *Pair, at place) {
		visited := visit{pair, len(p.rules.Covering(rule, p.spoke(), at.Spoke)) > 0}
		if seen[visited] || pair.Opaque {
			return
		}
		seen[visited] = true
		for _, c := range pair.Claims {
			here := at.at(c.Spoke, c.Hub)
			if inner, _ := c.Value.Inner(); c.Value != nil && use(pair, c, here) && inner != nil {
				add(inner, here)
			}
		}
	}
	add(plan.Root, place{})
}

// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/hint"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/ruleset"
	"github.com/webhook-gen/webhook-gen/generator/internal/schema"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// noteExpressions warns of rules in CEL that one version has and the other lacks: an object that only one version
// accepts becomes visible in the other. Rules are compared as text, with the names that fields have in the hub.
func (p *planner) noteExpressions(plan *Plan) {
	type types struct {
		spoke, hub *resolve.Type
		message    string
	}
	warned := map[types]bool{}
	warn := func(at Sides[diag.Range], in *Pair, c *Claim, here place, name, hub string, of types, s func() hint.Spot) {
		if of.message == "" || warned[of] || p.allows(RuleExpressions, in, c, here.Spoke) {
			return
		}
		warned[of] = true
		p.warn(diag.Warningf(at.Spoke, RuleExpressions, "%s: %s", name, of.message).
			WithHint("give both versions the rule; %s accepts the difference", s().Marker(model.Allow, "rule", RuleExpressions)).
			WithRelated(at.Hub, "%s of %s is here", hub, p.conversion.Hub.Version), c, here)
	}
	root := plan.Root
	spoke, hub := typeRules(root.Spoke), typeRules(root.Hub)
	warn(sides.New(root.Spoke.Range, root.Hub.Range), root, &Claim{}, place{}, root.Spoke.Name, root.Hub.Name,
		types{root.Spoke, root.Hub, p.differing(root, spoke, hub)}, func() hint.Spot { return p.spotOn(root.Spoke) })
	p.visit(RuleExpressions, plan, func(in *Pair, c *Claim, here place) bool {
		if c.isCustom() || c.isEntry() { // the text of an entry has no rules
			return false
		}
		spoke, hub := c.Spoke.Last(), c.Hub.Last()
		if spoke.Type.Err() != nil || hub.Type.Err() != nil {
			return true
		}
		inner, _ := c.Value.Inner()
		message := p.differing(inner, valueRules(spoke), valueRules(hub))
		warn(sides.New(spoke.Range, hub.Range), in, c, here, strings.Join(here.Spoke.Names(), "."), "the field",
			types{spoke.Type.Innermost(), hub.Type.Innermost(), message}, func() hint.Spot { return p.spotAt(in, c, here) })
		return true
	})
}

// valueRules returns the rules of a field's value and of its elements.
func valueRules(f *resolve.Field) []string {
	all := schema.Expressions(f.Doc)
	for t := f.Type; t != nil; t = t.Elem() {
		all = append(all, typeRules(t)...)
	}
	return all
}

// typeRules returns the rules of a type, and of the structs that it embeds.
func typeRules(t *resolve.Type) (all []string) {
	if t.Err() != nil || strings.HasPrefix(t.Package, "k8s.io/") {
		return nil
	}
	if t.Kind() != resolve.Struct {
		return schema.Expressions(t.Doc())
	}
	for _, in := range ruleset.Inlined(t, nil) {
		all = append(all, schema.Expressions(in.Doc())...)
	}
	return all
}

// differing describes the rules that one version alone has. A transition rule does not count: it compares an object
// with the stored one, and an unchanged object satisfies it. Nor does a rule about a field that the other version
// lacks.
func (p *planner) differing(pair *Pair, spoke, hub []string) string {
	isOwn := func(side Side) func(string) bool {
		return func(rule string) bool { return strings.Contains(rule, "oldSelf") || pair.lacksField(rule, side) }
	}
	spoke, hub = slices.DeleteFunc(spoke, isOwn(Spoke)), slices.DeleteFunc(hub, isOwn(Hub))
	for i, rule := range spoke {
		spoke[i] = pair.inHub(rule)
	}
	var parts []string
	rules := sides.New(spoke, hub)
	for _, side := range []Side{Spoke, Hub} {
		own, others := rules.Across(side)
		for _, rule := range own {
			if !slices.Contains(others, rule) {
				parts = append(parts, fmt.Sprintf("%s has the rule %q, and %s has not", p.version(side), rule, p.version(side.Other())))
			}
		}
	}
	return strings.Join(parts, ", and ")
}

var selfPath = regexp.MustCompile(`\bself((?:\.[A-Za-z_]\w*)+)`)

// lacksField reports whether a rule of a side's struct is about a field that does not convert.
func (p *Pair) lacksField(rule string, side Side) bool {
	if p == nil {
		return false
	}
	return slices.ContainsFunc(selfPath.FindAllString(rule, -1), func(text string) bool {
		first := strings.Split(text, ".")[1]
		is := func(c *Claim) bool {
			names := c.At(side).Names()
			return len(names) > 0 && names[0] == first
		}
		return slices.ContainsFunc(p.Claims, is) && !slices.ContainsFunc(p.Claims, func(c *Claim) bool { return is(c) && c.Value != nil })
	})
}

// inHub returns a rule of the spoke's struct with the names that its fields have in the hub.
func (p *Pair) inHub(rule string) string {
	return selfPath.ReplaceAllStringFunc(rule, func(text string) string {
		return "self." + strings.Join(p.pathInHub(strings.Split(text, ".")[1:]), ".")
	})
}

func (p *Pair) pathInHub(names []string) []string {
	if p == nil || len(names) == 0 {
		return names
	}
	for n := len(names); n > 0; n-- {
		for _, c := range p.Claims {
			if c.Value != nil && slices.Equal(c.Spoke.Names(), names[:n]) {
				return slices.Concat(c.Hub.Names(), c.Value.structs().pathInHub(names[n:]))
			}
		}
	}
	return names
}

// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"fmt"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/limits"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

func elements(values Sides[limits.Value]) Sides[limits.Value] {
	return sides.New(values.Spoke.Elements(), values.Hub.Elements())
}

// noteBounds warns of values that one version accepts and the other refuses.
func (p *planner) noteBounds(plan *Plan) {
	same := plan.Same()
	p.visit(RuleBounds, plan, func(in *Pair, c *Claim, here place) bool {
		b := bounds{planner: p, pair: in, claim: c, at: here, isText: same.has(here.Spoke.Names())}
		b.value(c.Value, sides.New(limits.Of(c.Spoke.Last()), limits.Of(c.Hub.Last())), "")
		return true
	})
}

// bounds compares the markers of the values of a claim.
type bounds struct {
	*planner
	pair  *Pair
	claim *Claim
	at    place
	// isText is true if the handler copies the text of the values.
	isText bool
	// zeroless is true for each direction in which a zero value sets nothing on the other side.
	zeroless Ways[bool]
	// renames are the values that get other names.
	renames Rename
}

// value compares the markers of two values and of their content. part names the content: "[]" for elements.
func (b bounds) value(v *Value, values Sides[limits.Value], part string) {
	v.Kind.bounds(b, v, values, part)
}

// elements compares the markers of the elements of two lists or maps.
func (b bounds) elements(v *Value, values Sides[limits.Value], part string) {
	b.zeroless = Ways[bool]{}
	b.value(v.Elem, elements(values), part+"[]")
}

// element compares the markers of a value and of an element of a list.
func (b bounds) element(v *Value, values Sides[limits.Value], part string) {
	b.zeroless = Ways[bool]{}
	b.zeroless[v.Outer.In()] = true
	list := values.On(v.Outer)
	*list = list.Elements()
	b.value(v.Elem, values, part)
}

// same compares values of one type. The fields may have different markers for them and for their elements.
func (b bounds) same(values Sides[limits.Value], part string) {
	b.compare(values, part)
	kind := values.Spoke.Type.Kind()
	if kind == values.Hub.Type.Kind() && (kind == resolve.Slice || kind == resolve.Array || kind == resolve.Map) {
		b.zeroless = Ways[bool]{}
		b.same(elements(values), part+"[]")
	}
}

// compare reports the markers of each side that refuse values of the other side.
func (b bounds) compare(values Sides[limits.Value], part string) {
	var found Ways[[]limits.Refusal]
	for _, d := range sides.Directions() {
		renamed := map[string]string{}
		for _, r := range b.renames[d] {
			renamed[r.From] = r.To
		}
		found[d] = limits.Refusals(values.From(d), values.To(d), limits.Change{IsText: b.isText, IsZeroless: b.zeroless[d],
			HasDefault: b.claim.Default != nil && d == ToHub, Same: b.claim.Same, Renamed: renamed, Constants: b.types.Constants})
	}
	b.report(found, part)
}

// report warns of refused values, once for a field or its elements.
func (b bounds) report(found Ways[[]limits.Refusal], part string) {
	var parts, differ []string
	for _, verb := range []string{"refuses", "may refuse", "differs"} {
		for d, refused := range found {
			from, to := b.version(Direction(d).From()), b.version(Direction(d).To())
			var each []string
			for _, r := range refused {
				name, value, _ := strings.Cut(r.To, "=")
				switch {
				case r.Verb() != verb:
				case verb != "differs":
					each = append(each, fmt.Sprintf("%s in %s, %s in %s", r.To, to, r.From, from))
				case !slices.Contains(differ, name): // the other direction says the same
					differ = append(differ, name)
					parts = append(parts, fmt.Sprintf("%s differs (%s in %s, %s in %s)", name, value, to, strings.TrimPrefix(r.From, name+"="), from))
				}
			}
			if each != nil {
				parts = append(parts, fmt.Sprintf("%s %s values that %s accepts (%s)", to, verb, from, strings.Join(each, "; ")))
			}
		}
	}
	if parts == nil || b.allows(RuleBounds, b.pair, b.claim, b.at.Spoke) {
		return
	}
	s := b.spotAt(b.pair, b.claim, b.at)
	b.warn(diag.Warningf(b.claim.Spoke.Last().Range, RuleBounds, "%s: %s", strings.Join(b.at.Spoke.Names(), ".")+part, strings.Join(parts, ", and ")).
		WithHint("give both the same markers; %s converts the values by your own code, %s accepts the difference", s.Marker(model.Custom), s.Marker(model.Allow, "rule", RuleBounds)).
		WithRelated(b.claim.Hub.Last().Range, "the field of %s is here", b.conversion.Hub.Version), b.claim, b.at)
}

// noteRefused collects the fields of both versions for which a marker accepts that one version refuses values of the
// other: an allowance, or values of an enum that stay what they are.
func (p *planner) noteRefused(plan *Plan) {
	plan.visit(func(in *Pair, c *Claim, here place) bool {
		accepts := c.Value != nil && (c.Same != nil || len(p.allowing(RuleBounds, in, c, here.Spoke)) > 0)
		if accepts {
			plan.Refused = append(plan.Refused, here.paths().List()...)
		}
		return !accepts
	})
	slices.Sort(plan.Refused)
	plan.Refused = slices.Compact(plan.Refused)
}

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

// noteLacking warns of required fields that the other version lacks. The annotation of a new object keeps nothing for
// them, so an API server refuses the object in their version unless it accepts what Go writes.
func (p *planner) noteLacking(plan *Plan) {
	seen := map[*Claim]bool{}
	plan.visit(func(in *Pair, c *Claim, here place) bool {
		for _, d := range sides.Directions() {
			isBuiltIn := strings.HasPrefix(in.To(d).Package, "k8s.io/")
			if isBuiltIn || seen[c] || in.After[d] || !c.isLacking(d, in.To(d)) || p.allows(RuleBeside, in, c, here.Spoke) {
				continue
			}
			seen[c] = true
			s := p.spotOn(in.Spoke)
			if d == FromHub {
				s = p.spotAt(in, c, here)
			}
			p.warn(diag.Warningf(declared(here.To(d)).Range, RuleBeside, "%s: %s requires it, and %s lacks it",
				strings.Join(here.To(d).Names(), "."), p.version(d.To()), p.version(d.From())).
				WithHint("make it optional%s; %s accepts it", c.adviseDefault(d, s), s.Marker(model.Allow, "rule", RuleBeside)), c, here)
		}
		return true
	})
}

// declared returns the last field on a path that no package of Kubernetes declares: a user can change it.
func declared(path Path) *resolve.Field {
	for len(path) > 1 && strings.HasPrefix(path[len(path)-2].Type.Innermost().Package, "k8s.io/") {
		path = path[:len(path)-1]
	}
	return path.Last()
}

// adviseDefault returns the marker that sets a value for a field, if it can have one.
func (c *Claim) adviseDefault(d Direction, s hint.Spot) string {
	field := c.To(d).Last()
	if !field.Type.IsText() && !field.Type.IsWhole() {
		return ""
	}
	at := s
	at.On = ""
	text := at.Marker(model.Default)
	if d == ToHub {
		text = at.Marker(model.Default, "hub", c.Hub.String())
	}
	l := limits.OfField(field)
	return fmt.Sprintf(", or %s=%q%s sets a value", text, cmp.Or(append(slices.Clip(l.Enum), l.Minimum, "...")...), s.On)
}

// isLacking reports whether a direction's destination requires a field that the source lacks, and refuses what Go
// writes for it.
func (c *Claim) isLacking(d Direction, in *resolve.Type) bool {
	to := c.To(d)
	sets := c.Functions[d] || c.HasDefault() && d == c.DefaultTo()
	return to != nil && c.From(d) == nil && c.Value == nil && !sets && !c.isEntry() && refusesUnset(in, to.Last(), nil)
}

// refusesUnset reports whether an API server refuses a struct of a type for a field that nobody has set, as Go writes
// it.
func refusesUnset(of *resolve.Type, f *resolve.Field, inside []*resolve.Type) bool {
	t := f.Type
	isTime := t.Is(fields.MetaPackage, "Time") || t.Is(fields.MetaPackage, "MicroTime") // JSON has null for zero
	omits := limits.OmitsZero(f) || f.OmitEmpty && (t.Kind() == resolve.Pointer || t.Kind() == resolve.Interface)
	switch {
	case t.Err() != nil, schema.Default(f) != "", f.JSON == "" && !f.Inline:
		return false
	case f.Inline, t.Kind() == resolve.Struct && !t.EncodesItself() && !f.OmitZero:
		inner := t.Target()
		return t.Kind() == resolve.Struct && !slices.Contains(inside, inner) && slices.ContainsFunc(inner.Fields(), func(f *resolve.Field) bool {
			return refusesUnset(inner, f, append(slices.Clip(inside), inner))
		})
	case !schema.Requires(of, f):
		return false
	case omits:
		return true
	case t.Kind() == resolve.Basic:
		return limits.RefusesZero(f)
	}
	return !schema.IsNullable(f) && (isTime || slices.Contains([]resolve.Kind{resolve.Pointer, resolve.Interface, resolve.Slice, resolve.Map}, t.Kind()))
}

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

// noteOneDefault warns of fields with a default in one version alone: it becomes a value of the other version, which
// nobody has written there. The fields in warned have a finding about their default already.
func (p *planner) noteOneDefault(plan *Plan, warned map[*resolve.Field]bool) {
	same := plan.Same()
	p.visit(RuleOneDefault, plan, func(in *Pair, c *Claim, here place) bool {
		if c.isEntry() || c.HasDefault() {
			return true
		}
		for _, d := range sides.Directions() {
			from, to := c.From(d).Last(), c.To(d).Last()
			differs := limits.ReplacesZero(to) || schema.Default(to) != "" && from.Type.Kind() == resolve.Pointer
			isWritten := !same.has(here.Spoke.Names()) && c.writesMissing(d)
			if !differs || isWritten || !limits.Of(from).MayBeAbsent() || warned[to] || p.allows(RuleOneDefault, in, c, here.Spoke) {
				continue
			}
			warned[to] = true
			p.warn(diag.Warningf(c.Spoke.Last().Range, RuleOneDefault, "%s: the default %s of %s becomes a value of %s if the field is missing",
				strings.Join(here.Spoke.Names(), "."), schema.Default(to), p.version(d.To()), p.version(d.From())).
				WithHint("give both the same default; %s accepts it", p.spotAt(in, c, here).Marker(model.Allow, "rule", RuleOneDefault)).
				WithRelated(c.Hub.Last().Range, "the field of %s is here", p.conversion.Hub.Version), c, here)
		}
		return true
	})
}

// writesMissing reports whether a missing value becomes one in the object that Go writes, so that no default applies.
func (c *Claim) writesMissing(d Direction) bool {
	to := c.To(d).Last()
	if how, ok := c.Value.Kind.(Optional); ok && c.Value.Outer == d.To() && !how.ZeroIsNil {
		return true
	}
	if to.Type.Kind() == resolve.Pointer {
		return !to.OmitEmpty && !to.OmitZero && schema.IsNullable(to) // null stays
	}
	return !limits.OmitsZero(to) && !c.Below(d)
}

// noteUnknown warns of structs in which the API server keeps members that their Go types do not have. A conversion
// loses these members, unless the handler copies the text of the struct.
func (p *planner) noteUnknown(plan *Plan) {
	same := plan.Same()
	if root := plan.Root; !root.isSame(map[*Pair]bool{}) && (schema.Preserves(root.Spoke.Doc()) || schema.Preserves(root.Hub.Doc())) {
		p.unknown(root.Spoke.Range, root, &Claim{}, place{}, root.Spoke.Name, p.spotOn(root.Spoke))
	}
	plan.visit(func(in *Pair, c *Claim, here place) bool {
		if c.Functions != sides.Both(false) || c.Verb == model.Drop || c.Within != nil || c.Spoke != nil && same.has(here.Spoke.Names()) {
			return c.Spoke == nil || !same.has(here.Spoke.Names())
		}
		for _, side := range []Side{Spoke, Hub} {
			path := c.At(side)
			if path == nil || !keepsUnknown(path.Last()) {
				continue
			}
			at, s := p.positionOf(in, c, here)
			p.unknown(at, in, c, here, here.paths().At(side), s)
			break
		}
		return true
	})
}

// noteFloats warns of numbers that a conversion reads into a float32, with fewer digits than an object may have.
// Members that the handler copies as text keep their digits.
func (p *planner) noteFloats(plan *Plan) {
	same, warned := plan.Same(), map[*resolve.Field]bool{}
	plan.visit(func(in *Pair, c *Claim, here place) bool {
		if c.Verb == model.Drop || c.Spoke != nil && same.has(here.Spoke.Names()) {
			return false
		}
		for _, side := range []Side{Spoke, Hub} {
			path := c.At(side)
			inner, _ := c.Value.Inner()
			if path == nil || warned[path.Last()] || path.Last().Type.Err() != nil || !holdsFloat(path.Last().Type, inner == nil, nil) {
				continue
			}
			if warned[path.Last()] = true; p.allows(RuleFloat, in, c, here.Spoke) {
				continue
			}
			at, s := p.positionOf(in, c, here)
			p.warn(diag.Warningf(at, RuleFloat, "%s of %s is float32: a conversion rounds numbers to about seven digits",
				here.paths().At(side), p.version(side)).
				WithHint("make it a float64, or better a resource.Quantity; %s accepts it", s.Marker(model.Allow, "rule", RuleFloat)), c, here)
			break
		}
		return true
	})
}

// holdsFloat reports whether a type is float32, or has elements of it. With deep, fields of structs count.
func holdsFloat(t *resolve.Type, deep bool, inside []*resolve.Type) bool {
	t = t.Innermost()
	if t.Err() != nil || t.Kind() != resolve.Struct || !deep || t.EncodesItself() || slices.Contains(inside, t) {
		return t.Err() == nil && t.Basic() == "float32"
	}
	inside = append(slices.Clip(inside), t)
	return slices.ContainsFunc(fields.Of(t, nil), func(m Path) bool { return holdsFloat(m.Last().Type, deep, inside) })
}

// unknown warns of one struct with unknown members.
func (p *planner) unknown(at diag.Range, in *Pair, c *Claim, here place, name string, s hint.Spot) {
	if p.allows(RuleUnknown, in, c, here.Spoke) {
		return
	}
	remedy := "remove the marker"
	if len(here.Spoke)+len(here.Hub) > 0 {
		remedy = "give it the type runtime.RawExtension, or " + remedy
	}
	p.warn(diag.Warningf(at, RuleUnknown, "%s has PreserveUnknownFields, and a conversion loses members that the Go type does not have", name).
		WithHint("%s; %s accepts it", remedy, s.Marker(model.Allow, "rule", RuleUnknown)), c, here)
}

// keepsUnknown reports whether an API server keeps unknown members of the struct in a field, or of its elements. The
// structs of Kubernetes have fields for all of their members.
func keepsUnknown(f *resolve.Field) bool {
	t := f.Type
	marked := schema.Preserves(f.Doc)
	for t.Elem() != nil {
		marked = marked && t.Kind() != resolve.Map
		t = t.Elem()
	}
	return t.Kind() == resolve.Struct && !t.EncodesItself() && !strings.HasPrefix(t.Package, "k8s.io/") && (marked || schema.Preserves(t.Doc()))
}

// shared is a field that a spoke keeps in an annotation. allowed reports whether a marker accepts that.
type shared struct {
	*Plan
	*Claim
	allowed func() bool
}

// noteShared warns of fields that several spokes have and their hub lacks. Each spoke then has a value of its own.
func noteShared(planners []*planner) diag.List {
	var diags diag.List
	type key struct{ group, hub, path string }
	first := map[key]shared{}
	for _, p := range planners {
		for _, plan := range p.Plans {
			plan.visit(func(in *Pair, c *Claim, here place) bool {
				if c.Spoke == nil || c.Verb != model.Stash {
					return true
				}
				at := key{plan.Hub.Group, plan.Hub.Path + "." + plan.Hub.Name, strings.Join(here.Spoke.Names(), ".")}
				now := shared{plan, c, func() bool {
					p.conversion = plan.Conversion
					return p.allows(RuleShared, in, c, here.Spoke)
				}}
				before, ok := first[at]
				if !ok {
					first[at] = now
					return true
				}
				one, other := before.allowed(), now.allowed()
				if one || other {
					return true
				}
				p.conversion = plan.Conversion
				diags.Add(diag.Warningf(c.Spoke.Last().Range, RuleShared, "%s: %s and %s have it, and %s does not: each of them keeps a value of its own",
					at.path, before.Plan.Spoke.Version, plan.Spoke.Version, plan.Hub.Version).
					WithHint("add it to %s; %s accepts it", plan.Hub.Version, p.spotAt(in, c, here).Marker(model.Allow, "rule", RuleShared)).
					WithRelated(before.Claim.Spoke.Last().Range, "the field of %s is here", before.Plan.Spoke.Version))
				return true
			})
		}
	}
	return diags
}

// Unkeyed returns the value of the first list of objects without keys, or nil. After an edit, an annotation cannot
// tell which element a kept value belongs to.
func (c *Claim) Unkeyed(side Side) *Value {
	for v := c.Value; v != nil; v = v.Elem {
		if v.isList() && (v != c.Value || len(c.listKeys(side)) == 0) {
			return v
		}
	}
	return nil
}

// noteUnkeyed warns of lists without keys whose elements have members that the other version lacks: a client of the
// other version loses them by changing the element.
func (p *planner) noteUnkeyed(plan *Plan) {
	p.visit(RuleUnkeyed, plan, func(in *Pair, c *Claim, here place) bool {
		var parts []string
		for _, d := range sides.Directions() {
			list := c.Unkeyed(d.From())
			if list == nil {
				continue
			}
			const most = 3
			names, some := list.Elem.ownMembers(d.From(), map[*Pair]bool{})
			for _, name := range some {
				if name != "" { // else a changed element is another one as a whole
					names = append(names, "some values of "+name)
				}
			}
			if len(names) > most {
				names = append(names[:most], "...")
			}
			if names != nil {
				parts = append(parts, p.version(d.From())+" alone has "+strings.Join(names, ", "))
			}
		}
		if parts == nil || p.allows(RuleUnkeyed, in, c, here.Spoke) {
			return true
		}
		p.warn(diag.Warningf(c.Spoke.Last().Range, RuleUnkeyed, "%s: in the elements of this list without keys, %s: a client of the other version drops them by changing the element",
			strings.Join(here.Spoke.Names(), "."), strings.Join(parts, ", and ")).
			WithHint("+listType=map and +listMapKey identify the elements, in both versions; %s accepts it", p.spotAt(in, c, here).Marker(model.Allow, "rule", RuleUnkeyed)).
			WithRelated(c.Hub.Last().Range, "the field of %s is here", p.conversion.Hub.Version), c, here)
		return false // lists in the elements have members of these
	})
}

// ownMembers returns the members of a value that the other side lacks, as paths in JSON names, and the members of which
// it cannot represent some values. The path is empty for the value itself. Only their author knows what functions of
// the user lose, and whether a list was nil or empty is no matter.
func (v *Value) ownMembers(side Side, inside map[*Pair]bool) (lacks, some []string) {
	for ; v != nil; v = v.Elem {
		how, isWrap := v.Kind.(Wrap)
		switch {
		case v.Loss[side.Out()] == "" || v.Kind == Kind(Hook{}) || v.EmptyIsNil[side.Out()]:
		case isWrap && v.Outer == side:
			lacks = append(lacks, "members beside "+how.Member.String())
		default:
			some = []string{""}
		}
		pair := v.Pair()
		if pair == nil || inside[pair] || pair.Opaque {
			continue
		}
		inside[pair] = true
		for _, c := range pair.Claims {
			if path := c.At(side); path == nil || c.Functions != sides.Both(false) {
				continue
			} else if c.Value == nil && c.Loss(side.Out()) != "" {
				lacks = append(lacks, path.String())
			} else if c.Value != nil {
				below, values := c.Value.ownMembers(side, inside)
				lacks, some = append(lacks, inPath(path, below)...), append(some, inPath(path, values)...)
			}
		}
	}
	return lacks, some
}

// inPath returns the names of members of the field at a path. An empty name is the field itself.
func inPath(path Path, names []string) []string {
	var all []string
	for _, name := range names {
		all = append(all, strings.TrimSuffix(path.String()+"."+name, "."))
	}
	return all
}

// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/schema"
)

// replacesZero reports whether an API server sets a field to something else than the zero value if the field is
// missing.
func replacesZero(f *resolve.Field) bool {
	switch schema.Default(f) {
	case "", "false", "0", `""`, "''", "``", "[]", "null":
		return false
	case "{}":
		inner := pointee(f.Type)
		return inner.Kind() == resolve.Struct && defaultsBelow(inner, nil)
	}
	return true
}

// replacesNil reports whether an API server sets a field to something else if Go has nil for it. JSON then has null, or
// omits the field. Null stays where the field is nullable.
func replacesNil(f *resolve.Field) bool {
	writesNull := !f.OmitEmpty && !f.OmitZero
	return replacesZero(f) && !(writesNull && schema.IsNullable(f))
}

// defaultsBelow reports whether an API server sets anything in an empty object of a struct.
func defaultsBelow(t *resolve.Type, inside []*resolve.Type) bool {
	return !slices.Contains(inside, t) && slices.ContainsFunc(members(t, nil), func(m Path) bool {
		f := m.Last()
		isWritten := f.Type.Kind() == resolve.Struct && !encodesItself(f.Type) // even an empty one
		return replacesZero(f) || isWritten && defaultsBelow(f.Type, append(inside, t))
	})
}

// leavesZeroOut reports whether a field is left out if its value is zero, so that the API server replaces the zero. A
// pointer to zero is written.
func leavesZeroOut(f *resolve.Field) bool { return omitsEmpty(f) && replacesZero(f) }

// omitsEmpty is omitsZero with the empty list or map as zero. The option omitzero omits nil alone.
func omitsEmpty(f *resolve.Field) bool {
	kind := f.Type.Kind()
	return omitsZero(f) && (f.OmitEmpty || kind != resolve.Slice && kind != resolve.Map)
}

// omitsZero reports whether JSON omits the zero value of a field that is no pointer. For a list or map, this is nil.
func omitsZero(f *resolve.Field) bool {
	switch f.Type.Kind() {
	case resolve.Basic, resolve.Slice, resolve.Map:
		return f.OmitEmpty || f.OmitZero
	}
	return f.OmitZero && f.Type.Kind() != resolve.Pointer
}

// noteDefaults warns of values that the Go type of a version cannot represent: its JSON leaves the zero value out, and
// an API server sets the default. Members that the handler copies as text are excepted. It returns the fields of these
// warnings, and of accepted ones.
func (p *planner) noteDefaults(plan *Plan) map[*resolve.Field]bool {
	same, warned := plan.Same(), map[*resolve.Field]bool{}
	p.visit(RuleDefault, plan.Root, place{}, map[visit]bool{}, func(in *Pair, c *Claim, here place) bool {
		if same.has(here.spoke.names()) {
			return false
		}
		for _, d := range []Direction{ToHub, FromHub} {
			from, to := Sides(d, c.Spoke.Last(), c.Hub.Last())
			_, isWrap := c.Value.How.(Wrap)
			how, isEntry := c.Value.How.(Entry)
			if isEntry && how.Keys[1-d] != "" || c.Default != nil && d == ToHub {
				continue
			}
			for _, member := range append([]Path{nil}, c.Value.zeroMembers(d)...) {
				target, reason := to, ""
				if member != nil {
					target = member.Last()
				}
				if leavesZeroOut(target) {
					reason = "its JSON leaves that out, and an API server then sets the default " + schema.Default(target)
				} else if around := c.replacedAround(d); member == nil && around != nil {
					reason = fmt.Sprintf("that does not make %s, and an API server then sets its default %s", around.JSON, schema.Default(around))
				}
				if reason == "" || warned[target] || refusesZero(target) || (member == nil || isWrap) && refusesZero(from) {
					continue
				}
				if warned[target] = true; !p.allows(RuleDefault, in, c, here.spoke) {
					p.zeroDefault(in, c, here, d, member, reason)
				}
			}
		}
		return true
	})
	return warned
}

// zeroDefault warns of a field of a direction's destination that cannot be zero.
func (p *planner) zeroDefault(in *Pair, c *Claim, here place, d Direction, member Path, reason string) {
	_, path := Sides(d, here.spoke, here.hub)
	path = slices.Concat(path, member)
	to := path.Last()
	version, option := p.version(1-d), "omitempty"
	if !to.OmitEmpty || to.Type.Kind() == resolve.Struct || to.Type.Kind() == resolve.Array {
		option = "omitzero"
	}
	remedy := fmt.Sprintf("make it a pointer, or take %s out of its tag", option)
	if !omitsEmpty(to) {
		remedy = "remove that default"
	}
	p.diags.Add(diag.Warningf(c.Spoke.Last().Range, RuleDefault, "%s of %s cannot be %s: %s",
		strings.Join(path.names(), "."), version, zeroText(to.Type), reason).
		WithHint("%s; %s accepts it", remedy, p.spotAt(in, c, here).marker(model.Allow, "rule", RuleDefault)).WithRelated(to.Range, "the field of %s is here", version))
}

// zeroMembers returns the members of a struct in a direction's destination that a plain value becomes, and that may be
// zero beside others: of a struct around the value, or of a text's parts.
func (v *Value) zeroMembers(d Direction) (all []Path) {
	for ; v != nil; v = v.Elem {
		if v.Outer != d {
			continue
		}
		switch how := v.How.(type) {
		case Wrap:
			all = append(all, how.Member)
		case Tuple:
			for _, text := range how.Texts {
				for _, m := range text.Members {
					if m.Value == "" {
						all = append(all, m.Member)
					}
				}
			}
		case Parts:
			for _, part := range how.Parts {
				all = append(all, part.Member)
			}
		}
	}
	return all
}

// replacedAround returns the field of a pointer around the claim's field in a direction's destination, if the zero value
// makes no struct there and an API server sets a default that has the field.
func (c *Claim) replacedAround(d Direction) *resolve.Field {
	path := c.side(1 - d)
	if c.ZeroBelow(d) || path.Last().Type.Kind() == resolve.Pointer {
		return nil
	}
	for _, f := range path[:len(path)-1] {
		if f.Type.Kind() == resolve.Pointer && schema.Default(f) != "" && replacesNil(f) && (schema.Default(f) != "{}" || replacesZero(path.Last())) {
			return f
		}
	}
	return nil
}

// refusesZero reports whether markers exclude the zero value of a field, so that nobody can have written it.
func refusesZero(f *resolve.Field) bool { return len(fieldLimits(f).refusingZero(f.Type)) > 0 }

// zeroText returns the zero value of a type, as JSON has it.
func zeroText(t *resolve.Type) string {
	switch {
	case isBool(t):
		return "false"
	case isText(t):
		return `""`
	}
	texts := map[resolve.Kind]string{resolve.Basic: "0", resolve.Slice: "[]", resolve.Map: "{}", resolve.Struct: "{}", resolve.Array: "zero"}
	return cmp.Or(texts[t.Kind()], "null")
}

// unreached reports defaults for fields below a pointer that nothing sets, so that the default would never apply.
func (p *pairPlanner) unreached() {
	for _, c := range p.Claims {
		to := c.DefaultTo()
		path := c.side(1 - to)
		if !c.HasDefault() || c.Value != nil || !path.pointers() {
			continue
		}
		for i, f := range path[:len(path)-1] {
			around := path[:i+1]
			if f.Type.Kind() != resolve.Pointer || p.makes(around, to) {
				continue
			}
			custom := spot{fields: around.String()}.marker(model.Custom)
			if to == ToHub {
				s := p.spotOf()
				custom = s.marker(model.Custom, "hub", s.within(around.String()))
			}
			p.diags.Add(diag.Errorf(p.claims[1-to][path.String()], RuleDefault, "the default for %s is never set: nothing of %s converts to %s or to a field in it", path, p.version(to), around).
				WithHint("+webhook:conversion:to moves a field there; %s sets it by your own code", custom).WithRelated(f.Range, "%s is a pointer", around))
			break
		}
	}
}

// makes reports whether a value makes the struct at a path on the destination side of a direction.
func (p *pairPlanner) makes(around Path, to Direction) bool {
	return slices.ContainsFunc(p.Claims, func(c *Claim) bool {
		path := c.side(1 - to)
		return c.Value != nil && (path.String() == around.String() || isPart(path, around))
	})
}

// Replaced returns the fields of both versions whose zero value becomes a default, as sorted paths in JSON names: by
// markers, or because the JSON of their Go type leaves zero out. Fields that convert to such a field are included.
func (p *Plan) Replaced() []string {
	var paths []string
	for _, t := range []*resolve.Type{p.Root.Spoke, p.Root.Hub} {
		visitFields(t, nil, nil, func(path []string, f *resolve.Field) {
			if leavesZeroOut(f) {
				paths = append(paths, strings.Join(path, "."))
			}
		})
	}
	p.Root.visit(place{}, nil, func(_ *Pair, c *Claim, here place) bool {
		inBoth := c.Spoke != nil && c.Hub != nil
		if inBoth && (c.HasDefault() || c.Value != nil && (leavesZeroOut(c.Spoke.Last()) || leavesZeroOut(c.Hub.Last()))) {
			paths = append(paths, here.paths()...)
		}
		return true
	})
	slices.Sort(paths)
	return slices.Compact(paths)
}

// visit calls a function for the claims of the pair and of the pairs inside it, at their places. It goes into a claim
// if the function returns true, and passes over types that encode themselves: JSON has no paths in them.
func (p *Pair) visit(at place, inside []*Pair, use func(in *Pair, c *Claim, here place) bool) {
	if slices.Contains(inside, p) || p.Opaque {
		return
	}
	for _, c := range p.Claims {
		here := at.at(c.Spoke, c.Hub)
		if inner := c.Value.inner(); use(p, c, here) && inner != nil {
			inner.visit(here, append(slices.Clip(inside), p), use)
		}
	}
}

// visitFields calls a function for the fields of a struct and of the structs in it.
func visitFields(t *resolve.Type, before []string, inside []*resolve.Type, use func(path []string, f *resolve.Field)) {
	if t.Err() != nil || strings.HasPrefix(t.Package, "k8s.io/") || slices.Contains(inside, t) || encodesItself(t) {
		return
	}
	for _, m := range members(t, nil) {
		path := slices.Concat(before, m.names())
		f := m.Last()
		use(path, f)
		visitFields(content(f.Type), path, append(slices.Clip(inside), t), use)
	}
}

// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/limits"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// Rename exchanges values of an enum: the pairs of values, by direction.
type Rename Ways[[]Renaming]

// Renaming is a value of an enum and its new name.
type Renaming struct{ From, To string }

func (Rename) String() string { return "" }

// matches leaves the rules for a list or map to its elements.
func (Rename) matches(c candidate) bool {
	kind := c.Spoke.Kind()
	return c.converter == "" && c.hasRenames() && !c.isPointer(Spoke) && !c.isPointer(Hub) &&
		!(kind == c.Hub.Kind() && (kind == resolve.Slice || kind == resolve.Map))
}

func (Rename) plan(p *valuePlanner, v *Value, _ converters) (*Value, *mismatch) {
	if !v.Spoke.IsText() || !v.Hub.IsText() {
		return nil, &mismatch{rule: RuleConverter, message: "enum is for strings", hint: "use as for other types"}
	}
	if bad := p.total(v); bad != nil {
		return nil, bad
	}
	renames, bad := p.fitting(v)
	if bad != nil {
		return nil, bad
	}
	spoke := p.valuesOf(v.Spoke, limits.In(v.Spoke, p.fields.Spoke))
	var k Rename
	for _, r := range renames {
		for _, d := range sides.Directions() {
			from, to := sides.New(r.From, r.To).Ends(d)
			isTaken := d == FromHub && from != to && staysItself(from, renames, spoke)
			if isTaken || k.renames(d, from) {
				v.Loss[d.Back()] = "which of several values it was"
			} else {
				k[d] = append(k[d], Renaming{from, to})
			}
		}
	}
	// A value that the other side already has under the same name keeps it in this direction, and is renamed on the way
	// back.
	for _, d := range sides.Directions() {
		for _, r := range k[d] {
			if r.From != r.To && !k.renames(d.Back(), r.From) {
				v.Loss[d.Back()] = "which of several values it was"
			}
		}
	}
	return v.as(k, nil, nil)
}

// renames reports whether a value has a new name in a direction.
func (k Rename) renames(d Direction, value string) bool {
	return slices.ContainsFunc(k[d], func(r Renaming) bool { return r.From == value })
}

// staysItself reports whether a value of the hub is the same value in the spoke: the spoke has it, and does not give it
// another name in the hub.
func staysItself(value string, renames []Renaming, spoke []string) bool {
	i := slices.IndexFunc(renames, func(r Renaming) bool { return r.From == value })
	if i < 0 {
		return slices.Contains(spoke, value)
	}
	return renames[i].To == value
}

// fitting returns the renamings whose values the markers of both sides allow. It reports the others, unless their rule
// is for every struct that has the field. Empty text is no value.
func (p *valuePlanner) fitting(v *Value) ([]Renaming, *mismatch) {
	spoke, hub := limits.In(v.Spoke, p.fields.Spoke), limits.In(v.Hub, p.fields.Hub)
	var fit []Renaming
	for _, r := range p.renames {
		var refused, version string
		switch {
		case r.From != "" && !spoke.Allows(r.From):
			refused, version = r.From, p.version(Spoke)
		case r.To != "" && !hub.Allows(r.To):
			refused, version = r.To, p.version(Hub)
		default:
			fit = append(fit, r)
			continue
		}
		if !p.rule.Struct.IsZero() {
			return nil, &mismatch{rule: RuleRefused, message: fmt.Sprintf("the markers of %s refuse the value %q", version, refused),
				hint: "remove the rule for it: no valid object has the value"}
		}
	}
	return fit, nil
}

func (Rename) content(*valuePlanner, *Value, converters) *content { return nil }
func (k Rename) traits(*Value) traits                             { return traits{renames: Ways[[]Renaming](k)} }
func (Rename) schema(*Schema, *Value, facts)                      {}
func (Rename) expression(Body, *Value, operand) jen.Code          { return nil }

func (k Rename) bounds(b bounds, _ *Value, values Sides[limits.Value], part string) {
	b.renames = k
	b.compare(values, part)
}

func (k Rename) emit(b Body, v *Value, src, dst operand) {
	renames := slices.DeleteFunc(slices.Clone(k[b.To]), func(r Renaming) bool { return r.From == r.To })
	same := v.Types.converted(b, src.Value())
	if len(renames) == 0 {
		b.Set(dst, same)
		return
	}
	b.Group.Switch(src.Value()).BlockFunc(func(g *jen.Group) {
		for _, r := range renames {
			g.Case(jen.Lit(r.From)).Add(dst.Value()).Op("=").Lit(r.To)
		}
		g.Default().Add(dst.Value()).Op("=").Add(same)
	})
}

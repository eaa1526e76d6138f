// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"cmp"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/convert"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// side is one of the two versions of a planned conversion, with the conversions of its fields.
type side struct {
	*convert.Plan
	to               convert.Direction // the other one
	kind, version    string
	across           *side
	fieldConversions []*fieldConversion // in the order of paths
}

// fieldConversion is the conversion of one field to the other version.
type fieldConversion struct {
	*side
	diag.Range
	path string
	// counterpart is the field of the other side; empty where it has none.
	counterpart string
	verb        model.Verb
	// how tells ways of converting the value apart.
	how string
	// loss is what an annotation keeps; empty where the other side can say all.
	loss, reason string
	renames      []convert.Renaming
	// missing is the hub's value if the spoke has no value; nil without a default.
	missing any
	// whole says that the field contains no field with a conversion of its own.
	whole bool
}

// fieldConversion returns the conversion of the field at a path, or nil if the version has no such field.
func (s *side) fieldConversion(path string) *fieldConversion {
	i, ok := slices.BinarySearchFunc(s.fieldConversions, path, func(f *fieldConversion, path string) int { return cmp.Compare(f.path, path) })
	if !ok {
		return nil
	}
	return s.fieldConversions[i]
}

// newSides returns the spoke and the hub of a plan.
func newSides(p *convert.Plan) []*side {
	kind := p.Spoke.Name + "." + p.Spoke.Group // the same in all versions
	spoke := &side{Plan: p, to: convert.ToHub, kind: kind, version: p.Spoke.Version}
	hub := &side{Plan: p, to: convert.FromHub, kind: kind, version: p.Hub.Version, across: spoke}
	spoke.across = hub
	both := []*side{spoke, hub}
	for _, s := range both {
		s.add(p.Root, "", "", map[*convert.Pair]bool{})
		slices.SortStableFunc(s.fieldConversions, func(a, b *fieldConversion) int { return cmp.Compare(a.path, b.path) })
		s.fieldConversions = slices.CompactFunc(s.fieldConversions, func(a, b *fieldConversion) bool { return a.path == b.path })
	}
	return both
}

// add adds the fields of a struct. It adds the fields of a struct inside itself only once.
func (s *side) add(of *convert.Pair, before, across string, inside map[*convert.Pair]bool) {
	if inside[of] || of.Opaque {
		return
	}
	inside[of] = true
	defer delete(inside, of)
	for _, c := range of.Claims {
		path, counterpart := c.Ends(s.to)
		for _, o := range c.Others.From(s.to) {
			s.fieldConversions = append(s.fieldConversions, &fieldConversion{side: s, Range: o.Last().Range, path: before + o.String(), verb: c.Verb, how: string(c.Verb), whole: true})
		}
		if path == nil || c.Entry != "" || before+path.String() == "metadata" {
			continue
		}
		f := &fieldConversion{side: s, Range: path.Last().Range, path: before + path.String(), verb: c.Verb, loss: c.Loss(s.to), reason: c.Reason, missing: c.Default, whole: true}
		if c.Verb == model.Custom {
			f.how = "your own code"
		}
		if counterpart != nil {
			f.counterpart = across + counterpart.String()
		}
		below := ""
		for v := c.Value; v != nil; v = v.Elem {
			f.renames = append(f.renames, v.Renames(s.to)...)
			if pair := v.Pair(); pair != nil && !pair.Opaque {
				f.whole = false
				s.add(pair, f.path+below+".", f.counterpart+below+".", inside)
			}
			below += v.Suffix()
			f.how += v.Kind.String()
		}
		s.fieldConversions = append(s.fieldConversions, f)
	}
}

// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"cmp"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/convert"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// side is one of the two versions of a planned conversion, with what becomes of its fields in the other one.
type side struct {
	*convert.Plan
	to            convert.Direction // the other one
	kind, version string
	across        *side
	fates         []*fate // in the order of paths
}

// fate is what becomes of a field in a conversion.
type fate struct {
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
	// whole says that the field holds no others that have a fate of their own.
	whole bool
}

// fate finds a field by its path; nil if missing.
func (s *side) fate(path string) *fate {
	i, ok := slices.BinarySearchFunc(s.fates, path, func(f *fate, path string) int { return cmp.Compare(f.path, path) })
	if !ok {
		return nil
	}
	return s.fates[i]
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
		slices.SortStableFunc(s.fates, func(a, b *fate) int { return cmp.Compare(a.path, b.path) })
		s.fates = slices.CompactFunc(s.fates, func(a, b *fate) bool { return a.path == b.path })
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
			s.fates = append(s.fates, &fate{side: s, Range: o.Last().Range, path: before + o.String(), verb: c.Verb, how: string(c.Verb), whole: true})
		}
		if path == nil || c.Entry != "" || before+path.String() == "metadata" {
			continue
		}
		f := &fate{side: s, Range: path.Last().Range, path: before + path.String(), verb: c.Verb, loss: c.Loss(s.to), reason: c.Reason, missing: c.Default, whole: true}
		if c.Verb == model.Custom {
			f.how = "your own code"
		}
		if counterpart != nil {
			f.counterpart = across + counterpart.String()
		}
		below := ""
		for v := c.Value; v != nil; v = v.Elem {
			if renames, ok := v.Kind.(convert.Rename); ok {
				f.renames = append(f.renames, renames[s.to]...)
			}
			if pair := v.Pair(); pair != nil && !pair.Opaque {
				f.whole = false
				s.add(pair, f.path+below+".", f.counterpart+below+".", inside)
			}
			below += v.Suffix()
			f.how += v.Kind.String()
		}
		s.fates = append(s.fates, f)
	}
}

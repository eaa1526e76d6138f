// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

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
		path, counterpart, others := c.Spoke, c.Hub, c.SpokeOthers
		if s.to == convert.FromHub {
			path, counterpart, others = counterpart, path, c.HubOthers
		}
		for _, o := range others {
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
			switch how := v.How.(type) {
			case convert.Each, convert.Entries:
				below += "[]"
			case convert.Rename:
				f.renames = append(f.renames, how[s.to]...)
			case convert.Call:
				if !how.Pair.Opaque {
					f.whole = false
					s.add(how.Pair, f.path+below+".", f.counterpart+below+".", inside)
				}
			default:
				f.how += word(how)
			}
		}
		s.fieldConversions = append(s.fieldConversions, f)
	}
}

// word names a way of converting a value. It is empty for an enum, which its pairs of values distinguish, and for a
// conversion by types alone.
func word(how convert.How) string {
	switch how := how.(type) {
	case convert.Hook:
		return "your own code"
	case convert.Checked:
		return fmt.Sprint(how.Funcs[convert.ToHub], " ", how.Argument)
	case convert.Not:
		return "not"
	case convert.First:
		return "first"
	case convert.Wrap:
		return "wrap:" + how.Member.String() + "," + constants(how.Constants)
	case convert.Tuple:
		text := "tuple:"
		for _, t := range how.Texts {
			text += t.Text + "=" + constants(t.Members) + ";"
		}
		return text
	case convert.Parts:
		text := "parts:" + how.Layout
		for _, part := range how.Parts {
			text += "," + part.Member.String() + "=" + part.Word
		}
		return text
	case convert.Present:
		return "present:" + constants(how.Constants)
	case convert.Keyed:
		return "keyed:" + how.Member.String()
	case convert.Element:
		return "element:" + constants(how.Constants)
	case convert.Entry:
		return strings.Join(how.Keys[:], " ")
	}
	return ""
}

func constants(all []convert.Constant) string {
	text := ""
	for _, c := range all {
		text += fmt.Sprintf("%s=%v,", c.Member, c.Value)
	}
	return text
}

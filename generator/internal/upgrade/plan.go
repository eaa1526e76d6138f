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

// plan is a planned conversion with what becomes of the fields of either side.
type plan struct {
	*convert.Plan
	sides [2][]*fate // by side, as a direction has its source; in the order of paths
}

// fate is what becomes of a field in a conversion.
type fate struct {
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

// kind names the kind, which is the same in all versions.
func (p *plan) kind() string { return p.Spoke.Name + "." + p.Spoke.Group }

// version is the version of a side.
func (p *plan) version(side convert.Direction) string {
	if side == convert.FromHub {
		return p.Hub.Version
	}
	return p.Spoke.Version
}

// fate finds a field of a side by its path; nil if missing.
func (p *plan) fate(side convert.Direction, path string) *fate {
	i, ok := slices.BinarySearchFunc(p.sides[side], path, func(f *fate, path string) int { return cmp.Compare(f.path, path) })
	if !ok {
		return nil
	}
	return p.sides[side][i]
}

func newPlan(p *convert.Plan) *plan {
	n := &plan{Plan: p}
	for _, side := range []convert.Direction{convert.ToHub, convert.FromHub} {
		n.add(side, p.Root, "", "", map[*convert.Pair]bool{})
		slices.SortStableFunc(n.sides[side], func(a, b *fate) int { return cmp.Compare(a.path, b.path) })
		n.sides[side] = slices.CompactFunc(n.sides[side], func(a, b *fate) bool { return a.path == b.path })
	}
	return n
}

// add adds the fields of a struct. It adds the fields of a struct inside itself only once.
func (p *plan) add(side convert.Direction, of *convert.Pair, before, across string, inside map[*convert.Pair]bool) {
	if inside[of] || of.Opaque {
		return
	}
	inside[of] = true
	defer delete(inside, of)
	for _, c := range of.Claims {
		path, counterpart, others := c.Spoke, c.Hub, c.SpokeOthers
		if side == convert.FromHub {
			path, counterpart, others = counterpart, path, c.HubOthers
		}
		for _, o := range others {
			p.sides[side] = append(p.sides[side], &fate{Range: o.Last().Range, path: before + o.String(), verb: c.Verb, how: string(c.Verb), whole: true})
		}
		if path == nil || c.Entry != "" || before+path.String() == "metadata" {
			continue
		}
		f := &fate{Range: path.Last().Range, path: before + path.String(), verb: c.Verb, loss: c.Loss(side), reason: c.Reason, missing: c.Default, whole: true}
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
				f.renames = append(f.renames, how[side]...)
			case convert.Call:
				if !how.Pair.Opaque {
					f.whole = false
					p.add(side, how.Pair, f.path+below+".", f.counterpart+below+".", inside)
				}
			default:
				f.how += word(how)
			}
		}
		p.sides[side] = append(p.sides[side], f)
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

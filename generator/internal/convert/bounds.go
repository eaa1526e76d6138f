// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/schema"
)

// bounded is a value of one version with its validation markers: of its field, its type, and the list around it.
type bounded struct {
	t *resolve.Type
	// field is nil for an element.
	field *resolve.Field
	// own are the comments besides the type's own.
	own []markers
}

// markers are comments with markers for a value or, with items, for the elements of a list.
type markers struct {
	doc   []*ast.CommentGroup
	items bool
}

func boundedField(f *resolve.Field) bounded {
	return bounded{t: pointee(f.Type), field: f, own: []markers{{doc: f.Doc}}}
}

// elements returns an element of a list or map.
func (b bounded) elements() bounded {
	inner := bounded{t: pointee(b.t.Elem()), own: []markers{{b.doc(), true}}}
	for _, m := range b.own {
		if !m.items {
			inner.own = append(inner.own, markers{m.doc, true})
		}
	}
	return inner
}

// doc returns the comments of the type. Types of Kubernetes itself have no validation markers.
func (b bounded) doc() []*ast.CommentGroup {
	if strings.HasPrefix(b.t.Package, "k8s.io/") {
		return nil
	}
	return b.t.Doc()
}

// limits returns all limits of the value. It must satisfy each of them.
func (b bounded) limits() []Limits {
	var all []Limits
	for _, m := range append([]markers{{doc: b.doc()}}, b.own...) {
		var l Limits
		if l.Read(m.doc, m.items); !l.IsZero() || l.MultipleOf != "" || l.Format != "" || l.Unique {
			all = append(all, l)
		}
	}
	return all
}

// refusal is a marker of the destination that refuses values, and what the source has in its place.
type refusal struct {
	to, from string
	// unsure is true if the source has a pattern or format, which may exclude the values.
	unsure bool
}

// noteBounds warns of values that one version accepts and the other refuses.
func (p *planner) noteBounds(plan *Plan) {
	same := plan.Same()
	p.visit(RuleBounds, plan.Root, place{}, map[visit]bool{}, func(in *Pair, c *Claim, here place) bool {
		b := bounds{planner: p, pair: in, claim: c, at: here, isText: same.has(here.spoke.names())}
		b.value(c.Value, boundedField(c.Spoke.Last()), boundedField(c.Hub.Last()), "")
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
	zeroless [2]bool
	// renames are the values that get other names.
	renames Rename
}

// value compares the markers of two values and of their content. part names the content: "[]" for elements.
func (b bounds) value(v *Value, spoke, hub bounded, part string) {
	inner := b
	inner.zeroless = [2]bool{}
	switch how := v.How.(type) {
	case Assign, DeepCopyInto, DeepCopy:
		b.same(spoke, hub, part)
	case Checked:
		if how.Funcs == [2]string{"Integer", "Integer"} {
			b.compare(spoke, hub, part)
		}
	case Rename:
		b.renames = how
		b.compare(spoke, hub, part)
	case Call:
		b.compare(spoke, hub, part)
	case Pointer:
		b.value(v.Elem, spoke, hub, part)
	case Optional:
		b.zeroless[v.Outer] = b.zeroless[v.Outer] || how.ZeroIsNil
		b.value(v.Elem, spoke, hub, part)
	case Each, Entries:
		b.compare(spoke, hub, part)
		inner.value(v.Elem, spoke.elements(), hub.elements(), part+"[]")
	case Keyed:
		b.compare(spoke, hub, part)
		inner.keys(v.Outer, how.Member.Last(), spoke, hub, part)
		inner.value(v.Elem, spoke.elements(), hub.elements(), part+"[]")
	case First, Element:
		plain, list := Sides(v.Outer, spoke, hub)
		spoke, hub = Sides(v.Outer, plain, list.elements())
		inner.zeroless[v.Outer] = true
		inner.value(v.Elem, spoke, hub, part)
	case Wrap:
		b.zeroless[v.Outer] = b.zeroless[v.Outer] || how.Plain != nil
		plain, _ := Sides(v.Outer, spoke, hub)
		spoke, hub = Sides(v.Outer, plain, boundedField(how.Member.Last()))
		b.value(v.Elem, spoke, hub, part)
	}
}

// same compares values of one type. The fields may have different markers for them and for their elements.
func (b bounds) same(spoke, hub bounded, part string) {
	b.compare(spoke, hub, part)
	kind := spoke.t.Kind()
	if kind == hub.t.Kind() && (kind == resolve.Slice || kind == resolve.Array || kind == resolve.Map) {
		b.zeroless = [2]bool{}
		b.same(spoke.elements(), hub.elements(), part+"[]")
	}
}

// keys compares the keys of a map, which have no markers, with the member of a list's elements that has the key. list
// is the direction to the side with the list.
func (b bounds) keys(list Direction, member *resolve.Field, spoke, hub bounded, part string) {
	around, _ := Sides(list, spoke, hub)
	spoke, hub = Sides(list, bounded{t: around.t.Key()}, bounded{t: member.Type, own: []markers{{doc: member.Doc}}})
	b.compare(spoke, hub, part+"[key]")
}

// compare reports the markers of each side that refuse values of the other side.
func (b bounds) compare(spoke, hub bounded, part string) {
	var found [2][]refusal
	for _, d := range []Direction{ToHub, FromHub} {
		from, to := Sides(d, spoke, hub)
		limits := to.limits()
		if value := from.leftOut(to, b.isText); value != "" && (b.claim.Default == nil || d == FromHub) {
			found[d] = append(found[d], refusal{to: "required", from: value})
		}
		if limits == nil {
			continue
		}
		s := origin{t: from.t, limits: from.limits(), same: b.claim.Same, zeroless: !b.isText && (to.field != nil && omitsEmpty(to.field) || b.zeroless[d])}
		s.setValues(b.planner, b.renames[d])
		for _, l := range limits {
			found[d] = append(found[d], s.refusedBy(l, to.t)...)
		}
		if len(found[d]) == 0 && from.mayBeAbsent() && to.writesZero() && refusesZero(to.field) && (b.claim.Default == nil || d == FromHub) {
			found[d] = append(found[d], absent(limits, to.t))
		}
	}
	b.report(found, part)
}

// mayBeAbsent reports whether objects may lack a field, and have no default for it then.
func (b bounded) mayBeAbsent() bool {
	return b.field != nil && (b.field.OmitEmpty || b.field.OmitZero) && schema.Default(b.field) == "" && !schema.IsRequired(b.field)
}

// leftOut returns the value with which JSON lacks a required field of the other version: "absent", or the zero value,
// unless the handler copies it as text. It is empty without such a value. The zero value of a struct has members, and
// is not looked at.
func (b bounded) leftOut(to bounded, isText bool) string {
	if b.field == nil || to.field == nil || schema.Default(to.field) != "" {
		return ""
	}
	if isNamed(b.t, metaPackage, "Time") || isNamed(b.t, metaPackage, "MicroTime") { // JSON has null for zero
		if b.mayBeAbsent() && to.field.Type == to.t && to.writesZero() && !schema.IsNullable(to.field) {
			return "absent"
		}
	}
	if !schema.IsRequired(to.field) || b.t.Kind() == resolve.Struct {
		return ""
	}
	isPointer := b.field.Type.Kind() == resolve.Pointer
	leavesOut := omitsZero(to.field) || isPointer && to.field.Type.Kind() == resolve.Pointer && to.field.OmitEmpty
	switch {
	case !leavesOut:
	case b.mayBeAbsent():
		return "absent"
	case !isText && !isPointer && omitsEmpty(to.field) && b.writesZero() && !refusesZero(b.field):
		return zeroText(b.t)
	}
	return ""
}

// writesZero reports whether JSON always has a field, which is zero if the other version lacks the value.
func (b bounded) writesZero() bool {
	return b.field != nil && !b.field.OmitEmpty && !b.field.OmitZero
}

// absent returns the refusal of the zero value that stands for an absent one.
func absent(limits []Limits, to *resolve.Type) refusal {
	r := refusal{from: "the " + zeroText(to) + " of an absent field"}
	for _, l := range limits {
		for _, name := range l.refusingZero(to) {
			r.to = l.text(name)
		}
	}
	return r
}

// report warns of refused values, once for a field or its elements.
func (b bounds) report(found [2][]refusal, part string) {
	versions := [2]string{b.conversion.Spoke.Version, b.conversion.Hub.Version}
	var parts, differ []string
	for _, verb := range []string{"refuses", "may refuse", "differs"} {
		for d, refused := range found {
			from, to := versions[d], versions[1-d]
			var each []string
			for _, r := range refused {
				name, value, _ := strings.Cut(r.to, "=")
				switch {
				case r.verb() != verb:
				case verb != "differs":
					each = append(each, fmt.Sprintf("%s in %s, %s in %s", r.to, to, r.from, from))
				case !slices.Contains(differ, name): // the other direction says the same
					differ = append(differ, name)
					parts = append(parts, fmt.Sprintf("%s differs (%s in %s, %s in %s)", name, value, to, strings.TrimPrefix(r.from, name+"="), from))
				}
			}
			if each != nil {
				parts = append(parts, fmt.Sprintf("%s %s values that %s accepts (%s)", to, verb, from, strings.Join(each, "; ")))
			}
		}
	}
	if parts == nil || b.allows(RuleBounds, b.pair, b.claim, b.at.spoke) {
		return
	}
	s := b.spotAt(b.pair, b.claim, b.at)
	b.diags.Add(diag.Warningf(b.claim.Spoke.Last().Range, RuleBounds, "%s: %s", strings.Join(b.at.spoke.names(), ".")+part, strings.Join(parts, ", and ")).
		WithHint("give both the same markers; %s converts the values by your own code, %s accepts the difference", s.marker(model.Custom), s.marker(model.Allow, "rule", RuleBounds)).
		WithRelated(b.claim.Hub.Last().Range, "the field of %s is here", b.conversion.Hub.Version))
}

// verb says how sure the refusal is. Patterns and formats can be compared as text only.
func (r refusal) verb() string {
	to, _, _ := strings.Cut(r.to, "=")
	from, _, _ := strings.Cut(r.from, "=")
	switch {
	case to == from && (to == "Pattern" || to == "Format"):
		return "differs"
	case r.unsure:
		return "may refuse"
	}
	return "refuses"
}

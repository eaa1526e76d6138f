// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"fmt"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/limits"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/schema"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// placed is a claim with a value at its place in the kind.
type placed struct {
	in   *Pair
	c    *Claim
	here place
}

// noteBeside warns of required fields that objects of the other version lack as a whole struct, while something else
// makes the struct that requires them: a field from another place, or Go, which writes structs that are no pointers.
func (p *planner) noteBeside(plan *Plan) {
	var all []placed
	plan.visit(func(in *Pair, c *Claim, here place) bool {
		if c.Functions == sides.Both(false) {
			all = append(all, placed{in, c, here})
		}
		return true
	})
	same := plan.Same()
	var found []*lacking
	for _, r := range all {
		if r.c.Value == nil {
			continue
		}
		for _, d := range sides.Directions() {
			if !r.isMissed(d, same) {
				continue
			}
			from, to := r.here.Ends(d)
			around, beside := plan.besideMissing(d, from, to, all)
			if around == "" || p.allows(RuleBeside, r.in, r.c, r.here.Spoke) {
				continue
			}
			i := slices.IndexFunc(found, func(l *lacking) bool { return l.d == d && l.around == around })
			if i < 0 {
				i, found = len(found), append(found, &lacking{d: d, around: around, beside: beside, first: r})
			}
			found[i].fields = append(found[i].fields, to.String())
		}
	}
	for len(found) > 0 {
		first, at := found[0].first, found[0].position(all)
		var parts []string
		found = slices.DeleteFunc(found, func(l *lacking) bool {
			isHere := l.position(all).here.paths().Spoke == at.here.paths().Spoke // the other direction, too
			if isHere {
				parts = append(parts, l.message(p))
			}
			return isHere
		})
		p.warn(diag.Warningf(at.c.Spoke.Last().Range, RuleBeside, "%s", strings.Join(parts, ", and ")).
			WithHint("make it optional, or the struct around it a pointer that nothing else sets; %s accepts it", p.spotAt(at.in, at.c, at.here).Marker(model.Allow, "rule", RuleBeside)).
			WithRelated(first.c.Hub.Last().Range, "the field of %s is here", p.conversion.Hub.Version), at.c, at.here)
	}
}

// lacking is an optional struct around required fields that something else makes in a direction's destination.
type lacking struct {
	d      Direction
	around string
	// beside makes the struct. It is empty for an object itself.
	beside string
	fields []string // in the destination
	first  placed
}

// position returns the claim of the struct. A struct that the other version lacks has none: position makes one, or
// returns the claim of the first field.
func (l *lacking) position(all []placed) placed {
	for _, r := range all {
		if r.c.Spoke != nil && strings.Join(r.here.From(l.d).Names(), ".") == l.around {
			return r
		}
	}
	around := l.first.here.around(l.first.c)
	for i := range l.first.c.Spoke {
		part := l.first.c.Spoke[:i+1]
		if here := around.at(part, nil); here.paths().Spoke == l.around && l.d == ToHub {
			return placed{l.first.in, &Claim{Sides: Sides[Path]{Spoke: part}}, here}
		}
	}
	return l.first
}

func (l *lacking) message(p *planner) string {
	const most = 3
	names, requires, beside := l.fields, "it", ""
	if len(names) > 1 {
		requires = "them"
	}
	if len(names) > most {
		names = append(names[:most], "...")
	}
	if l.beside != "" {
		beside = " beside " + l.beside
	}
	return fmt.Sprintf("%s: %s requires %s%s, and objects of %s without %s lack %[3]s", strings.Join(names, ", "), p.version(l.d.To()), requires, beside, p.version(l.d.From()), l.around)
}

// isMissed reports whether an API server refuses a struct of a direction's destination for the value that the field has
// there if the source lacks the struct with the field.
func (r placed) isMissed(d Direction, same Same) bool {
	from, to := r.c.From(d).Last(), r.c.To(d).Last()
	path := r.here.To(d)
	in := r.in.To(d)
	switch {
	case r.c.isEntry(), len(path) < 2, to.Type.Kind() == resolve.Struct, schema.Default(to) != "", r.c.HasDefault() && d == r.c.DefaultTo():
		return false
	case !schema.Requires(in, to), limits.Of(from).MayBeAbsent(): // the latter is another rule's
		return false
	case same.has(r.here.Spoke.Names()), limits.OmitsZero(to):
		return true
	case to.Type.Kind() == resolve.Basic:
		return limits.RefusesZero(to)
	}
	return !schema.IsNullable(to) // JSON has null
}

// besideMissing returns the optional struct of a direction's source that has a field, and what makes the destination's
// struct with the field if the former is missing. Both are empty if nothing does. An object itself needs nothing else.
func (p *Plan) besideMissing(d Direction, from, to Path, all []placed) (around, beside string) {
	src, dst := p.Root.Ends(d)
	in := to[:len(to)-1]
	for len(in) > 0 && (in.Last().Inline || in.Last().Type.Kind() == resolve.Struct && isWritten(in, src, dst)) {
		in = in[:len(in)-1]
	}
	for i, f := range from[:len(from)-1] {
		if f.Inline || !isOptional(f) {
			continue
		}
		lacks := from[:i+1].Names()
		if len(in) == 0 {
			return strings.Join(lacks, "."), ""
		}
		within := func(path, whole []string) bool {
			return len(path) > len(whole) && slices.Equal(path[:len(whole)], whole)
		}
		for _, m := range all {
			src, dst := m.here.Ends(d)
			isMissing := within(src.Names(), lacks) || slices.Equal(src.Names(), lacks)
			if within(dst.Names(), in.Names()) && (m.c.makes(d) || m.c.Value != nil && m.c.Value.structs() == nil && !isMissing) {
				return strings.Join(lacks, "."), dst.String()
			}
		}
	}
	return "", ""
}

// makes reports whether a field that the source of a direction lacks gets a value in the destination.
func (c *Claim) makes(d Direction) bool {
	if c.Value == nil || c.HasDefault() {
		return c.HasDefault() && d == c.DefaultTo() && !c.Below(d)
	}
	return c.Value.Kind == Not{} && !c.Below(d)
}

func isOptional(f *resolve.Field) bool {
	return !schema.IsRequired(f) && (f.Type.Kind() == resolve.Pointer || f.OmitEmpty || f.OmitZero)
}

// isWritten reports whether Go writes a struct of the destination wherever the struct around it is, though the source
// may lack it. A handler leaves out a struct with omitempty that the source lacks at the same path, through the same
// lists and maps.
func isWritten(in Path, a, b *resolve.Type) bool {
	mayBeMissing := true
	for _, name := range in.Names() {
		f, ok := fields.Lookup(a, name)
		g, ok2 := fields.Lookup(b, name)
		if !ok || !ok2 {
			return true
		}
		mayBeMissing = isOptional(f.Last())
		for a, b = f.Last().Type.Target(), g.Last().Type.Target(); a.Elem() != nil && a.Kind() == b.Kind(); {
			a, b = a.Elem().Target(), b.Elem().Target()
		}
		if a.Kind() != resolve.Struct || b.Kind() != resolve.Struct {
			return true
		}
	}
	return mayBeMissing && !in.Last().OmitEmpty
}

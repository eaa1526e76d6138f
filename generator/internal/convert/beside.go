// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/schema"
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
	plan.Root.visit(place{}, nil, func(in *Pair, c *Claim, here place) bool {
		if c.Functions == [2]bool{} {
			all = append(all, placed{in, c, here})
		}
		return true
	})
	same := plan.Same()
	type group struct {
		d      Direction
		around string
	}
	type warning struct {
		first  placed
		fields []string
		beside string
	}
	warnings, order := map[group]*warning{}, []group(nil)
	for _, r := range all {
		if r.c.Value == nil {
			continue
		}
		for _, d := range []Direction{ToHub, FromHub} {
			if !r.isMissed(d, same) {
				continue
			}
			from, to := Sides(d, r.here.spoke, r.here.hub)
			around, beside := plan.besideMissing(d, from, to, all)
			if around == "" || p.allows(RuleBeside, r.in, r.c, r.here.spoke) {
				continue
			}
			of := group{d, around}
			if warnings[of] == nil {
				warnings[of], order = &warning{first: r, beside: beside}, append(order, of)
			}
			warnings[of].fields = append(warnings[of].fields, to.String())
		}
	}
	for _, of := range order {
		w := warnings[of]
		const most = 3
		if len(w.fields) > most {
			w.fields = append(w.fields[:most], "...")
		}
		at, s := w.first.field(of.around), spot{}
		if at == nil {
			at, s = w.first.c.Spoke.Last(), p.spotAt(w.first.in, w.first.c, w.first.here)
		}
		p.diags.Add(diag.Warningf(at.Range, RuleBeside, "%s: %s requires it beside %s, and objects of %s without %s lack it",
			strings.Join(w.fields, ", "), p.version(1-of.d), w.beside, p.version(of.d), of.around).
			WithHint("make it optional, or the struct around it a pointer that nothing else sets; %s accepts it", s.marker(model.Allow, "rule", RuleBeside)).
			WithRelated(w.first.c.Hub.Last().Range, "the field of %s is here", p.conversion.Hub.Version))
	}
}

// field returns the field of the spoke at a path, if it leads to the claim's field, or nil.
func (r placed) field(path string) *resolve.Field {
	for i := range r.here.spoke {
		if part := r.here.spoke[:i+1]; part.String() == path && !part.Last().Inline {
			return part.Last()
		}
	}
	return nil
}

// isMissed reports whether an API server refuses a struct of a direction's destination for the value that the field has
// there if the source lacks the struct with the field.
func (r placed) isMissed(d Direction, same Same) bool {
	from, to := Sides(d, r.c.Spoke.Last(), r.c.Hub.Last())
	_, path := Sides(d, r.here.spoke, r.here.hub)
	_, isEntry := r.c.Value.How.(Entry)
	_, in := Sides(d, r.in.Spoke, r.in.Hub)
	switch {
	case isEntry, len(path) < 2, to.Type.Kind() == resolve.Struct, schema.Default(to) != "", r.c.HasDefault() && d == r.c.DefaultTo():
		return false
	case !schema.Requires(in, to), boundedField(from).mayBeAbsent(): // the latter is another rule's
		return false
	case same.has(r.here.spoke.names()), omitsZero(to):
		return true
	case to.Type.Kind() == resolve.Basic:
		return refusesZero(to)
	}
	return !schema.IsNullable(to) // JSON has null
}

// besideMissing returns the optional struct of a direction's source that has a field, and what makes the destination's
// struct with the field if the former is missing. Both are empty if nothing does.
func (p *Plan) besideMissing(d Direction, from, to Path, all []placed) (around, beside string) {
	src, dst := Sides(d, p.Root.Spoke, p.Root.Hub)
	in := to[:len(to)-1]
	for len(in) > 0 && (in.Last().Inline || in.Last().Type.Kind() == resolve.Struct && isWritten(in, src, dst)) {
		in = in[:len(in)-1]
	}
	for i, f := range from[:len(from)-1] {
		if f.Inline || !isOptional(f) {
			continue
		}
		lacks := from[:i+1].names()
		within := func(path, whole []string) bool {
			return len(path) > len(whole) && slices.Equal(path[:len(whole)], whole)
		}
		for _, m := range all {
			src, dst := Sides(d, m.here.spoke, m.here.hub)
			isMissing := within(src.names(), lacks) || slices.Equal(src.names(), lacks)
			if within(dst.names(), in.names()) && (m.c.makes(d) || m.c.Value != nil && m.c.Value.structs() == nil && !isMissing) {
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
	return c.Value.How == Not{} && !c.Below(d)
}

func isOptional(f *resolve.Field) bool {
	return !schema.IsRequired(f) && (f.Type.Kind() == resolve.Pointer || f.OmitEmpty || f.OmitZero)
}

// isWritten reports whether Go writes a struct of the destination wherever the struct around it is, though the source
// may lack it. A handler leaves out a struct with omitempty that the source lacks at the same path, through the same
// lists and maps.
func isWritten(in Path, a, b *resolve.Type) bool {
	mayBeMissing := true
	for _, name := range in.names() {
		f, ok := lookup(a, name)
		g, ok2 := lookup(b, name)
		if !ok || !ok2 {
			return true
		}
		mayBeMissing = isOptional(f.Last())
		for a, b = pointee(f.Last().Type), pointee(g.Last().Type); a.Elem() != nil && a.Kind() == b.Kind(); {
			a, b = pointee(a.Elem()), pointee(b.Elem())
		}
		if a.Kind() != resolve.Struct || b.Kind() != resolve.Struct {
			return true
		}
	}
	return mayBeMissing && !in.Last().OmitEmpty
}

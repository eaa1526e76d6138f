// SPDX-License-Identifier: Apache-2.0

package hint

import (
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// Search looks for the counterparts of fields of the spoke that the hub does not have.
type Search struct {
	// Spoke and Hub are the two structs.
	Spoke, Hub *resolve.Type
	// TakenSpoke and TakenHub are the paths of claimed fields.
	TakenSpoke, TakenHub map[string]bool
}

// Likely returns the path of the hub's field that is probably the same field under another name or in another struct,
// and the converters for it. The rules of the hub's struct are from the time when it was the spoke.
func (s Search) Likely(m fields.Path, rules []*model.ConversionRule) (path, as string, ok bool) {
	var names, inverse, joined, wider, moved, sameType, misspelt []string
	converters := map[string]string{}
	add := func(candidates *[]string, path string, may bool) {
		h, ok := fields.Lookup(s.Hub, path)
		if !may || !ok || s.TakenHub[path] {
			return
		}
		if how, ok := fits(m.Last(), h.Last()); ok {
			converters[path] = how
			*candidates = append(*candidates, path)
		}
	}
	for _, h := range fields.Of(s.Hub, nil) {
		name := h.String()
		if s.TakenHub[name] {
			continue
		}
		_, both := fields.Lookup(s.Spoke, name)
		for _, inner := range nested(h) {
			path := inner.String()
			add(&moved, path, inflects(m.Last().JSON, inner.Last().JSON) && !fields.Has(s.Spoke, path))
		}
		for _, part := range fields.Of(h.Last().Type.Target(), nil) {
			add(&joined, name+"."+part.String(), joins(m.Last().JSON, h.Last().JSON, part.String()))
			add(&misspelt, name+"."+part.String(), len(part.String()) > len("name") && diag.Resembles(m.Last().JSON, part.String()))
			add(&wider, name+"."+part.String(), part.String() == "name" && strings.HasPrefix(name, m.String()))
		}
		if both {
			continue
		}
		if opposite(m.String(), name) && m.Last().Type.Target().IsBool() && h.Last().Type.Target().IsBool() {
			inverse = append(inverse, name)
			continue
		}
		add(&names, name, true)
		add(&wider, name, strings.HasPrefix(name, m.String()) || strings.HasPrefix(m.String(), name))
		add(&sameType, name, resolve.Identical(h.Last().Type, m.Last().Type) && shareWord(m.Last().JSON, h.Last().JSON))
	}
	found := func(path string) (string, string, bool) { return path, converters[path], true }
	for _, r := range rules {
		if r.Verb == model.ToHub && r.Path.V == m.String() && r.Field.IsSet() && len(r.As.V) == 0 {
			return found(r.Field.V)
		}
	}
	if len(inverse) == 1 {
		converters[inverse[0]] = "not"
		return found(inverse[0])
	}
	if len(joined) == 1 {
		return found(joined[0]) // serviceName is service.name
	}
	near, ok := diag.Nearest(m.String(), names)
	if ok && (inflects(m.String(), near) || len(moved) != 1 || s.hasRival(m, moved[0])) {
		return found(near)
	}
	for _, candidates := range [][]string{moved, wider, misspelt, sameType} {
		if len(candidates) == 1 && !s.hasRival(m, candidates[0]) {
			return found(candidates[0])
		}
	}
	return "", "", false
}

// MovedOut returns the one member of a struct that the hub has beside it, under the same name, and the converters for
// it.
func (s Search) MovedOut(m fields.Path) (member fields.Path, as string, ok bool) {
	found := 0
	for _, part := range fields.Of(m.Last().Type.Target(), nil) {
		h, ok := fields.Lookup(s.Hub, part.String())
		if _, both := fields.Lookup(s.Spoke, part.String()); !ok || both || s.TakenHub[part.String()] {
			continue
		}
		if converters, ok := fits(part.Last(), h.Last()); ok {
			member, as = part, converters
			found++
		}
	}
	return member, as, found == 1
}

// nested returns the fields of the structs in a field, at any depth and not in lists or maps.
func nested(h fields.Path) (all []fields.Path) {
	const deep = 4 // a type may contain itself
	for _, part := range fields.Of(h.Last().Type.Target(), nil) {
		whole := slices.Concat(h, part)
		if all = append(all, whole); len(h) < deep {
			all = append(all, nested(whole)...)
		}
	}
	return all
}

// hasRival reports whether another field that the hub lacks is as likely to have become the field at a path.
func (s Search) hasRival(m fields.Path, path string) bool {
	target, _ := fields.Lookup(s.Hub, path)
	return slices.ContainsFunc(fields.Of(s.Spoke, nil), func(o fields.Path) bool {
		if o.String() == m.String() || s.TakenSpoke[o.String()] || fields.Has(s.Hub, o.String()) {
			return false
		}
		_, near := diag.Nearest(o.String(), []string{path})
		near = near || inflects(o.Last().JSON, target.Last().JSON)
		return near || resolve.Identical(o.Last().Type, target.Last().Type) && shareWord(o.Last().JSON, target.Last().JSON)
	})
}

// fits reports whether the values of two fields convert, and by which converter. It does not look into structs.
func fits(spoke, hub *resolve.Field) (as string, ok bool) {
	s, h := spoke.Type.Target(), hub.Type.Target()
	isPointer := func(f *resolve.Field) bool { return f.Type.Kind() == resolve.Pointer }
	switch onePointer := isPointer(spoke) != isPointer(hub); {
	case !plainly(s, h) && onePointer:
		return "", false
	case !plainly(s, h):
		as = Converter(s, h, hub, spoke)
		return as, as != ""
	case !onePointer || s.Kind() == resolve.Struct:
		return "", true
	}
	plain := spoke
	if isPointer(spoke) {
		plain = hub
	}
	if plain.OmitEmpty || plain.OmitZero {
		return "", true
	}
	return "optional", true
}

// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// spot is where the markers of a hint can stand.
type spot struct {
	// of and fields are the values of these arguments. They are empty for a marker on the field itself.
	of, fields string
	// hub leads from the counterpart of the marker's struct to the counterpart of the field's struct.
	hub []string
	// on names the declaration with the marker. It is empty for the field itself, and for the rule that is there.
	on string
}

// marker writes a marker. Arguments are names, each with its value behind it.
func (s spot) marker(verb model.Verb, arguments ...string) string {
	if s.fields != "" {
		arguments = slices.Insert(arguments, 0, "field", s.fields)
	}
	if s.of != "" {
		arguments = slices.Insert(arguments, 0, "of", s.of)
	}
	var written []string
	for argument := range slices.Chunk(arguments, 2) {
		written = append(written, fmt.Sprintf("%s: %q", argument[0], argument[1]))
	}
	text := "+webhook:conversion:" + string(verb)
	if written != nil {
		text += "(" + strings.Join(written, ", ") + ")"
	}
	if verb == model.Drop || verb == model.Allow {
		text += `="why"`
	}
	return text + s.on
}

// valued writes a marker with a value.
func (s spot) valued(verb model.Verb, value string) string {
	before := s
	before.on = ""
	return fmt.Sprintf("%s=%q%s", before.marker(verb), value, s.on)
}

// to writes the marker that moves the field to a path of the counterpart of its struct.
func (s spot) to(path, as string) string {
	if path = s.within(path); as == "" && s.fields == "" {
		return fmt.Sprintf("+webhook:conversion:to=%q", path)
	}
	if as == "" {
		return s.marker(model.ToHub, "path", path)
	}
	return s.marker(model.ToHub, "path", path, "as", as)
}

// within returns the path from the counterpart of the marker's struct.
func (s spot) within(path string) string {
	return strings.Join(append(slices.Clip(s.hub), path), ".")
}

// spotOf returns the place of a rule for fields of the pair: the fields themselves, the embedding struct, or the
// outermost struct around. The last is for structs of other modules, and for rules that would concern other
// counterparts that have the fields.
func (p *pairPlanner) spotOf(paths ...Path) spot {
	isShared := slices.ContainsFunc(p.rules.Counterparts(p.Spoke), func(hub *resolve.Type) bool {
		return hub != p.Hub && slices.ContainsFunc(paths, func(m Path) bool { return fields.Has(hub, m.String()) })
	})
	named := func(before Path) string {
		var names []string
		for _, m := range paths {
			names = append(names, strings.Join(slices.Concat(before, m).Names(), "."))
		}
		return strings.Join(names, ";")
	}
	if p.isOwn(p.Spoke.Package) && !isShared {
		if slices.ContainsFunc(paths, func(m Path) bool { return !p.isOwn(p.declares(m)) }) {
			return spot{fields: named(nil), on: " on " + p.Spoke.Name}
		}
		return spot{}
	}
	around, spoke := outermost(p.at.Spoke)
	counterpart, hub := outermost(p.at.Hub)
	pkg, name := p.conversion.Spoke.Path, p.conversion.Spoke.Name
	switch {
	case (around == nil) != (counterpart == nil): // a converter makes elements on one side alone
		pkg, name, spoke, hub = p.Spoke.Package, p.Spoke.Name, nil, nil
	case around != nil:
		pkg, name = around.Package, around.Name
	}
	s := spot{fields: named(spoke), hub: hub.Names(), on: " on " + name}
	if !p.isOwn(pkg) {
		s.of, s.on = pkg+"."+name, " on a package of yours"
	}
	return s
}

// declares returns the package of the struct that has a field: the pair's own, or one that it embeds.
func (p *pairPlanner) declares(m Path) string {
	in := p.Spoke.Package
	for _, f := range m[:len(m)-1] {
		in = f.Type.Innermost().Package
	}
	return in
}

// outermost returns the outermost struct from which a path without lists and maps leads to the end of a path, and the
// path from there. The struct is nil if it is the kind.
func outermost(at Path) (around *resolve.Type, path Path) {
	path = at
	for i, f := range at {
		if t := f.Type.Innermost(); t != f.Type.Target() {
			around, path = t, at[i+1:]
		}
	}
	return around, path
}

// spot returns where a rule for the value's field can stand. If a rule is there, it is the same place.
func (p *valuePlanner) spot() spot {
	r := p.rule
	switch {
	case r == nil:
		return p.in.spotOf(p.path)
	case r.Struct.IsZero():
		return spot{fields: r.Field.V}
	case !p.isOwn(r.Struct.Path):
		return spot{of: r.Struct.Path + "." + r.Struct.Name, fields: r.Field.V, on: " on a package of yours"}
	case strings.Contains(r.Field.V, "."):
		return spot{fields: r.Field.V, on: " on " + r.Struct.Name}
	}
	return spot{}
}

// using writes the marker that converts the field by converters, after the converters of its rule. The field's place in
// the hub remains.
func (p *valuePlanner) using(as string) string {
	if p.rule != nil {
		as = strings.Join(append(slices.Clone(p.rule.As.V), as), ";")
		as = strings.ReplaceAll(as, "optional;pointer", "pointer")
		if path := p.rule.Path.V; path != "" && path != p.rule.Field.V {
			return p.spot().to(path, as)
		}
	}
	return p.spot().marker(model.ToHub, "as", as)
}

// usingOnly is using without the converters of the rule.
func (p *valuePlanner) usingOnly(as string) string {
	if p.rule == nil {
		return p.using(as)
	}
	rule, alone := *p.rule, *p
	rule.As.V, alone.rule = nil, &rule
	return alone.using(as)
}

// byHand describes the rules for two fields without a converter.
func (p *valuePlanner) byHand() string {
	s := p.spot()
	var arguments []string
	if hub := s.within(p.hubPath.String()); hub != cmp.Or(s.fields, p.path.String()) {
		arguments = []string{"hub", hub}
	}
	custom := s.marker(model.Custom, arguments...) + " asks for your own code"
	if p.entries.Spoke != "" { // which both versions have
		return custom
	}
	return fmt.Sprintf("%s, %s says that the two are not the same thing", custom, s.marker(model.Stash))
}

// enumHint describes the rules for values of an enum that only the spoke has, and that only the hub has. A value has
// probably become the one whose name is most like its own.
func (p *valuePlanner) enumHint(lost, new []string) string {
	s := p.spot()
	var renames []string
	left := slices.Clone(new)
	for _, value := range lost {
		i := slices.IndexFunc(left, func(other string) bool { return strings.EqualFold(other, value) })
		if near, ok := diag.Nearest(value, left); i < 0 && ok {
			i = slices.Index(left, near)
		}
		to := "..."
		if value == "" {
			to = value // both versions may have no value
		}
		if i >= 0 {
			to = left[i]
			left = slices.Delete(left, i, i+1)
		}
		renames = append(renames, s.marker(model.Enum, "from", value, "to", to))
	}
	for _, value := range left {
		from := "..."
		if value == "" {
			from = value
		}
		renames = append(renames, s.marker(model.Enum, "from", from, "to", value))
	}
	others := slices.DeleteFunc(slices.Concat(lost, new), func(value string) bool { return value == "" })
	if len(others) == 0 {
		return "add " + strings.Join(renames, ", ")
	}
	same := s.marker(model.Enum, "same", strings.Join(others, ";"))
	return fmt.Sprintf("add %s; %s is for values that clients of the other version are to see as they are", strings.Join(renames, ", "), same)
}

// quoted lists values.
func quoted(values []string) string {
	var quoted []string
	for _, value := range values {
		quoted = append(quoted, strconv.Quote(value))
	}
	return strings.Join(quoted, ", ")
}

// spotAt returns the place of a rule for the claim of a pair at a place.
func (p *planner) spotAt(pair *Pair, c *Claim, at place) spot {
	return (&pairPlanner{planner: p, Pair: pair, at: at.around(c)}).spotOf(c.Spoke)
}

// works reports whether converters fit the values of the field. It tries them, and leaves no trace.
func (p *valuePlanner) works(as string) bool {
	trial, tried := *p.planner, *p
	trial.trying, trial.diags = true, nil
	trial.Package = &Package{HandlerPackage: p.HandlerPackage, Pairs: slices.Clone(p.Pairs), Hooks: slices.Clone(p.Hooks)}
	trial.matched, trial.pairs, trial.unlocated = maps.Clone(p.matched), maps.Clone(p.pairs), maps.Clone(p.unlocated)
	tried.planner = &trial
	all := converters(strings.Split(as, ";"))
	if p.rule != nil {
		all = append(slices.Clone(p.rule.As.V), all...)
	}
	_, bad := tried.value(p.types(), all)
	return bad == nil
}

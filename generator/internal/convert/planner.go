// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// planner plans the conversions of one package, which share the pairs of structs.
type planner struct {
	*Package
	module     *load.Module
	types      *resolve.Resolver
	rules      ruleset
	conversion *model.Conversion
	pairs      map[pairKey]*Pair
	// deepCopyFiles are files of generated methods, by path, as far as they have been read.
	deepCopyFiles map[string][]byte
	// unlocated are packages that cannot be found and are reported already.
	unlocated map[string]bool
	// trying is true while converters are tried for a hint.
	trying bool
	diags  diag.List
}

// pairKey identifies a pair. The same two structs are a different pair if a rule on an enclosing struct claims some of
// their fields.
type pairKey struct {
	spoke, hub *resolve.Type
	skip       [2]string
}

// place is the planner's current position: for each side, the fields that lead from the kind to it.
type place struct{ spoke, hub Path }

func (p place) at(spoke, hub Path) place {
	return place{slices.Concat(p.spoke, spoke), slices.Concat(p.hub, hub)}
}

// around returns the place of the struct that contains the claim at this place.
func (p place) around(c *Claim) place {
	return place{p.spoke[:len(p.spoke)-len(c.Spoke)], p.hub[:len(p.hub)-len(c.Hub)]}
}

// paths returns the paths of both sides, in JSON names.
func (p place) paths() []string {
	return []string{strings.Join(p.spoke.names(), "."), strings.Join(p.hub.names(), ".")}
}

// plan plans a conversion.
func (p *planner) plan() (*Plan, bool) {
	spoke, ok := p.root(p.conversion.Spoke)
	hub, ok2 := p.root(p.conversion.Hub)
	if !ok || !ok2 {
		return nil, false
	}
	// The members that contain an object's type are replaced, not converted.
	typeMembers := map[string]bool{"apiVersion": true, "kind": true}
	root := p.pair(place{}, spoke, hub, [2]map[string]bool{typeMembers, typeMembers})
	root.IsRoot = true
	plan := &Plan{Conversion: p.conversion, Root: root, Schemas: [2]*Schema{schemaOf(root, spokeSide), schemaOf(root, hubSide)}}
	p.noteOneDefault(plan, p.noteDefaults(plan))
	p.noteBounds(plan)
	p.noteBeside(plan)
	p.noteExpressions(plan)
	p.noteFloats(plan)
	p.noteUnknown(plan)
	p.noteUnkeyed(plan)
	p.noteRefused(plan)
	return plan, true
}

// version returns the version of the side that a direction comes from.
func (p *planner) version(side Direction) string {
	t, _ := Sides(side, p.conversion.Spoke, p.conversion.Hub)
	return t.Version
}

func (p *planner) root(t model.VersionedType) (*resolve.Type, bool) {
	found, err := p.types.Named(t.Path, t.Name)
	if err == nil && found.Kind() == resolve.Struct && isObject(found) {
		return found, true
	}
	at := p.conversion.Range
	if err == nil {
		err = fmt.Errorf("%s is not an API object: a struct with metav1.TypeMeta and metav1.ObjectMeta in it", t.Name)
	} else if positioned := (*resolve.Error)(nil); errors.As(err, &positioned) && positioned.Range.IsValid() {
		at = positioned.Range
	}
	p.diags.Add(diag.Errorf(at, RuleType, "%s", err))
	return nil, false
}

// isObject reports whether a type embeds TypeMeta and ObjectMeta, as all API objects do.
func isObject(t *resolve.Type) bool {
	embeds := func(name string) bool {
		return slices.ContainsFunc(t.Fields(), func(f *resolve.Field) bool { return f.Embedded && isNamed(f.Type, metaPackage, name) })
	}
	return embeds("TypeMeta") && embeds("ObjectMeta")
}

// pair plans two structs. Rules on enclosing structs have already claimed the skipped fields.
func (p *planner) pair(at place, spoke, hub *resolve.Type, skip [2]map[string]bool) *Pair {
	key := pairKey{spoke, hub, [2]string{joined(skip[spokeSide]), joined(skip[hubSide])}}
	if known, ok := p.pairs[key]; ok {
		return known
	}
	pair := &Pair{Types: typesOf(spoke, hub), Name: p.name(spoke, hub), Opaque: encodesItself(spoke) || encodesItself(hub)}
	pair.HookName = pair.Name
	p.rules.meet(spoke, hub)
	if i := slices.IndexFunc(p.Pairs, func(o *Pair) bool { return o.Spoke == spoke && o.Hub == hub }); i >= 0 {
		pair.HookName = p.Pairs[i].HookName
	}
	p.pairs[key] = pair
	p.Pairs = append(p.Pairs, pair)
	w := &pairPlanner{planner: p, Pair: pair, at: at, taken: [2]map[string]bool{{}, {}}, claims: [2]map[string]diag.Range{{}, {}}}
	for side, paths := range skip {
		maps.Copy(w.taken[side], paths)
	}
	var ruled []ruled
	for _, f := range p.rules.reach(p.conversion.Declared, spoke, hub, w.taken[spokeSide]) {
		ruled = append(ruled, w.rule(f)...)
	}
	w.sameNames()
	pair.Claims = append(pair.Claims, w.values(ruled)...)
	w.hubOnly(hub, nil)
	pair.noteParents()
	w.noteEmbedded()
	w.unreached()
	return pair
}

// name makes a unique name for the functions of a pair. It begins with the name of the spoke's type. If that is taken,
// it adds the hub's type, unless the two names are equal, and then the kind.
func (p *planner) name(spoke, hub *resolve.Type) string {
	name := lowerFirst(identifier(spoke))
	as := ""
	if identifier(hub) != identifier(spoke) {
		as = "As" + identifier(hub)
	}
	isTaken := func(name string) bool {
		return slices.ContainsFunc(p.Pairs, func(o *Pair) bool { return o.Name == name })
	}
	for _, further := range []string{"", as, "Of" + p.conversion.Spoke.Name} {
		if name += further; !isTaken(name) {
			return name
		}
	}
	for i := 2; ; i++ {
		if numbered := fmt.Sprint(name, i); !isTaken(numbered) {
			return numbered
		}
	}
}

// identifier returns the name of a type as a part of an identifier: StringList for []string.
func identifier(t *resolve.Type) string {
	if t.Name == "" {
		switch t.Kind() {
		case resolve.Pointer:
			return model.Upper(identifier(t.Elem())) + "Pointer"
		case resolve.Slice:
			return model.Upper(identifier(t.Elem())) + "List"
		case resolve.Array:
			return model.Upper(identifier(t.Elem())) + "Array"
		case resolve.Map:
			return model.Upper(identifier(t.Elem())) + "Map"
		}
		return t.Kind().String() // a literal
	}
	name := t.Name
	for _, a := range t.Args {
		name += "Of" + model.Upper(identifier(a))
	}
	return name
}

// lowerFirst writes the first word of a name in lower case: httpRoute for HTTPRoute.
func lowerFirst(name string) string {
	runes := []rune(name)
	for i := range runes {
		if i > 0 && (!unicode.IsUpper(runes[i]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			break
		}
		runes[i] = unicode.ToLower(runes[i])
	}
	return string(runes)
}

func joined(paths map[string]bool) string {
	return strings.Join(slices.Sorted(maps.Keys(paths)), ";")
}

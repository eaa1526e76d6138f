// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/block"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/hint"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/ruleset"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// planner plans the conversions of one package, which share the pairs of structs.
type planner struct {
	*Package
	module     *load.Module
	types      *resolve.Resolver
	rules      ruleset.Set
	conversion *model.Conversion
	// matched and pairs are the pairs of structs after each of the two passes.
	matched map[pairKey]*pairPlanner
	pairs   map[pairKey]*Pair
	// deepCopyFiles are files of generated methods, by path, as far as they have been read.
	deepCopyFiles map[string][]byte
	// unlocated are packages that cannot be found and are reported already.
	unlocated map[string]bool
	// warned are the warnings so far.
	warned map[warned]bool
	// trying is true while converters are tried for a hint.
	trying bool
	diags  diag.List
}

// pairKey identifies a pair. The same two structs are a different pair if a rule on an enclosing struct claims some of
// their fields.
type pairKey struct {
	spoke, hub *resolve.Type
	skip       Sides[string]
}

func keyOf(spoke, hub *resolve.Type, skip Sides[map[string]bool]) pairKey {
	key := func(paths map[string]bool) string { return strings.Join(slices.Sorted(maps.Keys(paths)), ";") }
	return pairKey{spoke, hub, sides.New(key(skip.Spoke), key(skip.Hub))}
}

// place is the planner's current position: for each side, the fields that lead from the kind to it.
type place struct{ Sides[Path] }

func (p place) at(spoke, hub Path) place {
	return place{sides.New(slices.Concat(p.Spoke, spoke), slices.Concat(p.Hub, hub))}
}

// around returns the place of the struct that contains the claim at this place.
func (p place) around(c *Claim) place {
	return place{sides.New(p.Spoke[:len(p.Spoke)-len(c.Spoke)], p.Hub[:len(p.Hub)-len(c.Hub)])}
}

// paths returns the paths of both sides, in JSON names.
func (p place) paths() Sides[string] {
	return sides.New(strings.Join(p.Spoke.Names(), "."), strings.Join(p.Hub.Names(), "."))
}

// typeMembers are the members that contain an object's type. They are replaced, not converted.
func typeMembers() Sides[map[string]bool] {
	members := map[string]bool{"apiVersion": true, "kind": true}
	return sides.New(members, members)
}

// plan plans a conversion.
func (p *planner) plan(types Sides[*Type]) *Plan {
	root := p.pair(place{}, types.Spoke, types.Hub, typeMembers())
	root.IsRoot = true
	plan := &Plan{Conversion: p.conversion, Root: root, Schemas: sides.New(schemaOf(root, Spoke), schemaOf(root, Hub))}
	p.noteOneDefault(plan, p.noteDefaults(plan))
	p.noteBounds(plan)
	p.noteBeside(plan)
	p.noteLacking(plan)
	p.noteExpressions(plan)
	p.noteFloats(plan)
	p.noteUnknown(plan)
	p.noteUnkeyed(plan)
	p.noteRefused(plan)
	return plan
}

// refuseHooks reports a spoke with generated methods whose conversion needs the user's own code. A type's methods
// cannot store the user's hooks.
func (p *planner) refuseHooks(plan *Plan) {
	if !plan.Convertible.V || !plan.Root.NeedsHooks() {
		return
	}
	var names []string
	plan.Root.any(func(c *Claim) bool {
		if c.isCustom() {
			names = append(names, cmp.Or(c.Field().String(), "whole structs"))
		}
		return false
	})
	slices.Sort(names)
	p.diags.Add(diag.Errorf(plan.Convertible.At, model.RuleConvertible, "methods of %s cannot hold your own code, which converts %s", plan.Spoke.Name, strings.Join(slices.Compact(names), ", ")).
		WithHint("remove convertible: the methods of Converter are what controller-runtime's NewSpokeConverter takes"))
}

// version returns the version of a side.
func (p *planner) version(side Side) string {
	return sides.New(p.conversion.Spoke.Version, p.conversion.Hub.Version).At(side)
}

// roots finds the types of the conversion.
func (p *planner) roots() (types Sides[*Type], ok bool) {
	spoke, isSpoke := p.root(p.conversion.Spoke)
	hub, isHub := p.root(p.conversion.Hub)
	return sides.New(spoke, hub), isSpoke && isHub
}

func (p *planner) root(t model.VersionedType) (*resolve.Type, bool) {
	found, err := p.types.Named(t.Path, t.Name)
	if err == nil && found.Kind() == resolve.Struct && fields.IsObject(found) {
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

// match finds the claims on the fields of two structs, and on the fields of the structs in them. Rules on enclosing
// structs have already claimed the skipped fields.
func (p *planner) match(at place, spoke, hub *resolve.Type, skip Sides[map[string]bool]) *pairPlanner {
	key := keyOf(spoke, hub, skip)
	if known, ok := p.matched[key]; ok {
		return known
	}
	w := &pairPlanner{planner: p, Pair: &Pair{Types: typesOf(sides.New(spoke, hub))}, at: at,
		taken:  sides.New(map[string]bool{}, map[string]bool{}),
		claims: sides.New(map[string]diag.Range{}, map[string]diag.Range{})}
	p.matched[key] = w
	p.rules.Meet(spoke, hub)
	for _, side := range []Side{Spoke, Hub} {
		maps.Copy(w.taken.At(side), skip.At(side))
	}
	for _, f := range p.rules.Reach(p.conversion.Declared, spoke, hub, w.taken.Spoke) {
		w.ruled = append(w.ruled, w.rule(f)...)
	}
	w.moved = sides.New(maps.Clone(w.taken.Spoke), maps.Clone(w.taken.Hub))
	w.matchNames()
	for _, r := range slices.Concat(w.named, w.ruled) {
		if r.converts() {
			v := w.between(r)
			v.match(v.types(), r.rule.As.V)
		}
	}
	return w
}

// pair plans two structs.
func (p *planner) pair(at place, spoke, hub *resolve.Type, skip Sides[map[string]bool]) *Pair {
	key := keyOf(spoke, hub, skip)
	if known, ok := p.pairs[key]; ok {
		return known
	}
	w := *p.match(at, spoke, hub, skip)
	pair := &Pair{Types: w.Types, Name: p.name(spoke, hub), After: w.After, Opaque: spoke.EncodesItself() || hub.EncodesItself()}
	pair.HookName = pair.Name
	w.planner, w.Pair, w.at = p, pair, at
	if i := slices.IndexFunc(p.Pairs, func(o *Pair) bool { return o.Spoke == spoke && o.Hub == hub }); i >= 0 {
		pair.HookName = p.Pairs[i].HookName
	}
	p.pairs[key] = pair
	p.Pairs = append(p.Pairs, pair)
	pair.Claims = append(w.values(w.named), w.values(w.ruled)...)
	w.reportUnclaimed()
	w.hubOnly(hub, nil)
	pair.noteParents()
	w.noteEmbedded()
	w.unreached()
	p.diags.Add(w.diags...)
	return pair
}

// name makes a unique name for the functions of a pair. It begins with the name of the spoke's type. If that is taken,
// it adds the hub's type, unless the two names are equal, and then the kind.
func (p *planner) name(spoke, hub *resolve.Type) string {
	name := hint.LowerFirst(block.Identifier(spoke))
	as := ""
	if block.Identifier(hub) != block.Identifier(spoke) {
		as = "As" + block.Identifier(hub)
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

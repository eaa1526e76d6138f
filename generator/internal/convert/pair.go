// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/hint"
	"github.com/webhook-gen/webhook-gen/generator/internal/limits"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/ruleset"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// pairPlanner plans one pair of structs.
type pairPlanner struct {
	*planner
	*Pair
	at     place
	diags  diag.List                    // of this pair
	taken  Sides[map[string]bool]       // by side: the paths of claimed fields
	moved  Sides[map[string]bool]       // by side: the paths that rules claim
	claims Sides[map[string]diag.Range] // by side and path: the rule that claims it
	// ruled and named are the claims of rules, and of fields with the same name on both sides.
	ruled, named []match
	unclaimed    []Path // fields of the spoke that nothing claims
}

// match is a claim before its value is planned.
type match struct {
	*Claim
	rule     model.ConversionRule
	renames  []Renaming
	defaults []model.ConversionRule // the defaults beside it
	entries  Sides[string]          // the keys of entries of metadata, by side
}

// rule makes the claims of the rules for one field.
func (p *pairPlanner) rule(f ruleset.ForField) []match {
	rules, drop := besideCustom(f.Rules)
	main := rules[0]
	switch {
	case main.Verb == model.Alike:
		p.alike(main)
		return nil
	case f.Field == "":
		return p.hubRule(rules, drop)
	}
	claim := match{Claim: &Claim{}}
	decided := false
	for _, r := range rules {
		switch {
		case r.Verb == model.Enum:
			if claim.Same = append(claim.Same, r.Same...); r.Same == nil {
				claim.renames = append(claim.renames, Renaming{r.From, r.To})
			}
		case r.Verb == model.Default && differs(r, claim.defaults):
			claim.defaults = append(claim.defaults, r)
		case decided || r.Verb == model.Default:
			p.diags.Add(diag.Errorf(r.Range, RuleTwice, "a second rule for the field %s", f.Field).WithRelated(main.Range, "the first is here"))
			p.taken.Spoke[f.Field] = true
			return nil
		default:
			main, decided = r, true
		}
	}
	spoke, spokeEntry, ok := p.find(Spoke, main.Field)
	if !ok || !p.take(Spoke, spoke, main) {
		return nil
	}
	claim.rule, claim.Spoke, claim.Verb, claim.Reason = main, spoke, main.Verb, main.Reason
	if main.Verb == model.Enum || main.Verb == model.Default {
		claim.Verb = model.ToHub
	}
	if isCustom := claim.Verb == model.Custom; claim.defaults != nil && (isCustom || claim.Verb != model.ToHub && spokeEntry != "") {
		p.diags.Add(diag.Errorf(claim.defaults[0].Range, RuleTwice, "a default beside %s, which already decides on the field", claim.Verb).WithRelated(main.Range, "it is here"))
		claim.defaults = nil
	}
	switch claim.Verb {
	case model.Stash:
		if spokeEntry != "" {
			p.needless(main, main.Field)
		}
		return []match{claim}
	case model.Drop:
		claim.Entry = spokeEntry
		return []match{claim}
	case model.Custom:
		return p.custom(claim, drop)
	}
	hub, hubEntry, ok := p.find(Hub, main.Path)
	if !ok || !p.take(Hub, hub, main) {
		return nil
	}
	claim.Hub = hub
	claim.entries = sides.New(spokeEntry, hubEntry)
	return []match{claim}
}

// values plans the values of the rules' claims. All claims must be known before, because a struct does not include the
// parts that other rules claim.
func (p *pairPlanner) values(all []match) []*Claim {
	var claims []*Claim
	for _, r := range all {
		claim := *r.Claim
		if r.Claim = &claim; r.converts() {
			if r.Value = p.between(r).top(r.rule.As.V); r.Value == nil {
				continue
			}
		}
		if r.rule.Unless.IsSet() {
			p.unless(r.Claim, r.rule)
		}
		for _, d := range r.defaults {
			p.addDefault(r.Claim, d)
		}
		first := slices.IndexFunc(claims, func(c *Claim) bool { return c.Spoke.IsIn(r.Spoke) || c.Hub.IsIn(r.Hub) })
		if first < 0 {
			first = len(claims)
		}
		claims = slices.Insert(claims, first, r.Claim) // a claim on a whole struct precedes the claims on its parts
	}
	return claims
}

// converts reports whether the field of one version becomes a field of the other.
func (r match) converts() bool { return r.Verb == model.ToHub || r.Verb == "" }

// between returns the planner of the values of two fields.
func (p *pairPlanner) between(r match) *valuePlanner {
	v := &valuePlanner{planner: p.planner, in: p, path: r.Spoke, hubPath: r.Hub, at: p.at.at(r.Spoke, r.Hub),
		fields:  sides.New(r.Spoke.Last(), r.Hub.Last()),
		skip:    sides.New(fields.Below(p.moved.Spoke, r.Spoke.String()), fields.Below(p.moved.Hub, r.Hub.String())),
		renames: r.renames, same: r.Same, entries: r.entries,
		missing: slices.ContainsFunc(r.defaults, func(d model.ConversionRule) bool { return !d.With.IsSet() })}
	if r.Verb != "" {
		v.rule = &r.rule
	}
	return v
}

// unless notes the field that keeps a value out of the hub. The value of a hub with both members is lost, too.
func (p *pairPlanner) unless(c *Claim, r model.ConversionRule) {
	path, entry, ok := p.find(Spoke, r.Unless)
	_, isEntry := entryOf(c)
	switch {
	case !ok:
		return
	case entry != "" || isEntry:
		p.diags.Add(diag.Errorf(r.Unless.At, RuleConverter, "unless is for fields, and not for entries of metadata").WithHint("+webhook:conversion:custom is for other values"))
		return
	case path.String() == c.Spoke.String() || path.IsIn(c.Spoke) || c.Spoke.IsIn(path):
		p.diags.Add(diag.Errorf(r.Unless.At, RuleConverter, "%s is not another field than %s", path, c.Spoke).WithHint("name the field that counts if both are set"))
		return
	}
	c.Unless = path
	loss := fmt.Sprintf("all of it beside %s", path)
	c.Value.Loss = sides.Both(loss)
}

// besideCustom takes the drop out of the rules for one field if there is also a custom rule.
func besideCustom(rules []model.ConversionRule) (others []model.ConversionRule, drop *model.ConversionRule) {
	has := func(verb model.Verb) int {
		return slices.IndexFunc(rules, func(r model.ConversionRule) bool { return r.Verb == verb })
	}
	i := has(model.Drop)
	if i < 0 || has(model.Custom) < 0 {
		return rules, nil
	}
	return slices.Concat(rules[:i], rules[i+1:]), &rules[i]
}

// custom finds the additional fields and the directions of a custom rule. A drop beside it gives up the field.
func (p *pairPlanner) custom(claim match, drop *model.ConversionRule) []match {
	all := p.customFields(claim)
	for _, claim := range all {
		r := claim.rule
		both := claim.Spoke != nil && claim.Hub != nil
		claim.Functions = functions(r, claim.Spoke != nil)
		switch {
		case both && r.Direction.IsSet() || claim.Spoke == nil && claim.Functions[FromHub]:
			d := diag.Errorf(r.Direction.At, RuleConverter, "%s alone does not convert %s, which %s has", r.Direction.V, claim.Field(), p.conversion.Hub.Version)
			if both {
				d = d.WithRelated(claim.Hub.Last().Range, "the field of %s is here", p.conversion.Hub.Version)
			}
			p.diags.Add(d.WithHint("remove direction"))
		case both && drop != nil:
			p.diags.Add(diag.Errorf(drop.Range, RuleTwice, "a drop beside custom is for a field that one version has, and both have %s", claim.Field()).
				WithHint("remove it: your own code decides which values are lost").WithRelated(r.Range, "the other rule is here"))
		case drop != nil:
			claim.Verb, claim.Reason = model.Drop, drop.Reason
		}
	}
	return all
}

// functions returns the directions in which the user's own code is called. A field that only the hub has is computed
// from the rest of the spoke, and needs no code on the way back.
func functions(r model.ConversionRule, inSpoke bool) Ways[bool] {
	if r.Direction.IsSet() {
		return Ways[bool]{r.Direction.V == model.Directions()[ToHub], r.Direction.V == model.Directions()[FromHub]}
	}
	return Ways[bool]{true, inSpoke}
}

// customFields finds the additional fields of a custom rule.
func (p *pairPlanner) customFields(claim match) []match {
	r := claim.rule
	for _, field := range r.Others {
		spoke, _, ok := p.find(Spoke, field)
		if !ok || !p.take(Spoke, spoke, r) {
			return nil
		}
		claim.Others.Spoke = append(claim.Others.Spoke, spoke)
	}
	if !r.Hub.IsSet() {
		if hub, ok := fields.Lookup(p.Hub, r.Field.V); ok {
			claim.Hub = hub
			p.take(Hub, hub, r)
		}
		return []match{claim}
	}
	for i, name := range r.Hub.V {
		hub, _, ok := p.find(Hub, diag.Sourced[string]{V: name, At: r.Hub.Each[i]})
		if !ok || !p.take(Hub, hub, r) {
			return nil
		}
		claim.Others.Hub = append(claim.Others.Hub, hub)
	}
	claim.Hub, claim.Others.Hub = claim.Others.Hub[0], claim.Others.Hub[1:]
	return []match{claim}
}

// alike reports an alike rule for types that use Go's default JSON encoding anyway.
func (p *pairPlanner) alike(r model.ConversionRule) {
	if !p.Spoke.EncodesItself() && !p.Hub.EncodesItself() {
		p.diags.Add(diag.Errorf(r.Range, RuleUnused, "neither %s nor %s has methods for JSON of its own", p.Spoke, p.Hub).WithHint("remove the rule: the fields are converted anyway"))
	}
}

// hubRule makes the claims for fields that only the hub has. They are dropped, have a default, or the user's own code
// sets them.
func (p *pairPlanner) hubRule(rules []model.ConversionRule, drop *model.ConversionRule) []match {
	r := rules[0]
	switch {
	case r.Verb == model.Custom && !r.Hub.IsSet():
		p.complete(r)
		return nil
	case r.Verb == model.Custom:
		return p.custom(match{Claim: &Claim{Verb: r.Verb}, rule: r}, drop)
	}
	var claims []match
	for i, name := range r.Hub.V {
		path := diag.Sourced[string]{V: name, At: r.Hub.Each[i]}
		hub, entry, ok := p.find(Hub, path)
		if !ok || !p.take(Hub, hub, r) {
			continue
		}
		if entry != "" && r.Verb == model.Default {
			p.needless(r, path)
			continue
		}
		if dot := strings.LastIndexByte(name, '.'); dot > 0 && r.Verb == model.Default {
			if parent, ok := fields.Lookup(p.Spoke, name[:dot]); ok {
				p.diags.Add(diag.Errorf(r.Hub.Each[i], RulePath, "the default for %s is on a struct too far out", name).
					WithHint("put it on %s, which converts to the struct that has it", parent.Last().Type.Target()))
				continue
			}
		}
		claim := match{Claim: &Claim{Sides: Sides[Path]{Hub: hub}, Verb: r.Verb, Reason: r.Reason, Entry: entry}, rule: r}
		if r.Verb == model.Default {
			for _, d := range rules {
				if differs(d, claim.defaults) {
					claim.defaults = append(claim.defaults, d)
				} else {
					p.diags.Add(diag.Errorf(d.Range, RuleTwice, "a second default for %s", name).WithRelated(r.Range, "the first is here").
						WithHint("with: \"field\" makes it a default for objects that have this field"))
				}
			}
		}
		claims = append(claims, claim)
	}
	return claims
}

// complete notes that the user's own code completes the struct.
func (p *pairPlanner) complete(r model.ConversionRule) {
	if first, ok := p.claims.Spoke[""]; ok {
		p.diags.Add(diag.Errorf(r.Range, RuleTwice, "a second rule by which your own code completes %s", p.Spoke.Name).
			WithHint("remove it: one function can do all of it").WithRelated(first, "the first is here"))
		return
	}
	p.claims.Spoke[""] = r.Range
	p.After = functions(r, true)
}

// needless reports an unnecessary rule for a metadata entry, because both versions have every entry.
func (p *pairPlanner) needless(r model.ConversionRule, entry diag.Sourced[string]) {
	p.diags.Add(diag.Errorf(entry.At, RulePath, "%s is for fields that one version has, and both have %s", r.Verb, entry.V).
		WithHint("+webhook:conversion:to moves an entry of metadata, +webhook:conversion:drop gives it up"))
}

// differs reports whether a default applies in another case than all others.
func differs(r model.ConversionRule, others []model.ConversionRule) bool {
	return !slices.ContainsFunc(others, func(o model.ConversionRule) bool { return o.With.V == r.With.V })
}

// addDefault sets the default for a field that the source leaves unset.
func (p *pairPlanner) addDefault(c *Claim, r model.ConversionRule) {
	side := c.DefaultTo().To()
	field, version := c.At(side), p.version(side)
	t := field.Last().Type
	value, ok := limits.Constant(t.Target(), r.Default.V)
	if r.From != "" {
		value, ok = Metadata(r.From), t.IsText() && t.Package == ""
	}
	if !ok || value == limits.ZeroOf(value) && t.Kind() != resolve.Pointer {
		p.diags.Add(diag.Errorf(r.Default.At, RuleConverter, "%q is not a default for the %s's %s", r.Default.V, side, t).
			WithHint("a default is text, a whole number or a bool, and zero is one for a pointer only; +webhook:conversion:custom is for other types"))
		return
	}
	if r.From == "" && !limits.OfField(field.Last()).Allows(value) {
		p.diags.Add(diag.Errorf(r.Default.At, RuleRefused, "the markers of %s refuse the default %q", version, r.Default.V).
			WithHint("choose a value that its Enum, bounds, lengths and pattern allow").WithRelated(field.Last().Range, "the field of %s is here", version))
		return
	}
	if r.With.IsSet() {
		with, entry, ok := p.find(side, r.With)
		if !ok || entry != "" {
			return
		}
		c.Cases = append(c.Cases, Case{value, with})
	} else {
		c.Default = value
	}
	if c.Value == nil {
		return
	}
	for d, loss := range c.Value.Loss {
		c.Value.Loss[d] = cmp.Or(loss, "whether it was missing")
	}
}

// find looks up a rule's path in the struct of a side; key is the key of a metadata entry.
func (p *pairPlanner) find(side Side, path diag.Sourced[string]) (found Path, key string, ok bool) {
	t := p.At(side)
	if found, key = fields.Entry(t, path.V); found != nil {
		return found, key, true
	}
	if found, ok = fields.Lookup(t, path.V); ok {
		return found, "", true
	}
	d := diag.Errorf(path.At, RulePath, "%s of %s has no field %q", t.Name, p.version(side), path.V).WithRelated(t.Range, "%s is here", t.Name)
	list, member, inElements := strings.Cut(path.V, "[].")
	switch near, ok := fields.Nearest(t, path.V); {
	case inElements:
		d = d.WithHint("a path does not lead into the elements of a list; +webhook:conversion:to(path: %q, as: %q) converts each element to that member", list, "each;wrap:"+member)
	case strings.Contains(path.V, "["):
		d = d.WithHint("on a kind, metadata.annotations[key] and metadata.labels[key] are entries; nothing else has any")
	case ok:
		d = d.WithHint("did you mean %q?", near)
	}
	p.diags.Add(d)
	return nil, "", false
}

// take claims a field for a rule.
func (p *pairPlanner) take(side Side, path Path, r model.ConversionRule) bool {
	if p.taken.At(side)[path.String()] {
		d := diag.Errorf(r.Range, RuleTwice, "the %s's field %s is claimed twice", side, path)
		if other, ok := p.claims.At(side)[path.String()]; ok {
			d = d.WithRelated(other, "the other rule is here")
		}
		p.diags.Add(d.WithHint("let one rule take care of both: +webhook:conversion:custom"))
		return false
	}
	p.taken.At(side)[path.String()] = true
	p.claims.At(side)[path.String()] = r.Range
	return true
}

// matchNames claims the fields with the same name on both sides.
func (p *pairPlanner) matchNames() {
	for _, m := range fields.Of(p.Spoke, p.taken.Spoke) {
		name := m.String()
		if p.taken.Spoke[name] {
			continue
		}
		counterpart, ok := fields.Lookup(p.Hub, name)
		if !ok || p.taken.Hub[name] {
			p.unclaimed = append(p.unclaimed, m)
			continue
		}
		p.taken.Spoke[name], p.taken.Hub[name] = true, true
		p.named = append(p.named, match{Claim: &Claim{Sides: sides.New(m, counterpart)}})
	}
}

// reportUnclaimed reports fields that only the spoke has.
func (p *pairPlanner) reportUnclaimed() {
	foreign := slices.DeleteFunc(slices.Clone(p.unclaimed), func(m Path) bool { return p.isOwn(p.declares(m)) })
	for _, m := range p.unclaimed {
		if len(foreign) < 2 || p.isOwn(p.declares(m)) {
			p.spokeOnly(m)
		}
	}
	if len(foreign) > 1 {
		p.foreign(foreign)
	}
}

// isOwn reports whether a package is in the user's module, where markers can be added.
func (p *planner) isOwn(importPath string) bool {
	return importPath == p.module.Path || strings.HasPrefix(importPath, p.module.Path+"/")
}

// foreign reports several fields of somebody else's struct that the hub does not have: once, at the user's own field or
// marker, where one rule takes care of all.
func (p *pairPlanner) foreign(missing []Path) {
	at, in := p.conversion.Range, p.conversion.Spoke.Path
	for _, f := range slices.Concat(p.at.Spoke, missing[0][:len(missing[0])-1]) {
		if p.isOwn(in) {
			at = f.Range
		}
		in = f.Type.Innermost().Package
	}
	var names, hints []string
	var rest []Path
	for _, m := range missing {
		name := strings.Join(slices.Concat(p.at.Spoke, m).Names(), ".")
		names = append(names, name)
		if near, ok := p.likely(m); ok {
			hints = append(hints, fmt.Sprintf("%s if that is the new name of %s", near, name))
		} else {
			rest = append(rest, m)
		}
	}
	if len(rest) == 0 {
		rest = missing
	}
	choices := p.choices(rest...)
	if _, whole := outermost(p.at.Spoke); len(rest) > manyFields && len(whole) > 0 {
		s := p.spotOf(rest...)
		s.Fields = whole.String()
		choices = fmt.Sprintf("%s keeps all of it for %s alone, %s gives it up, %s asks for your own code",
			s.Marker(model.Stash), p.conversion.Spoke.Version, s.Marker(model.Drop), s.Marker(model.Custom))
	}
	p.diags.Add(diag.Errorf(at, RuleUnclaimed, "%s has no fields for %s", p.conversion.Hub.Version, strings.Join(names, ", ")).
		WithHint("%s", strings.Join(append(hints, choices), "; ")).WithRelated(p.Spoke.Range, "%s is here", p.Spoke.Name).
		WithRelated(p.Hub.Range, "%s of %s is here", p.Hub.Name, p.conversion.Hub.Version))
}

// manyFields is how many fields a hint names. If the hub lacks more of a struct, the two are hardly the same thing.
const manyFields = 6

// choices describes the rules for fields that the hub does not have.
func (p *pairPlanner) choices(paths ...Path) string {
	s := p.spotOf(paths...)
	return fmt.Sprintf("%s keeps it in an annotation of the hub, %s gives it up, %s asks for your own code",
		s.Marker(model.Stash), s.Marker(model.Drop), s.Marker(model.Custom))
}

// spokeOnly reports a field that the hub does not have. If rules move some of its parts elsewhere, it reports the other
// parts.
func (p *pairPlanner) spokeOnly(m Path) {
	name := m.String()
	if inner := m.Last().Type.Target(); inner.Kind() == resolve.Struct && len(fields.Below(p.taken.Spoke, name)) > 0 {
		for _, part := range fields.Of(inner, nil) {
			if whole := slices.Concat(m, part); !p.taken.Spoke[whole.String()] {
				p.spokeOnly(whole)
			}
		}
		return
	}
	at := p.at.at(m, nil)
	d := diag.Errorf(m.Last().Range, RuleUnclaimed, "%s has no field for %s", p.conversion.Hub.Version, strings.Join(slices.Concat(p.at.Spoke, m).Names(), "."))
	todo := p.choices(m)
	if near, ok := p.likely(m); ok {
		todo = near + " if that is its new name; " + todo
	} else if out, ok := p.movedOut(m); ok {
		todo = out + " if the member has moved out of it; " + todo
	}
	if p.taken.Hub[name] {
		todo = "another rule claims the hub's field of that name; " + todo
	}
	p.diags.Add(d.WithHint("%s", hint.Tree(p.conversion, at.Spoke.Names(), at.Hub.Names(), m.Last().Type, nil, todo)).WithRelated(p.Hub.Range, "%s of %s is here", p.Hub.Name, p.conversion.Hub.Version))
}

// likely returns the rule for a field that is probably the same field under another name or in another struct of the
// hub.
func (p *pairPlanner) likely(m Path) (rule string, ok bool) {
	path, as, ok := p.search().Likely(m, p.rules.Of(p.Hub))
	if !ok {
		return "", false
	}
	return p.spotOf(m).To(path, as), true
}

// movedOut returns the rule for the one member of a struct that the hub has beside it, under the same name.
func (p *pairPlanner) movedOut(m Path) (rule string, ok bool) {
	member, as, ok := p.search().MovedOut(m)
	if !ok {
		return "", false
	}
	whole := slices.Concat(m, member)
	s := p.spotOf(whole)
	if s.Fields == "" {
		s = hint.Spot{Fields: whole.String(), On: " on " + p.Spoke.Name}
	}
	return s.To(member.String(), as), true
}

func (p *pairPlanner) search() hint.Search {
	return hint.Search{Spoke: p.Spoke, Hub: p.Hub, TakenSpoke: p.taken.Spoke, TakenHub: p.taken.Hub}
}

// hubOnly claims the fields that only the hub has. The spoke's annotation keeps them.
func (p *pairPlanner) hubOnly(t *resolve.Type, before Path) {
	for _, m := range fields.Of(t, p.taken.Hub) {
		whole := slices.Concat(before, m)
		name := whole.String()
		if p.taken.Hub[name] {
			continue
		}
		if inner := m.Last().Type.Target(); inner.Kind() == resolve.Struct && len(fields.Below(p.taken.Hub, name)) > 0 {
			p.hubOnly(inner, whole)
			continue
		}
		p.Claims = append(p.Claims, &Claim{Sides: Sides[Path]{Hub: whole}, Verb: model.Stash})
	}
}

// claimed returns, for each side, the paths that convert to a path of the other side.
func (p *Pair) claimed() Sides[map[string]bool] {
	claimed := sides.New(map[string]bool{}, map[string]bool{})
	for _, c := range p.Claims {
		if c.Value != nil {
			claimed.Spoke[c.Spoke.String()], claimed.Hub[c.Hub.String()] = true, true
		}
	}
	return claimed
}

// unconverted returns the paths of one side that neither convert nor are dropped.
func (p *Pair) unconverted(side Side) map[string]bool {
	paths := map[string]bool{}
	for _, c := range p.Claims {
		if path := c.At(side); path != nil && c.Value == nil && c.Verb != model.Drop {
			paths[path.String()] = true
		}
	}
	return paths
}

// noteParents handles moves into and out of structs behind pointers. A list's element that moves into such a struct
// gets the check whether to create the struct. A move in either direction loses whether the pointer was nil or the
// struct empty, unless the pointer itself is claimed.
func (p *Pair) noteParents() {
	claimed := p.claimed()
	for _, c := range p.Claims {
		if c.Value == nil {
			continue
		}
		for _, d := range sides.Directions() {
			path := c.From(d)
			if c.Value.traits().picks && c.Value.Outer == d.To() && path.HasPointers() {
				c.Found[d.Back()] = fields.FieldSet(path.Last())
			}
			for i, f := range path[:len(path)-1] {
				if f.Type.Kind() == resolve.Pointer && !claimed.From(d)[path[:i+1].String()] && c.Value.Loss[d] == "" {
					c.Value.Loss[d] = "whether the struct around it was nil or empty"
				}
			}
		}
	}
}

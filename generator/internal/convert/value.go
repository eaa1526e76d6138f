// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/hint"
	"github.com/webhook-gen/webhook-gen/generator/internal/limits"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// valuePlanner plans how the values of two fields convert.
type valuePlanner struct {
	*planner
	// in plans the structs of the two fields, and the paths lead from there to the fields.
	in            *pairPlanner
	path, hubPath Path
	at            place
	rule          *model.ConversionRule // nil if the names are the same
	renames       []Renaming
	same          []string
	fields        Sides[*resolve.Field]
	// skip are the paths of the parts that other rules claim, by side.
	skip Sides[map[string]bool]
	// entries are the keys of metadata entries, by side. The key is empty if that side is a field.
	entries Sides[string]
	// element is true if the values are elements of the fields' values.
	element bool
	// missing is true if a marker sets the hub's default.
	missing bool
}

// mismatch is the reason why two types do not convert.
type mismatch struct {
	rule, message, hint string
	// unlocated is the package that cannot be found, if that is the reason.
	unlocated string
}

// unresolved makes the mismatch of a type that was not found.
func unresolved(err error) *mismatch {
	bad := &mismatch{rule: RuleType, message: err.Error()}
	if e, ok := errors.AsType[*resolve.Error](err); ok && e.Err != nil {
		bad.unlocated = e.Package
	}
	return bad
}

// top plans the values of the two fields, and reports the reason if they do not convert.
func (p *valuePlanner) top(as converters) *Value {
	v, bad := p.value(p.types(), as)
	if bad == nil {
		p.noteEmpty(v)
		return v
	}
	if bad.unlocated != "" {
		if p.unlocated[bad.unlocated] {
			return nil // reported at the first field whose type is in that package
		}
		p.unlocated[bad.unlocated] = true
	}
	at := p.fields.Spoke.Range
	if p.rule != nil {
		at = p.rule.Range
		if bad.rule == RuleConverter && p.rule.As.IsSet() {
			at = p.rule.As.At
		}
		if bad.rule == RuleConverter && p.rule.Struct.IsZero() {
			bad.hint += fmt.Sprintf("; of: %q makes it a rule for one struct alone", p.in.Spoke.Package+"."+p.in.Spoke.Name)
		}
	}
	p.diags.Add(diag.Errorf(at, bad.rule, "%s: %s", strings.Join(p.at.Spoke.Names(), "."), bad.message).
		WithHint("%s", hint.Tree(p.conversion, p.at.Spoke.Names(), p.at.Hub.Names(), p.fields.Spoke.Type, p.fields.Hub.Type, bad.hint)).
		WithRelated(p.fields.Hub.Range, "the field of %s is here", p.conversion.Hub.Version))
	return nil
}

// noteEmpty marks lists and maps if JSON writes an empty one on one side and omits it on the other.
func (p *valuePlanner) noteEmpty(v *Value) {
	if !v.traits().fills {
		return
	}
	spoke, hub := p.fields.Spoke.OmitEmpty, p.fields.Hub.OmitEmpty
	if v.Spoke.Kind() != resolve.Array {
		v.EmptyIsNil = Ways[bool]{ToHub: hub && !spoke, FromHub: spoke && !hub}
	}
	for d, isNil := range v.EmptyIsNil {
		if isNil {
			v.Loss[d] = "whether it was nil or empty"
		}
	}
}

// value plans two types. It applies the converters from the outside to the inside.
func (p *valuePlanner) value(types Sides[*Type], as converters) (*Value, *mismatch) {
	v := &Value{Types: typesOf(types)}
	if p.entries != (Sides[string]{}) {
		return Entry{}.plan(p, v, as)
	}
	if bad := as.mistake(); bad != nil {
		return nil, bad
	}
	for _, t := range types.List() {
		if err := t.Err(); err != nil {
			return nil, unresolved(err)
		}
	}
	c := p.candidate(v, as)
	if k := c.kind(); k != nil {
		return k.plan(p, v, as)
	}
	if c.isClosed && p.rules.Alike(v.Spoke) {
		return nil, p.unread(v)
	}
	return nil, p.differ(v)
}

// match matches the rules to the structs in two values.
func (p *valuePlanner) match(types Sides[*Type], as converters) {
	v := &Value{Types: typesOf(types)}
	isUnknown := slices.ContainsFunc(types.List(), func(t *Type) bool { return t.Err() != nil })
	if p.entries != (Sides[string]{}) || as.mistake() != nil || isUnknown {
		return
	}
	if k := p.candidate(v, as).kind(); k == (Call{}) {
		p.planner.match(p.at, v.Spoke, v.Hub, p.skip)
	} else if k != nil {
		if c := k.content(p, v, as); c != nil {
			c.match(c.types, c.as)
		}
	}
}

// types returns the types of the two fields.
func (p *valuePlanner) types() Sides[*Type] {
	return sides.New(p.fields.Spoke.Type, p.fields.Hub.Type)
}

// candidate returns the facts that decide on the kind of a conversion.
func (p *valuePlanner) candidate(v *Value, as converters) candidate {
	c := candidate{valuePlanner: p, Types: v.Types}
	if c.converter, _ = as.first(); c.converter != "" || c.isPointer(Spoke) || c.isPointer(Hub) || p.hasRenames() {
		return c
	}
	spoke, hub := v.Spoke, v.Hub
	c.isCopy = v.Same && len(p.skip.Spoke)+len(p.skip.Hub) == 0 && !p.rules.Names(spoke)
	c.isClosed = !c.isCopy && ((spoke.EncodesItself() || hub.EncodesItself()) && !p.rules.Alike(spoke) ||
		spoke.EncodesItself() && spoke.IsHidden() || hub.EncodesItself() && hub.IsHidden())
	return c
}

// hasRenames reports whether rules rename or keep values of an enum.
func (p *valuePlanner) hasRenames() bool { return p.renames != nil || p.same != nil }

// elements plans the elements of a list or map.
func (p *valuePlanner) elements() *valuePlanner {
	inner := *p
	inner.element = true
	return &inner
}

// beside plans the elements of a list, without the members that identify them.
func (p *valuePlanner) beside(list Side, keys ...Constant) *valuePlanner {
	inner := p.elements()
	inner.skip = Sides[map[string]bool]{}
	*inner.skip.On(list) = constants(keys).addTo(nil)
	return inner
}

// around notes whether the hub has the struct or list around a value. It returns the type of the value, the type around
// it, and the members of a struct that rules move elsewhere.
func (p *valuePlanner) around(v *Value, inHub bool) (plain, outside *Type, skip map[string]bool) {
	v.Outer = sides.Of(inHub)
	outside, plain = v.Across(v.Outer)
	return plain, outside, p.skip.At(v.Outer)
}

// single reports converters after one for single values.
func (p *valuePlanner) single(as converters) *mismatch {
	if len(as) < 2 {
		return nil
	}
	name, _ := as.first()
	return &mismatch{rule: RuleConverter, message: "nothing can follow the converter " + name, hint: "it is for single values"}
}

// unread reports types with the same JSON that have fields hidden from other packages.
func (p *valuePlanner) unread(v *Value) *mismatch {
	t := v.Spoke
	if !t.IsHidden() {
		t = v.Hub
	}
	return &mismatch{rule: RuleMismatch, message: t.String() + " has fields that only its own package can read", hint: p.byHand()}
}

// valuesOf returns the possible values of a text: its Enum, or else the constants of its type. It returns none if any
// text is possible.
func (p *planner) valuesOf(t *resolve.Type, l limits.Limits) []string {
	if len(l.Enum) > 0 {
		return l.Enum
	}
	return p.types.Constants(t)
}

// total checks that each value of an enum has a value on the other side.
func (p *valuePlanner) total(v *Value) *mismatch {
	spokeLimits, hubLimits := limits.In(v.Spoke, p.fields.Spoke), limits.In(v.Hub, p.fields.Hub)
	if v.Same && slices.Equal(spokeLimits.Enum, hubLimits.Enum) {
		return nil // the constants of one type, which take long to find
	}
	spoke, hub := p.valuesOf(v.Spoke, spokeLimits), p.valuesOf(v.Hub, hubLimits)
	if len(spoke) == 0 || len(hub) == 0 {
		return nil
	}
	missing := func(from, to []string, renamed func(Renaming) string) []string {
		return slices.DeleteFunc(slices.Clone(from), func(value string) bool {
			return slices.Contains(to, value) || slices.Contains(p.same, value) || slices.Contains(p.same, "*") ||
				slices.ContainsFunc(p.renames, func(r Renaming) bool { return renamed(r) == value })
		})
	}
	lost := missing(spoke, hub, func(r Renaming) string { return r.From })
	new := missing(hub, spoke, func(r Renaming) string { return r.To })
	for _, value := range p.same {
		if value != "*" && slices.Contains(spoke, value) == slices.Contains(hub, value) && !p.rule.Struct.IsZero() {
			return &mismatch{rule: RuleEnum, message: fmt.Sprintf("same has the value %q, which one version alone must have", value),
				hint: "remove it: a value that both versions have stays what it is"}
		}
	}
	if len(lost)+len(new) == 0 {
		return nil
	}
	var parts []string
	if len(lost) > 0 {
		parts = append(parts, fmt.Sprintf("%s has no value %s", p.enum(v.Hub, hubLimits, Hub), quoted(lost)))
	}
	if len(new) > 0 {
		parts = append(parts, fmt.Sprintf("%s has no value %s", p.enum(v.Spoke, spokeLimits, Spoke), quoted(new)))
	}
	return &mismatch{rule: RuleEnum, message: strings.Join(parts, ", and "), hint: p.spot().Enum(lost, new)}
}

// enum names the values of an enum of a version: its type, or the marker of a field.
func (p *valuePlanner) enum(t *resolve.Type, l limits.Limits, side Side) string {
	if len(l.Enum) == 0 || t.Name != "" && t.Package != "" {
		return t.String()
	}
	return "the Enum of " + p.version(side)
}

// quoted lists values.
func quoted(values []string) string {
	var quoted []string
	for _, value := range values {
		quoted = append(quoted, strconv.Quote(value))
	}
	return strings.Join(quoted, ", ")
}

// mistake reports a mistake in the name of the outermost converter or in its argument.
func (as converters) mistake() *mismatch {
	if len(as) == 0 {
		return nil
	}
	if message, advice := hint.Mistake(as.first()); message != "" {
		return &mismatch{rule: RuleConverter, message: message, hint: advice}
	}
	return nil
}

// misfit reports a converter that does not fit the two types.
func (p *valuePlanner) misfit(name, takes string, v *Value) *mismatch {
	return &mismatch{rule: RuleConverter,
		message: fmt.Sprintf("%s is for %s, not for %s and %s", name, takes, v.Spoke, v.Hub), hint: "`webhook-gen markers conversion:to` lists the converters"}
}

// differ reports two types that do not convert, with a hint that is likely to help.
func (p *valuePlanner) differ(v *Value) *mismatch {
	spoke, hub := v.Spoke, v.Hub
	bad := &mismatch{rule: RuleMismatch, message: fmt.Sprintf("%s and %s do not convert", spoke, hub)}
	if p.trying {
		return bad
	}
	custom := p.byHand()
	if spoke.EncodesItself() && hub.EncodesItself() && spoke.Kind() == hub.Kind() && spoke.Package != "" && spoke.Name == hub.Name {
		alike := hint.Spot{On: " on the type"}
		if !p.isOwn(spoke.Package) {
			alike = hint.Spot{Of: spoke.Package + "." + spoke.Name, On: " on a package of yours"}
		}
		bad.hint = alike.Marker(model.Alike) + " says that the two are the same in JSON, so that their fields are converted; " + custom
		return bad
	}
	if spoke.IsText() && hub.Kind() == resolve.Slice && hub.Elem().IsText() || hub.IsText() && spoke.Kind() == resolve.Slice && spoke.Elem().IsText() && p.works("first") {
		bad.hint = fmt.Sprintf("%s or %s says which way they belong together; %s", p.using("first"), p.using("join:,"), custom)
		return bad
	}
	if as := hint.Converter(spoke, hub, p.fields.Hub, p.fields.Spoke); as != "" && p.works(as) {
		bad.hint = p.using(as) + " converts them; "
	}
	bad.hint += custom
	return bad
}

// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/schema"
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
func (p *valuePlanner) top(as []string) *Value {
	v, bad := p.value(Sides[*Type]{p.fields.Spoke.Type, p.fields.Hub.Type}, as)
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
	p.diags.Add(diag.Errorf(at, bad.rule, "%s: %s", strings.Join(p.at.Spoke.names(), "."), bad.message).
		WithHint("%s", errorTree(p.conversion, p.at, p.fields.Spoke.Type, p.fields.Hub.Type, bad.hint)).
		WithRelated(p.fields.Hub.Range, "the field of %s is here", p.conversion.Hub.Version))
	return nil
}

// noteEmpty marks lists and maps if JSON writes an empty one on one side and omits it on the other.
func (p *valuePlanner) noteEmpty(v *Value) {
	switch v.How.(type) {
	case Each, Entries, Keyed:
	default:
		return
	}
	spoke, hub := p.fields.Spoke.OmitEmpty, p.fields.Hub.OmitEmpty
	if v.Spoke.Kind() != resolve.Array {
		v.EmptyIsNil = Ways[bool]{hub && !spoke, spoke && !hub}
	}
	for d, isNil := range v.EmptyIsNil {
		if isNil {
			v.Loss[d] = "whether it was nil or empty"
		}
	}
}

// value plans two types. It applies the converters from the outside to the inside.
func (p *valuePlanner) value(types Sides[*Type], as []string) (*Value, *mismatch) {
	spoke, hub := types.Spoke, types.Hub
	v := &Value{Types: typesOf(spoke, hub)}
	if p.entries != (Sides[string]{}) {
		return p.entry(v, as)
	}
	name, argument := "", ""
	if len(as) > 0 {
		name, argument, _ = strings.Cut(as[0], ":")
		if bad := p.known(name, argument); bad != nil {
			return nil, bad
		}
	}
	for _, t := range []*resolve.Type{spoke, hub} {
		if err := t.Err(); err != nil {
			return nil, unresolved(err)
		}
	}
	if name == "" && p.rules.hooked(spoke, hub) {
		if !slices.Contains(p.Hooks, v.Types) {
			p.Hooks = append(p.Hooks, v.Types)
		}
		v.Loss = both(HookLoss)
		return v.as(Hook{}, nil, nil)
	}
	isPointer := func(t *resolve.Type) bool { return t.Kind() == resolve.Pointer }
	isList := func(t *resolve.Type) bool { return t.Kind() == resolve.Slice }
	hasStruct := spoke.Kind() == resolve.Struct || hub.Kind() == resolve.Struct
	switch {
	case name == "each":
		if !isList(spoke) || !isList(hub) {
			return nil, p.misfit(as[0], "two lists", v.Spoke, v.Hub)
		}
		elem, bad := p.elements().value(Sides[*Type]{spoke.Elem(), hub.Elem()}, as[1:])
		return v.as(Each{}, elem, bad)
	case name == "first":
		if isList(spoke) == isList(hub) {
			return nil, p.misfit(as[0], "a list on one side alone", v.Spoke, v.Hub)
		}
		plain, list, _ := p.around(v, isList(hub))
		v.Loss[v.Outer.Out()] = "all elements but the first"
		elem, bad := p.elements().value(facing(v.Outer, list.Elem(), plain), as[1:])
		return v.as(First{}, elem, bad)
	case name == "keyed":
		return p.keyed(v, argument, as)
	case name == "element":
		return p.listElement(v, argument, as)
	case name == "present":
		return p.present(v, argument, as)
	case hasStruct && name == "tuple":
		return p.tuple(v, argument, as)
	case hasStruct && name == "parts":
		return p.parts(v, argument, as)
	case hasStruct && name == "wrap":
		return p.wrap(v, argument, as)
	case (name == "optional" || name == "pointer") && isPointer(spoke) == isPointer(hub):
		return nil, p.misfit(as[0], "a pointer on one side alone", v.Spoke, v.Hub)
	case isPointer(spoke) && isPointer(hub):
		elem, bad := p.value(Sides[*Type]{spoke.Elem(), hub.Elem()}, as)
		var how Pointer
		if bad == nil && (p.takesElsewhere(elem) || elem.isSelective()) {
			how.OnlyIfSet, v.Loss = OnlyIfSet{SetOf(hub.Elem()), SetOf(spoke.Elem())}, both(emptied)
		}
		return v.as(how, elem, bad)
	case isPointer(spoke) || isPointer(hub):
		v.Outer = sideOf(isPointer(hub))
		v.Loss[v.Outer.Out()] = "whether it was nil or zero"
		spoke, hub = pointee(spoke), pointee(hub)
		if name == "" && (spoke.Kind() == resolve.Struct) != (hub.Kind() == resolve.Struct) && !p.rules.hooked(spoke, hub) {
			return nil, p.differ(v)
		}
		how, bad := p.intent(v, name)
		if bad != nil {
			return nil, bad
		}
		if name == "optional" || name == "pointer" {
			as = as[1:]
		}
		elem, bad := p.value(Sides[*Type]{spoke, hub}, as)
		if bad == nil && (p.takesElsewhere(elem) || elem.isSelective() && elem.Elem == nil) {
			how.OnlyIfSet[v.Outer.In()] = SetOf(v.At(v.Outer).Elem())
		}
		return v.as(how, elem, bad)
	case name != "":
		return p.convert(v, name, argument, as)
	case (p.renames != nil || p.same != nil) && spoke.Kind() == hub.Kind() && (isList(spoke) || spoke.Kind() == resolve.Map):
		return p.structural(v) // the rule is for the elements
	case p.renames != nil || p.same != nil:
		return p.rename(v)
	case resolve.Identical(spoke, hub) && len(p.skip.Spoke)+len(p.skip.Hub) == 0 && !p.rules.names(spoke):
		return p.copied(v)
	case (encodesItself(spoke) || encodesItself(hub)) && !p.rules.alike(spoke):
		return nil, p.differ(v)
	case encodesItself(spoke) && hidden(spoke) || encodesItself(hub) && hidden(hub):
		return nil, p.unread(spoke, hub)
	}
	return p.structural(v)
}

// elements plans the elements of a list or map.
func (p *valuePlanner) elements() *valuePlanner {
	inner := *p
	inner.element = true
	return &inner
}

// intent decides whether a zero value becomes a pointer. If JSON omits zero, the pointer is nil. If JSON always writes
// it, only the author knows whether it has a meaning.
func (p *valuePlanner) intent(v *Value, name string) (how Optional, bad *mismatch) {
	plain := v.At(v.Outer.Other())
	pointer, field := p.fields.across(v.Outer)
	// An API server replaces nil by the default.
	replaced := !p.element && pointer.Type == v.At(v.Outer) && replacesNil(pointer) && !(p.missing && v.Outer == Hub)
	switch {
	case name == "optional" && replaced && len(fieldLimits(field).refusingZero(plain)) == 0:
		return how, &mismatch{rule: RuleDefault,
			message: fmt.Sprintf("optional makes nil of the zero value, and an API server makes the default %s of nil", schema.Default(pointer)), hint: p.optionalHint(v.Outer, pointer)}
	case name == "" && replaced:
		how.ZeroInWhole = true
	case name != "":
		how.ZeroIsNil, how.ZeroInWhole = name != "pointer", name == "pointer" && !p.element
	case p.element:
	case field.OmitEmpty || field.OmitZero || plain.Kind() == resolve.Struct:
		how.ZeroIsNil = true
	default:
		return how, &mismatch{rule: RuleMismatch, message: fmt.Sprintf("the zero value of %s, which has no omitempty, may mean nothing or zero", plain),
			hint: fmt.Sprintf("%s has nil for zero, %s keeps it a value", p.using("optional"), p.using("pointer"))}
	}
	if how.ZeroIsNil || how.ZeroInWhole {
		if how.Plain = SetOf(plain); field.Type == plain {
			how.Plain = FieldSet(field)
		}
	}
	return how, nil
}

// optionalHint returns the markers to use in place of optional where the pointer has a default.
func (p *valuePlanner) optionalHint(outer Side, pointer *resolve.Field) string {
	hint := p.using("pointer") + " keeps zero a value"
	if text := strings.Trim(schema.Default(pointer), "\"'`"); outer == Hub && pointee(pointer.Type).Kind() == resolve.Basic {
		hint += fmt.Sprintf("; %s beside optional makes the default of zero", p.spot().valued(model.Default, text))
	}
	return hint
}

// takesElsewhere reports whether rules move parts of a struct elsewhere.
func (p *valuePlanner) takesElsewhere(v *Value) bool {
	return v.Pair() != nil && len(p.skip.Spoke)+len(p.skip.Hub) > 0
}

// emptied is the loss of a struct whose fields rules move elsewhere.
const emptied = "whether the rest of it was nil or empty"

// structural plans types of the same shape.
func (p *valuePlanner) structural(v *Value) (*Value, *mismatch) {
	spoke, hub := v.Spoke, v.Hub
	switch kind := spoke.Kind(); {
	case kind != hub.Kind():
	case kind == resolve.Basic:
		return p.basic(v)
	case kind == resolve.Slice || kind == resolve.Array:
		fit := converter(spoke, hub) == "" || p.rules.hooked(pointee(spoke.Elem()), pointee(hub.Elem()))
		if fit && spoke.Len() == hub.Len() {
			elem, bad := p.elements().value(Sides[*Type]{spoke.Elem(), hub.Elem()}, nil)
			return v.as(Each{}, elem, bad)
		}
	case kind == resolve.Map:
		if key := spoke.Key().Basic(); key != "" && key == hub.Key().Basic() {
			elem, bad := p.elements().value(Sides[*Type]{spoke.Elem(), hub.Elem()}, nil)
			return v.as(Entries{Keys: typesOf(spoke.Key(), hub.Key())}, elem, bad)
		}
	case kind == resolve.Struct && callable(spoke) && callable(hub):
		return v.as(Call{p.pair(p.at, spoke, hub, p.skip)}, nil, nil)
	}
	return nil, p.differ(v)
}

// callable reports whether functions of another package can have the struct as a parameter.
func callable(t *resolve.Type) bool {
	return t.Name != "" && t.Name[0] >= 'A' && t.Name[0] <= 'Z'
}

// encodesItself reports whether a type has its own JSON encoding, different from Go's default.
func encodesItself(t *resolve.Type) bool {
	return t.HasPromoted("MarshalJSON") || t.HasPromoted("MarshalText")
}

// hidden reports whether a struct has fields that only its own package can read.
func hidden(t *resolve.Type) bool {
	return slices.ContainsFunc(t.Fields(), func(f *resolve.Field) bool { return !f.Exported })
}

// unread reports types with the same JSON that have fields hidden from other packages.
func (p *valuePlanner) unread(spoke, hub *resolve.Type) *mismatch {
	t := spoke
	if !hidden(spoke) {
		t = hub
	}
	return &mismatch{rule: RuleMismatch, message: t.String() + " has fields that only its own package can read", hint: p.byHand()}
}

func (p *valuePlanner) basic(v *Value) (*Value, *mismatch) {
	switch {
	case isText(v.Spoke) && isText(v.Hub):
		return v.as(Assign{}, nil, p.total(v))
	case v.Spoke.Basic() == v.Hub.Basic():
		return v.as(Assign{}, nil, nil)
	case wholeType(v.Spoke) && wholeType(v.Hub):
		return v.as(Checked{Funcs: both("Integer")}, nil, nil)
	}
	return nil, p.differ(v)
}

// fieldLimits returns the limits of a field's value: its own and the limits of its type.
func fieldLimits(f *resolve.Field) Limits { return limitsIn(pointee(f.Type), f) }

// limitsIn returns the limits of a value in a field, with the Enum of the field and of its type.
func limitsIn(t *resolve.Type, f *resolve.Field) (l Limits) {
	l.Read(bounded{t: t}.doc(), false)
	ofType := l.Enum
	switch outer := pointee(f.Type); {
	case outer == t:
		l.Read(f.Doc, false)
	case outer.Kind() == resolve.Slice && pointee(outer.Elem()) == t:
		l.Read(outer.Doc(), true)
		l.Read(f.Doc, true)
	}
	both := slices.DeleteFunc(slices.Clone(l.Enum), func(v string) bool { return !slices.Contains(ofType, v) })
	if len(both) > 0 { // a value must satisfy both
		l.Enum = both
	}
	return l
}

// valuesOf returns the possible values of a text: its Enum, or else the constants of its type. It returns none if any
// text is possible.
func (p *planner) valuesOf(t *resolve.Type, l Limits) []string {
	if len(l.Enum) > 0 {
		return l.Enum
	}
	return p.types.Constants(t)
}

// total checks that each value of an enum has a value on the other side.
func (p *valuePlanner) total(v *Value) *mismatch {
	spokeLimits, hubLimits := limitsIn(v.Spoke, p.fields.Spoke), limitsIn(v.Hub, p.fields.Hub)
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
	return &mismatch{rule: RuleEnum, message: strings.Join(parts, ", and "), hint: p.enumHint(lost, new)}
}

// enum names the values of an enum of a version: its type, or the marker of a field.
func (p *valuePlanner) enum(t *resolve.Type, l Limits, side Side) string {
	if len(l.Enum) == 0 || t.Name != "" && t.Package != "" {
		return t.String()
	}
	return "the Enum of " + p.version(side)
}

// fitting returns the renamings whose values the markers of both sides allow. It reports the others, unless their rule
// is for every struct that has the field. Empty text is no value.
func (p *valuePlanner) fitting(v *Value) ([]Renaming, *mismatch) {
	spoke, hub := limitsIn(v.Spoke, p.fields.Spoke), limitsIn(v.Hub, p.fields.Hub)
	var fit []Renaming
	for _, r := range p.renames {
		var refused, version string
		switch {
		case r.From != "" && !spoke.allows(r.From):
			refused, version = r.From, p.version(Spoke)
		case r.To != "" && !hub.allows(r.To):
			refused, version = r.To, p.version(Hub)
		default:
			fit = append(fit, r)
			continue
		}
		if !p.rule.Struct.IsZero() {
			return nil, &mismatch{rule: RuleRefused, message: fmt.Sprintf("the markers of %s refuse the value %q", version, refused),
				hint: "remove the rule for it: no valid object has the value"}
		}
	}
	return fit, nil
}

// rename plans an enum with values that are renamed in the hub.
func (p *valuePlanner) rename(v *Value) (*Value, *mismatch) {
	if !isText(v.Spoke) || !isText(v.Hub) {
		return nil, &mismatch{rule: RuleConverter, message: "enum is for strings", hint: "use as for other types"}
	}
	if bad := p.total(v); bad != nil {
		return nil, bad
	}
	renames, bad := p.fitting(v)
	if bad != nil {
		return nil, bad
	}
	spoke := p.valuesOf(v.Spoke, limitsIn(v.Spoke, p.fields.Spoke))
	var how Rename
	for _, r := range renames {
		for d, pair := range []Renaming{r, {r.To, r.From}} {
			d := Direction(d)
			isTaken := d == FromHub && r.From != r.To && staysItself(r.To, renames, spoke)
			if isTaken || slices.ContainsFunc(how[d], func(have Renaming) bool { return have.From == pair.From }) {
				v.Loss[d.Back()] = "which of several values it was"
			} else {
				how[d] = append(how[d], pair)
			}
		}
	}
	// A value that the other side already has under the same name keeps it in this direction, and is renamed on the way
	// back.
	for _, d := range Directions() {
		for _, r := range how[d] {
			if r.From != r.To && !slices.ContainsFunc(how[d.Back()], func(back Renaming) bool { return back.From == r.From }) {
				v.Loss[d.Back()] = "which of several values it was"
			}
		}
	}
	return v.as(how, nil, nil)
}

// staysItself reports whether a value of the hub is the same value in the spoke: the spoke has it, and does not give it
// another name in the hub.
func staysItself(value string, renames []Renaming, spoke []string) bool {
	i := slices.IndexFunc(renames, func(r Renaming) bool { return r.From == value })
	if i < 0 {
		return slices.Contains(spoke, value)
	}
	return renames[i].To == value
}

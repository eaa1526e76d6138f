// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// mistake reports a mistake in the name of the outermost converter or in its argument.
func (as converters) mistake() *mismatch {
	if len(as) == 0 {
		return nil
	}
	name, argument := as.first()
	var names []string
	for _, c := range model.Converters() {
		names = append(names, c.Name)
		if c.Name != name {
			continue
		}
		if (c.Argument == "") != (argument == "") && !c.Optional {
			return &mismatch{rule: RuleConverter, message: fmt.Sprintf("the converter %s is written %s", name, c.Usage()), hint: c.Doc}
		}
		return nil
	}
	bad := &mismatch{rule: RuleConverter, message: fmt.Sprintf("there is no converter %q", name), hint: "the converters are " + strings.Join(names, ", ") + "; semicolons separate several"}
	if near, ok := diag.Nearest(name, names); ok {
		bad.hint = fmt.Sprintf("did you mean %q?", near)
	}
	return bad
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
		alike := spot{on: " on the type"}
		if !p.isOwn(spoke.Package) {
			alike = spot{of: spoke.Package + "." + spoke.Name, on: " on a package of yours"}
		}
		bad.hint = alike.marker(model.Alike) + " says that the two are the same in JSON, so that their fields are converted; " + custom
		return bad
	}
	if spoke.IsText() && hub.Kind() == resolve.Slice && hub.Elem().IsText() || hub.IsText() && spoke.Kind() == resolve.Slice && spoke.Elem().IsText() && p.works("first") {
		bad.hint = fmt.Sprintf("%s or %s says which way they belong together; %s", p.using("first"), p.using("join:,"), custom)
		return bad
	}
	if as := converter(spoke, hub, p.fields.Hub, p.fields.Spoke); as != "" && p.works(as) {
		bad.hint = p.using(as) + " converts them; "
	}
	bad.hint += custom
	return bad
}

// converter returns the converters for two types that do not convert without any. It is empty if no converters fit. The
// fields may declare the keys of a list.
func converter(spoke, hub *resolve.Type, declared ...*resolve.Field) string {
	if spoke.Kind() != resolve.Slice || hub.Kind() != resolve.Slice {
		return cmp.Or(converterFrom(spoke, hub, declared), converterFrom(hub, spoke, declared), converterIn(spoke, hub), converterIn(hub, spoke))
	}
	if inner := converter(spoke.Elem(), hub.Elem()); inner != "" {
		return "each;" + inner
	}
	return ""
}

// converterFrom is converter for a type and its plainer form: a number, a text, a map or an element.
func converterFrom(rich, plain *resolve.Type, declared []*resolve.Field) string {
	word, _ := textual(rich)
	switch {
	case rich.Is(fields.MetaPackage, "Duration") && plain.IsWhole():
		return "seconds"
	case word != "" && plain.IsText():
		return "string"
	case rich.Kind() == resolve.Slice && plain.Kind() == resolve.Map:
		return keyedBy(plain, rich, declared)
	case rich.Kind() == resolve.Slice && plainly(rich.Elem(), plain):
		return "first"
	}
	return ""
}

// converterIn is converter for a value and a struct that has it as its only member of that type, and for a bool and a
// pointer to a struct.
func converterIn(around, value *resolve.Type) string {
	inner, plain := around.Target(), value.Target()
	if inner.Kind() != resolve.Struct || !isPlain(plain) || inner.EncodesItself() {
		return ""
	}
	found := slices.DeleteFunc(fields.Of(inner, nil), func(m Path) bool { return !plainly(m.Last().Type, plain) })
	switch {
	case len(found) == 1:
		return "wrap:" + found[0].String()
	case around.Kind() == resolve.Pointer && plain.IsBool():
		return "present"
	}
	return ""
}

// isPlain reports whether a type is a text, a number, a bool, a list or a map.
func isPlain(t *resolve.Type) bool {
	return slices.Contains([]resolve.Kind{resolve.Basic, resolve.Slice, resolve.Array, resolve.Map}, t.Kind())
}

// plainly reports whether two types convert without a converter, as far as this can be told without their content.
func plainly(a, b *resolve.Type) bool {
	switch {
	case a.Kind() == resolve.Pointer && b.Kind() == resolve.Pointer, a.Kind() == resolve.Slice && b.Kind() == resolve.Slice:
		return plainly(a.Elem(), b.Elem())
	case a.Kind() == resolve.Map && b.Kind() == resolve.Map:
		return plainly(a.Key(), b.Key()) && plainly(a.Elem(), b.Elem())
	}
	return resolve.Identical(a, b) || a.IsWhole() && b.IsWhole() || a.Kind() == resolve.Struct && b.Kind() == resolve.Struct ||
		a.Kind() == resolve.Basic && b.Kind() == resolve.Basic && a.Basic() == b.Basic()
}

// keyedBy returns the converters between a map and a list of structs with a member for the key: the key that the list
// declares, or else a member that is usual for it.
func keyedBy(m, list *resolve.Type, declared []*resolve.Field) string {
	element := list.Elem()
	if element.Kind() != resolve.Struct || !m.Key().IsText() {
		return ""
	}
	names := []string{"name", "key", "id"}
	for _, f := range declared {
		names = append(fields.ListKeys(f), names...)
	}
	for _, name := range names {
		key, ok := fields.Lookup(element, name)
		if !ok || !key.Last().Type.IsText() {
			continue
		}
		switch rest := slices.DeleteFunc(fields.Of(element, nil), func(m Path) bool { return m.String() == name }); {
		case m.Elem().Kind() == resolve.Struct:
			return "keyed:" + name
		case len(rest) == 1 && plainly(rest[0].Last().Type, m.Elem()):
			return "keyed:" + name + ";wrap:" + rest[0].String()
		}
	}
	return ""
}

// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// known reports mistakes in the name of a converter or in its argument.
func (p *valuePlanner) known(name, argument string) *mismatch {
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

// convert plans the converters for single values.
func (p *valuePlanner) convert(v *Value, name, argument string, as []string) (*Value, *mismatch) {
	if len(as) > 1 {
		return nil, &mismatch{rule: RuleConverter, message: fmt.Sprintf("nothing can follow the converter %s", name), hint: "it is for single values"}
	}
	switch name {
	case "tuple", "parts":
		return nil, p.misfit(name, "text and a struct", v.Spoke, v.Hub)
	case "wrap":
		return nil, p.misfit(name+":"+argument, "a struct on one side", v.Spoke, v.Hub)
	case "not":
		if isBool(v.Spoke) && isBool(v.Hub) {
			return v.as(Not{}, nil, nil)
		}
		return nil, p.misfit(name, "two bools", v.Spoke, v.Hub)
	case "seconds":
		to := outer(wholeType(v.Hub))
		if duration, number := Sides(to, v.Spoke, v.Hub); isNamed(duration, metaPackage, "Duration") && wholeType(number) {
			v.Loss[to] = "parts of a second"
			return v.as(Checked{Funcs: by(to, "ToSeconds", "FromSeconds")}, nil, nil)
		}
		return nil, p.misfit(name, "a metav1.Duration and a whole number", v.Spoke, v.Hub)
	case "join":
		to := outer(isText(v.Hub))
		if list, text := Sides(to, v.Spoke, v.Hub); list.Kind() == resolve.Slice && isText(list.Elem()) && isText(text) {
			v.Loss[to] = "whether it was nil or empty"
			return v.as(Checked{Funcs: by(to, "Join", "Split"), Argument: argument}, nil, nil)
		}
		return nil, p.misfit(name, "a list of strings and a string", v.Spoke, v.Hub)
	case "json":
		return p.json(v)
	}
	return p.text(v)
}

// text plans the conversion between a value and its text.
func (p *valuePlanner) text(v *Value) (*Value, *mismatch) {
	var how Checked
	for d, f := range p.fields {
		if t := v.To(1 - Direction(d)); (f.OmitEmpty || f.OmitZero) && (wholeType(t) || isBool(t)) {
			how.OmitsZero[d] = SetOf(t)
		}
	}
	to := outer(isText(v.Hub))
	value, text := Sides(to, v.Spoke, v.Hub)
	if word, loss := textual(value); word != "" && isText(text) {
		how.Funcs, v.Loss = by(to, "Format"+word, "Parse"+word), by(to, loss, "how it was written")
		return v.as(how, nil, nil)
	}
	return nil, p.misfit("string", "a whole number, bool, Quantity, Duration or IntOrString and a string", v.Spoke, v.Hub)
}

// by returns what a direction has, and what the opposite one has, by direction.
func by(d Direction, forth, back string) [2]string {
	forth, back = Sides(d, forth, back)
	return [2]string{forth, back}
}

// entry plans the conversion between a field and a metadata entry, which is text, or between two entries.
func (p *valuePlanner) entry(v *Value, as []string) (*Value, *mismatch) {
	side := outer(p.entries[spokeSide] == "") // the side of the field
	field, _ := Sides(side, v.Spoke, v.Hub)
	function := ""
	switch {
	case slices.Equal(as, []string{"json"}) && p.entries[side] == "":
		v.Loss[side] = "whether it was empty or absent"
		return v.as(Entry{Keys: p.entries}, nil, nil)
	case isText(field):
		function = "ParseText"
	case wholeType(field):
		function = "ParseInteger"
	case isBool(field):
		function = "ParseBool"
	}
	if function == "" || len(as) > 0 || p.renames != nil {
		return nil, &mismatch{rule: RuleConverter, message: "an entry of metadata is for text, a whole number or a bool as they are, and for the rest as JSON",
			hint: p.usingOnly("json") + " writes JSON; " + p.byHand()}
	}
	return v.as(Entry{Keys: p.entries, Parse: function}, nil, nil)
}

// json plans the conversion between any value and its JSON. The text loses its formatting and the members that the type
// does not have.
func (p *valuePlanner) json(v *Value) (*Value, *mismatch) {
	if isBlob(v.Spoke) == isBlob(v.Hub) {
		return nil, p.misfit("json", "a string, []byte, RawExtension or JSON on one side", v.Spoke, v.Hub)
	}
	v.Outer = outer(isBlob(v.Hub))
	how := Checked{Funcs: by(v.Outer, "FormatJSON", "ParseJSON")}
	v.Loss = by(v.Outer, "whether it was empty or absent", "how it was written, and what the type does not have")
	blob := v.To(v.Outer)
	if blob.Kind() != resolve.Struct {
		return v.as(how, nil, nil)
	}
	raw := slices.IndexFunc(blob.Fields(), func(f *resolve.Field) bool { return f.Name == "Raw" })
	return v.as(Wrap{Member: Path{blob.Fields()[raw]}}, &Value{How: how, Types: v.Types}, nil)
}

// isBlob reports whether a type contains JSON as text.
func isBlob(t *resolve.Type) bool {
	return isText(t) || isNamed(t, "k8s.io/apimachinery/pkg/runtime", "RawExtension") ||
		isNamed(t, "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1", "JSON") ||
		t.Kind() == resolve.Slice && t.Elem().Basic() == "uint8"
}

// textual returns the word for a type in the names of its functions, and the loss in its text. The word is empty for a
// type without such functions.
func textual(t *resolve.Type) (word, loss string) {
	switch {
	case wholeType(t):
		return "Integer", ""
	case isBool(t):
		return "Bool", ""
	case isNamed(t, quantityPackage, "Quantity"):
		return "Quantity", "whether it was zero or absent"
	case isNamed(t, metaPackage, "Duration"):
		return "Duration", "whether it was zero or absent"
	case isNamed(t, "k8s.io/apimachinery/pkg/util/intstr", "IntOrString"):
		return "IntOrString", "whether it was a number"
	}
	return "", ""
}

func isBool(t *resolve.Type) bool { return t.Basic() == "bool" }

func isNamed(t *resolve.Type, path, name string) bool { return t.Package == path && t.Name == name }

func wholeType(t *resolve.Type) bool {
	basic := t.Basic()
	return strings.HasPrefix(basic, "int") || strings.HasPrefix(basic, "uint") && basic != "uintptr"
}

func isText(t *resolve.Type) bool { return t.Basic() == "string" }

// misfit reports a converter that does not fit the two types.
func (p *valuePlanner) misfit(name, takes string, spoke, hub *resolve.Type) *mismatch {
	return &mismatch{rule: RuleConverter,
		message: fmt.Sprintf("%s is for %s, not for %s and %s", name, takes, spoke, hub), hint: "`webhook-gen markers conversion:to` lists the converters"}
}

// differ reports two types that do not convert, with a hint that is likely to help.
func (p *valuePlanner) differ(v *Value) *mismatch {
	spoke, hub := v.Spoke, v.Hub
	bad := &mismatch{rule: RuleMismatch, message: fmt.Sprintf("%s and %s do not convert", spoke, hub)}
	if p.trying {
		return bad
	}
	custom := p.byHand()
	if encodesItself(spoke) && encodesItself(hub) && spoke.Kind() == hub.Kind() && spoke.Package != "" && spoke.Name == hub.Name {
		alike := spot{on: " on the type"}
		if !p.isOwn(spoke.Package) {
			alike = spot{of: spoke.Package + "." + spoke.Name, on: " on a package of yours"}
		}
		bad.hint = alike.marker(model.Alike) + " says that the two are the same in JSON, so that their fields are converted; " + custom
		return bad
	}
	if isText(spoke) && hub.Kind() == resolve.Slice && isText(hub.Elem()) || isText(hub) && spoke.Kind() == resolve.Slice && isText(spoke.Elem()) && p.works("first") {
		bad.hint = fmt.Sprintf("%s or %s says which way they belong together; %s", p.using("first"), p.using("join:,"), custom)
		return bad
	}
	if as := converter(spoke, hub, p.fields[hubSide], p.fields[spokeSide]); as != "" && p.works(as) {
		bad.hint = p.using(as) + " converts them; "
	}
	bad.hint += custom
	return bad
}

// converter returns the converters for two types that do not convert without any. It is empty if no converters fit. The
// fields may declare the keys of a list.
func converter(spoke, hub *resolve.Type, fields ...*resolve.Field) string {
	if spoke.Kind() != resolve.Slice || hub.Kind() != resolve.Slice {
		return cmp.Or(converterFrom(spoke, hub, fields), converterFrom(hub, spoke, fields), converterIn(spoke, hub), converterIn(hub, spoke))
	}
	if inner := converter(spoke.Elem(), hub.Elem()); inner != "" {
		return "each;" + inner
	}
	return ""
}

// converterFrom is converter for a type and its plainer form: a number, a text, a map or an element.
func converterFrom(rich, plain *resolve.Type, fields []*resolve.Field) string {
	word, _ := textual(rich)
	switch {
	case isNamed(rich, metaPackage, "Duration") && wholeType(plain):
		return "seconds"
	case word != "" && isText(plain):
		return "string"
	case rich.Kind() == resolve.Slice && plain.Kind() == resolve.Map:
		return keyedBy(plain, rich, fields)
	case rich.Kind() == resolve.Slice && plainly(rich.Elem(), plain):
		return "first"
	}
	return ""
}

// converterIn is converter for a value and a struct that has it as its only member of that type, and for a bool and a
// pointer to a struct.
func converterIn(around, value *resolve.Type) string {
	inner, plain := pointee(around), pointee(value)
	if inner.Kind() != resolve.Struct || !isPlain(plain) || encodesItself(inner) {
		return ""
	}
	found := slices.DeleteFunc(members(inner, nil), func(m Path) bool { return !plainly(m.Last().Type, plain) })
	switch {
	case len(found) == 1:
		return "wrap:" + found[0].String()
	case around.Kind() == resolve.Pointer && isBool(plain):
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
	return resolve.Identical(a, b) || wholeType(a) && wholeType(b) || a.Kind() == resolve.Struct && b.Kind() == resolve.Struct ||
		a.Kind() == resolve.Basic && b.Kind() == resolve.Basic && a.Basic() == b.Basic()
}

// keyedBy returns the converters between a map and a list of structs with a member for the key: the key that the list
// declares, or else a member that is usual for it.
func keyedBy(m, list *resolve.Type, fields []*resolve.Field) string {
	element := list.Elem()
	if element.Kind() != resolve.Struct || !isText(m.Key()) {
		return ""
	}
	names := []string{"name", "key", "id"}
	for _, f := range fields {
		names = append(listKeys(f), names...)
	}
	for _, name := range names {
		key, ok := lookup(element, name)
		if !ok || !isText(key.Last().Type) {
			continue
		}
		switch rest := slices.DeleteFunc(members(element, nil), func(m Path) bool { return m.String() == name }); {
		case m.Elem().Kind() == resolve.Struct:
			return "keyed:" + name
		case len(rest) == 1 && plainly(rest[0].Last().Type, m.Elem()):
			return "keyed:" + name + ";wrap:" + rest[0].String()
		}
	}
	return ""
}

// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
)

// hubMarker is +webhook:conversion:hub.
type hubMarker struct{}

// spokeMarker is +webhook:conversion:spoke.
type spokeMarker struct {
	For         marker.Field[target]
	Hub         marker.Field[target]
	Convertible marker.Field[bool]
}

// fieldMarker is one of the markers that say what becomes of a field in the hub.
type fieldMarker struct {
	verb  Verb
	Of    marker.Field[target]
	Field marker.Field[[]string]
	Path  marker.Field[string]
	As    marker.Field[[]string]
	From  marker.Field[string]
	To    marker.Field[string]
	Hub   marker.Field[[]string]
	Type  marker.Field[target]
	Text  marker.Field[string] // what stands after the equals sign
}

// conversionDefinitions declares the markers of conversions between versions.
func conversionDefinitions() marker.Registry {
	return marker.Registry{
		{
			Name: "webhook:conversion:hub", On: marker.OnType,
			Doc:     "The version of a kind that its other versions, the spokes, are converted to and from.",
			Example: "+webhook:conversion:hub",
			New:     func() (any, []marker.Parameter) { return &hubMarker{}, nil },
		},
		{
			Name: "webhook:conversion:spoke", On: marker.OnType | marker.OnPackage, Repeatable: true,
			Doc: "A version of a kind that is converted to and from the hub. Fields of the same JSON name correspond. For the others, and for types that do not " +
				"convert by themselves, use the markers that follow. What only the hub has is kept in an annotation of the spoke.",
			Example: `+webhook:conversion:spoke(hub: "example.com/shop/api/v2.Order")`,
			New: func() (any, []marker.Parameter) {
				m := &spokeMarker{}
				return m, []marker.Parameter{
					{Name: "for", Type: marker.Func(&m.For, "import/path.Type", parseGoType), Default: "the type the marker stands on", Doc: "The spoke, if its own source cannot carry markers."},
					{Name: "hub", Type: marker.Func(&m.Hub, "import/path.Type", parseGoType), Default: "the type of that name and group that is marked as hub", Doc: "The hub."},
					{Name: "convertible", Type: marker.Bool(&m.Convertible), Default: "false", Doc: "Whether the two types get the methods of `conversion.Convertible` and `conversion.Hub` (sigs.k8s.io/controller-runtime/pkg/conversion), so that `ctrl.NewWebhookManagedBy` serves the kind by itself. The conversion then goes to the spoke's own package, which imports controller-runtime. Set it on all spokes of a hub or on none; not with `for`, nor with code of your own."},
				}
			},
		},
		fieldDefinition(ToHub, "to",
			"The name, place or type of a field in the hub, if it differs.",
			`+webhook:conversion:to(path: "deletion.timeoutSeconds", as: "seconds")`,
			func(m *fieldMarker) []marker.Parameter {
				return []marker.Parameter{
					{Name: "path", Type: marker.String(&m.Path), Default: "the field's own name", Doc: "The field in the hub's struct, in JSON names: `mode`, `deletion.order`; an embedded struct as a whole by its Go name. At the end, `*` is the field's own name. Parents are created when there is a value to put into them. `metadata.annotations[key]` and `metadata.labels[key]` are entries, for text, whole numbers and bools, and `as: \"json\"` for anything."},
					{Name: "as", Type: marker.List(&m.As), Doc: "How the value changes: converters, applied from outside to inside. " + converterNames()},
					{Name: "", Type: marker.String(&m.Text), Doc: "Short for `path`."},
				}
			}),
		fieldDefinition(Enum, "enum",
			"A value that has another name in the hub. Other values keep theirs. Several values may become one, which becomes the first of them on the way back.",
			`+webhook:conversion:enum(from: "rsa", to: "RSA")`,
			func(m *fieldMarker) []marker.Parameter {
				return []marker.Parameter{
					{Name: "from", Type: marker.String(&m.From), Required: true, Doc: "The spoke's value."},
					{Name: "to", Type: marker.String(&m.To), Required: true, Doc: "The hub's value."},
				}
			}),
		fieldDefinition(Default, "default",
			"The value of a field in the hub if the spoke does not set it. A partial object, as in server-side apply, gets none.",
			`+webhook:conversion:default="Managed"`,
			func(m *fieldMarker) []marker.Parameter {
				return []marker.Parameter{
					{Name: "hub", Type: marker.List(&m.Hub), Doc: "On a type: fields of the hub's struct that the spoke does not have."},
					{Name: "", Type: marker.String(&m.Text), Required: true, Doc: "The value: text, a whole number, `true` or `false`."},
				}
			}),
		fieldDefinition(Custom, "custom",
			"A field, or with `type` every value of a type, that your own code converts. The interface Hooks of the generated package then has a method for each direction, which may use its context for I/O.",
			`+webhook:conversion:custom(hub: "schedule")`,
			func(m *fieldMarker) []marker.Parameter {
				return []marker.Parameter{
					{Name: "hub", Type: marker.List(&m.Hub), Default: "the field of the same name, if there is one", Doc: "The fields of the hub's struct that the functions take care of; with several in `field`, the functions take care of all of these. Without `field` on a type: fields that only the hub has, which one function computes from the rest of the spoke; the hub's own values are restored as long as the function gives the same result."},
					{Name: "type", Type: marker.Func(&m.Type, "import/path.Type", parseGoType), Doc: "On a type, or with `of`: a type of the hub. The functions convert all values of the two types, wherever they meet."},
				}
			}),
		fieldDefinition(Stash, "stash",
			"A field that the hub does not have; an annotation on the hub's object keeps its value.",
			`+webhook:conversion:stash(field: "phase")`,
			func(*fieldMarker) []marker.Parameter { return nil }),
		fieldDefinition(Drop, "drop",
			"A field whose value is given up on purpose. The value of the marker says why.",
			`+webhook:conversion:drop="replaced by status.conditions"`,
			func(m *fieldMarker) []marker.Parameter {
				return []marker.Parameter{
					{Name: "hub", Type: marker.List(&m.Hub), Doc: "On a type: fields of the hub's struct, which are then not kept in the annotation either. Entries of the hub's metadata are not passed on."},
					{Name: "", Type: marker.String(&m.Text), Required: true, Doc: "The reason."},
				}
			}),
		{
			Name: "webhook:conversion:alike", On: marker.OnType | marker.OnPackage, Repeatable: true,
			Doc: "A type with its own JSON methods, whose counterpart in the hub has its own, too. Only you know whether both write and read the same JSON; " +
				"this marker says so, and their fields are converted like those of any types.",
			Example: `+webhook:conversion:alike`,
			New: func() (any, []marker.Parameter) {
				m := &fieldMarker{verb: Alike}
				return m, []marker.Parameter{
					{Name: "of", Type: marker.Func(&m.Of, "import/path.Type", parseGoType), Default: "the type the marker stands on", Doc: "The spoke's type, if its own source cannot carry markers."},
				}
			},
		},
	}
}

// fieldDefinition declares a marker that stands on a field or, with the argument field, elsewhere.
func fieldDefinition(verb Verb, name, doc, example string, own func(*fieldMarker) []marker.Parameter) marker.Definition {
	return marker.Definition{
		Name: "webhook:conversion:" + name, On: marker.OnField | marker.OnType | marker.OnPackage, Repeatable: true,
		Doc: doc, Example: example,
		New: func() (any, []marker.Parameter) {
			m := &fieldMarker{verb: verb}
			return m, append([]marker.Parameter{
				{Name: "field", Type: marker.List(&m.Field), Default: "the field the marker stands on", Doc: "On a type or package: the fields that the marker applies to, in JSON names. If a field moves out of its struct, put the marker on a struct around both places: `strategy.order`; `strategy.*` are all its fields. As in `path`, entries of metadata are fields, too."},
				{Name: "of", Type: marker.Func(&m.Of, "import/path.Type", parseGoType), Default: "the type the marker stands on; on a package, every struct that has the field and whose counterpart has its place", Doc: "The struct that has the field, if its own source cannot carry markers."},
			}, own(m)...)
		},
	}
}

func parseGoType(text string) (target, error) {
	t, err := parseTarget(text)
	if err != nil || t.ImportPath == "" {
		return target{}, fmt.Errorf("%q does not name a Go type: import/path.Type", text)
	}
	return t, nil
}

// Converter is a way in which a value changes between versions, and back.
type Converter struct {
	// Name is what `as` says; Argument describes what may follow behind a colon.
	Name, Argument string
	Doc            string
}

// Usage is how the converter is written.
func (c Converter) Usage() string {
	if c.Argument == "" {
		return c.Name
	}
	return c.Name + ":" + c.Argument
}

// Converters are all ways that `as` knows.
func Converters() []Converter {
	return []Converter{
		{Name: "not", Doc: "a bool and its inverse"},
		{Name: "seconds", Doc: "a metav1.Duration and a whole number of seconds"},
		{Name: "string", Doc: "a whole number, bool, Quantity, Duration or IntOrString and its text"},
		{Name: "optional", Doc: "a value and a pointer, nil for zero"},
		{Name: "pointer", Doc: "a value and a pointer, where zero is a value too, except in a partial object, as in server-side apply"},
		{Name: "first", Doc: "a value and a list whose first element it is"},
		{Name: "each", Doc: "the following converters apply to each element"},
		{Name: "wrap", Argument: "member", Doc: "a value and a struct that has it as this member, or further inside"},
		{Name: "keyed", Argument: "member", Doc: "a map and a list whose elements have the map's key as this member"},
		{Name: "element", Argument: "member=value,...", Doc: "a value and the element of a list whose members have these values"},
		{Name: "join", Argument: "separator", Doc: "a list of strings and one string"},
		{Name: "json", Doc: "anything and its JSON, in a string, []byte, RawExtension or JSON"},
	}
}

func converterNames() string {
	var b strings.Builder
	for i, c := range Converters() {
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "`%s` %s", c.Usage(), c.Doc)
	}
	return b.String() + "."
}

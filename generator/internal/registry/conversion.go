// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// Hub is the marker +webhook:conversion:hub.
type Hub struct{}

// Spoke is the marker +webhook:conversion:spoke.
type Spoke struct {
	For, Hub    diag.Sourced[Target]
	Convertible diag.Sourced[bool]
	Reads       diag.Sourced[string]
}

// Field is a marker that describes how a field is converted to the hub.
type Field struct {
	Verb           model.Verb
	Of, Type       diag.Sourced[Target]
	Field, As, Hub diag.Sourced[[]string]
	Same           diag.Sourced[[]string]
	Path, From, To diag.Sourced[string]
	With, Unless   diag.Sourced[string]
	Rule           diag.Sourced[string]
	Direction      diag.Sourced[string]
	Text           diag.Sourced[string] // the text after the equals sign
}

// conversionDefinitions declares the markers of conversions between versions.
func conversionDefinitions() marker.Registry {
	return marker.Registry{
		{
			Name: "webhook:conversion:hub", On: marker.OnType,
			Doc:     "The version of a kind that its other versions, the spokes, are converted to and from.",
			Example: "+webhook:conversion:hub",
			New:     func() (any, []marker.Parameter) { return &Hub{}, nil },
		},
		repeated("webhook:conversion:spoke", "A version of a kind that is converted to and from the hub. Fields of the same JSON name correspond. For the others, and for types that do not "+
			"convert by themselves, use the markers that follow. Fields of the hub alone are kept in an annotation of the spoke.",
			`+webhook:conversion:spoke(hub: "example.com/shop/api/v2.Order")`,
			func(m *Spoke) []marker.Parameter {
				return []marker.Parameter{
					{Name: "for", Type: marker.Func(&m.For, "import/path.Type", parseGoType), Default: "the marked type", Doc: "The spoke, if its own source cannot carry markers."},
					{Name: "hub", Type: marker.Func(&m.Hub, "import/path.Type", parseGoType), Default: "the type of that name and group that is marked as hub", Doc: "The hub."},
					{Name: "convertible", Type: marker.Bool(&m.Convertible), Default: "false", Doc: "Whether the two types get the methods of `conversion.Convertible` and `conversion.Hub` (sigs.k8s.io/controller-runtime/pkg/conversion), so that `ctrl.NewWebhookManagedBy` serves the kind by itself. The conversion then goes to the spoke's own package, which imports controller-runtime. Set it on all spokes of a hub or on none; not with `for`, nor with code of your own."},
					{Name: "reads", Type: marker.Func(&m.Reads, "annotation", parseAnnotation), Default: "none", Doc: "The annotation in which earlier, hand-written conversions of this kind kept the object of the other version as JSON without metadata: `cluster.x-k8s.io/conversion-data` in Cluster API's style. The conversion takes from it what its own annotation lacks, and removes it. With `Keys`, the handler reads it only with `AcceptUnsigned`."},
				}
			}),
		fieldDefinition(model.ToHub, "to",
			"The name, place or type of a field in the hub, if it differs.",
			`+webhook:conversion:to(path: "deletion.timeoutSeconds", as: "seconds")`,
			func(m *Field) []marker.Parameter {
				return []marker.Parameter{
					{Name: "path", Type: marker.String(&m.Path), Default: "the field's own name", Doc: "The field in the hub's struct, in JSON names: `mode`, `deletion.order`; an embedded struct as a whole by its Go name. At the end, `*` is the field's own name. Parents are created when there is a value to put into them. `metadata.annotations[key]` and `metadata.labels[key]` are entries, for text, whole numbers and bools, and `as: \"json\"` for anything."},
					{Name: "as", Type: marker.Texts(&m.As), Doc: "How the value changes: converters, applied from outside to inside. " + converterNames()},
					{Name: "unless", Type: marker.String(&m.Unless), Default: "never", Doc: "Another field of the spoke's struct, for members of the hub that exclude each other. If that field is set, the hub does not get this value. An annotation keeps it."},
					{Name: "", Type: marker.String(&m.Text), Doc: "Short for `path`."},
				}
			}),
		fieldDefinition(model.Enum, "enum",
			"A value that has another name in the hub. Other values keep theirs. On a list or map, the rule is for its elements. Several values may become one, which becomes the first of them on the way back. "+
				"Or, with `same`, values that one version alone has, and that stay what they are: its clients have to expect them.",
			`+webhook:conversion:enum(from: "rsa", to: "RSA")`,
			func(m *Field) []marker.Parameter {
				return []marker.Parameter{
					{Name: "from", Type: marker.String(&m.From), Doc: "The spoke's value."},
					{Name: "to", Type: marker.String(&m.To), Doc: "The hub's value."},
					{Name: "same", Type: marker.Texts(&m.Same), Doc: "In place of `from` and `to`: values that one version alone has, or `*` for all of these. Clients of the other version read them unchanged, though its Enum refuses them in a request."},
				}
			}),
		fieldDefinition(model.Default, "default",
			"The value of a field in the hub if the spoke does not set it. Beside `stash` or `drop`, it is the value of a field that only the spoke has. A partial object, as in server-side apply, gets none.",
			`+webhook:conversion:default="Managed"`,
			func(m *Field) []marker.Parameter {
				return []marker.Parameter{
					{Name: "hub", Type: marker.List(&m.Hub), Doc: "On a type: fields of the hub's struct that the spoke does not have."},
					{Name: "with", Type: marker.String(&m.With), Default: "always", Doc: "A field of the same struct that has to be set for the default, such as the member of a union that a discriminator names. A field may have a default for each of several fields; the first one that is set counts."},
					{Name: "from", Type: marker.Enum(&m.From, model.DefaultSources()...), Doc: "In place of the value: the object's own name or namespace."},
					{Name: "", Type: marker.String(&m.Text), Doc: "The value: text, a whole number, `true` or `false`."},
				}
			}),
		fieldDefinition(model.Custom, "custom",
			"A field, or with `type` every value of a type, that your own code converts. On a type without `field`, `hub` and `type`, your own code completes the struct after its other rules. The interface Hooks of the generated package then has a method for each direction, which may use its context for I/O.",
			`+webhook:conversion:custom(hub: "schedule")`,
			func(m *Field) []marker.Parameter {
				return []marker.Parameter{
					{Name: "hub", Type: marker.List(&m.Hub), Default: "the field of the same name, if there is one", Doc: "The fields of the hub's struct that the functions take care of; with several in `field`, the functions take care of all of these. Without `field` on a type: fields that only the hub has, which one function computes from the rest of the spoke; the hub's own values are restored as long as the function gives the same result."},
					{Name: "type", Type: marker.Func(&m.Type, "import/path.Type", parseGoType), Doc: "On a type, or with `of`: a type of the hub. The functions convert all values of the two types, wherever they meet."},
					{Name: "direction", Type: marker.Enum(&m.Direction, model.Directions()...), Default: "both; `toHub` for a field that only the hub has", Doc: "The only direction in which your code is called: `fromHub` computes a field that only the spoke has from the hub's struct. The annotation keeps another value of the field, unless `drop` beside this marker gives it up."},
				}
			}),
		fieldDefinition(model.Stash, "stash",
			"A field that the hub does not have; an annotation on the hub's object keeps its value.",
			`+webhook:conversion:stash(field: "phase")`,
			func(*Field) []marker.Parameter { return nil }),
		fieldDefinition(model.Drop, "drop",
			"A field whose value is given up on purpose. The value of the marker is the reason.",
			`+webhook:conversion:drop="replaced by status.conditions"`,
			func(m *Field) []marker.Parameter {
				return []marker.Parameter{
					{Name: "hub", Type: marker.List(&m.Hub), Doc: "On a type: fields of the hub's struct, which are then not kept in the annotation either. Entries of the hub's metadata are not passed on."},
					{Name: "", Type: marker.String(&m.Text), Required: true, Doc: "The reason."},
				}
			}),
		fieldDefinition(model.Allow, "allow",
			"A warning that is accepted for a field and the fields inside it, and why. On a type without `field` it is accepted for everything in the type, "+
				"and on a package without `field` and `of` for every conversion that the package declares.",
			`+webhook:conversion:allow(rule: "V11")="clients of v1 have a year to shorten the name"`,
			func(m *Field) []marker.Parameter {
				return []marker.Parameter{
					{Name: "rule", Type: marker.Enum(&m.Rule, "V9", "V11", "V13", "V14", "V15", "V16", "V21", "V22", "V23"), Required: true, Doc: "The id of the rule that the warning shows."},
					{Name: "", Type: marker.String(&m.Text), Required: true, Doc: "The reason, for those who read the marker."},
				}
			}),
		repeated("webhook:conversion:alike", "A type with its own JSON methods, whose counterpart in the hub has its own, too. Only you know whether both write and read the same JSON; "+
			"this marker confirms it, and their fields are converted as in any types.",
			`+webhook:conversion:alike`,
			func(m *Field) []marker.Parameter {
				m.Verb = model.Alike
				return []marker.Parameter{
					{Name: "of", Type: marker.Func(&m.Of, "import/path.Type", parseGoType), Default: "the marked type", Doc: "The spoke's type, if its own source cannot carry markers."},
				}
			}),
	}
}

// fieldDefinition declares a marker of fields. With the argument `field`, types and packages accept it too.
func fieldDefinition(verb model.Verb, name, doc, example string, own func(*Field) []marker.Parameter) marker.Definition {
	d := repeated("webhook:conversion:"+name, doc, example, func(m *Field) []marker.Parameter {
		m.Verb = verb
		return append([]marker.Parameter{
			{Name: "field", Type: marker.List(&m.Field), Default: "the marked field", Doc: "On a type or package: the fields that the marker applies to, in JSON names. If a field moves out of its struct, put the marker on a struct around both places: `strategy.order`; `strategy.*` are all its fields. As in `path`, entries of metadata are fields, too."},
			{Name: "of", Type: marker.Func(&m.Of, "import/path.Type", parseGoType), Default: "the marked type; on a package, every struct that has the field and whose counterpart has its place", Doc: "The struct that has the field, if its own source cannot carry markers."},
		}, own(m)...)
	})
	d.On |= marker.OnField
	return d
}

func parseGoType(text string) (Target, error) {
	t, err := parseTarget(text)
	if err != nil || t.ImportPath == "" {
		return Target{}, fmt.Errorf("%q does not name a Go type: import/path.Type", text)
	}
	return t, nil
}

// ownAnnotations is the prefix of the annotations that generated conversions write.
const ownAnnotations = "webhook-gen.github.io/conversion"

func parseAnnotation(text string) (string, error) {
	if messages := validation.IsQualifiedName(strings.ToLower(text)); len(messages) > 0 {
		return "", fmt.Errorf("%q is not the key of an annotation: %s", text, messages[0])
	}
	if strings.HasPrefix(text, ownAnnotations) {
		return "", fmt.Errorf("%q is an annotation of generated conversions, which read it in any case", text)
	}
	return text, nil
}

func converterNames() string {
	var names []string
	for _, c := range model.Converters() {
		names = append(names, fmt.Sprintf("`%s` %s", c.Usage(), c.Doc))
	}
	return strings.Join(names, "; ") + "."
}

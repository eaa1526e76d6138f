// SPDX-License-Identifier: Apache-2.0

package conversiontest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/webhook-gen/webhook-gen/runtime/internal/structural"
)

// Schema is the schema of a version in a CustomResourceDefinition. An API server changes objects by it: see
// [Schema.Prune] and [Schema.Default].
type Schema struct{ root *structural.Schema }

// ReadSchemas reads the schemas of all versions from the file of a CustomResourceDefinition. If the file has several
// documents, it takes the definition with this name, such as orders.shop.example.com.
func ReadSchemas(t testing.TB, file, name string) map[string]Schema {
	t.Helper()
	text, err := os.ReadFile(file)
	if err == nil {
		var found map[string]Schema
		if found, err = readSchemas(text, name); err == nil {
			return found
		}
	}
	t.Fatalf("%s: %v", file, err)
	return nil
}

func readSchemas(text []byte, name string) (map[string]Schema, error) {
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), len(text))
	for {
		var definition struct {
			Metadata metav1.ObjectMeta `json:"metadata"`
			Spec     struct {
				Versions []struct {
					Name   string `json:"name"`
					Schema struct {
						Root *structural.Schema `json:"openAPIV3Schema"`
					} `json:"schema"`
				} `json:"versions"`
			} `json:"spec"`
		}
		if err := decoder.Decode(&definition); errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("the file does not define %s", name)
		} else if err != nil {
			return nil, err
		}
		if definition.Metadata.Name != name {
			continue
		}
		found := map[string]Schema{}
		for _, v := range definition.Spec.Versions {
			if v.Schema.Root == nil {
				return nil, fmt.Errorf("the version %s has no schema", v.Name)
			}
			found[v.Name] = Schema{v.Schema.Root}
		}
		return found, nil
	}
}

// SchemaOf derives the schema of a type from its JSON. To the schemas of fields it adds parts of schemas, by the paths
// of the fields in JSON names: "spec.count": `{"default": 1, "maximum": 9}`. A path leads through lists and maps:
// "spec.items.count" is a field of each element. With `{"required": true}` an object must have the field.
func SchemaOf[T any](t testing.TB, marks map[string]string) Schema {
	t.Helper()
	d := deriving{t, marks}
	return Schema{d.of(reflect.TypeFor[T](), "", nil)}
}

// deriving derives a schema from Go types.
type deriving struct {
	testing.TB
	marks map[string]string
}

// knownTypes have methods that write JSON: schemas with the texts that they read.
var knownTypes = map[reflect.Type]structural.Validation{
	reflect.TypeFor[metav1.Time]():        {Type: "string", Format: "date-time"},
	reflect.TypeFor[metav1.MicroTime]():   {Type: "string", Format: "date-time", Pattern: `\.[0-9]{6}`},
	reflect.TypeFor[metav1.Duration]():    {Type: "string", Pattern: `^-?([0-9.]+(ns|us|µs|ms|s|m|h))+$`},
	reflect.TypeFor[resource.Quantity]():  {IntOrString: true, Pattern: `^[-+]?[0-9.]+([KMGTPE]i|[numkMGTPE]|[eE][-+]?[0-9]+)?$`},
	reflect.TypeFor[intstr.IntOrString](): {IntOrString: true},
}

func (d deriving) of(t reflect.Type, path string, inside []reflect.Type) *structural.Schema {
	s := &structural.Schema{}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if known, ok := knownTypes[t]; ok {
		s.Validation = known
		return s
	}
	switch {
	case t.Kind() == reflect.Struct && !isPlainStruct(t) || slices.Contains(inside, t):
		s.Preserve = true // a type that encodes itself, or one inside itself
	case t.Kind() == reflect.Struct:
		s.Type = "object"
		s.Properties = map[string]*structural.Schema{}
		d.fields(s, t, path, append(inside[:len(inside):len(inside)], t))
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8 || t.Kind() == reflect.Array:
		s.Type = "array"
		s.Items = d.of(t.Elem(), path, inside)
	case t.Kind() == reflect.Map:
		s.Type = "object"
		s.AdditionalProperties = &structural.Additional{Schema: d.of(t.Elem(), path, inside)}
	case t.Kind() == reflect.Interface:
		s.Preserve = true
	case encodesItself(t):
	case t.Kind() == reflect.String || t.Kind() == reflect.Slice:
		s.Type = "string"
	case t.Kind() == reflect.Bool:
		s.Type = "boolean"
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64:
		s.Type = "integer"
	case t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64:
		s.Type = "number"
	}
	return s
}

func (d deriving) fields(s *structural.Schema, t reflect.Type, path string, inside []reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, ok := nameInJSON(f)
		switch {
		case !ok:
		case name == "":
			inner := f.Type
			for inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			if inner.Kind() == reflect.Struct {
				d.fields(s, inner, path, inside)
			}
		default:
			at := join(path, name)
			property := d.of(f.Type, at, inside)
			if mark, ok := d.marks[at]; ok {
				if d.mark(property, at, mark) {
					s.Required = append(s.Required, name)
				}
			}
			s.Properties[name] = property
		}
	}
}

// mark adds a part of a schema to the schema of a field, and reports whether an object must have the field.
func (d deriving) mark(property *structural.Schema, at, mark string) (required bool) {
	d.Helper()
	var parts map[string]json.RawMessage
	err := json.Unmarshal([]byte(mark), &parts)
	if required = string(parts["required"]) == "true"; required {
		delete(parts, "required")
	}
	var rest []byte
	if err == nil {
		rest, err = json.Marshal(parts)
	}
	if err == nil {
		err = json.Unmarshal(rest, property)
	}
	if err != nil {
		d.Fatalf("the schema of %s: %v", at, err)
	}
	return required
}

// Prune changes an object as an API server changes the result of a conversion webhook: it removes members without a
// schema, and nulls that are neither nullable nor have a default. See Prune and PruneNonNullableNullsWithoutDefaults of
// k8s.io/apiextensions-apiserver/pkg/apiserver/schema.
func (s Schema) Prune(object map[string]any) { s.root.Prune(object) }

// Default sets the defaults of an object, as an API server does when it reads a stored object or a request, before it
// converts the object. See Default of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting.
func (s Schema) Default(object map[string]any) { s.root.SetDefaults(object) }

// Validate returns an error with the first path whose value an API server refuses: in a request, after defaults and
// mutating webhooks and before validating ones. The rules in CEL are left out. See NewSchemaValidator and
// ValidateListSetsAndMaps of k8s.io/apiextensions-apiserver.
func (s Schema) Validate(object map[string]any) error {
	if problems := s.root.Validate(object); problems != nil {
		return problems[0]
	}
	return nil
}

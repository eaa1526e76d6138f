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
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// Schema is the schema of a version in a CustomResourceDefinition. An API server changes objects by it: see
// [Schema.Prune] and [Schema.Default].
type Schema struct{ root *structural }

// structural is a part of a schema, as JSONSchemaProps of apiextensions has it. It has what an API server needs to
// prune objects and to set defaults, and the constants of enums.
type structural struct {
	Properties           map[string]*structural `json:"properties"`
	Items                *structural            `json:"items"`
	AdditionalProperties *additional            `json:"additionalProperties"`
	Default              *json.RawMessage       `json:"default"`
	Nullable             bool                   `json:"nullable"`
	Enum                 []any                  `json:"enum"`
	Preserve             bool                   `json:"x-kubernetes-preserve-unknown-fields"`
	Embedded             bool                   `json:"x-kubernetes-embedded-resource"`
}

// additional is a schema of the values of a map, or a bool.
type additional struct{ *structural }

// UnmarshalJSON reads a bool or a schema.
func (a *additional) UnmarshalJSON(text []byte) error {
	var allowed bool
	if json.Unmarshal(text, &allowed) == nil {
		return nil
	}
	return json.Unmarshal(text, &a.structural)
}

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
						Root *structural `json:"openAPIV3Schema"`
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

// Mark is what the markers of a field add to the schema of its type.
type Mark struct {
	// Default is the default in JSON; empty without one.
	Default string
	// Nullable means that the field may be null.
	Nullable bool
	// Enum are the constants of a field of text.
	Enum []string
}

// SchemaOf derives the schema of a type: from its JSON, and from markers by the paths of fields in JSON names. A path
// leads through lists and maps: "spec.items.count" is a field of each element.
func SchemaOf[T any](marks map[string]Mark) Schema {
	d := deriving{marks: marks}
	return Schema{d.of(reflect.TypeFor[T](), "", nil)}
}

// deriving derives a schema from Go types.
type deriving struct{ marks map[string]Mark }

func (d deriving) of(t reflect.Type, path string, inside []reflect.Type) *structural {
	s := &structural{}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case slices.Contains([]reflect.Type{reflect.TypeFor[metav1.Time](), reflect.TypeFor[metav1.MicroTime](), reflect.TypeFor[metav1.Duration](),
		reflect.TypeFor[resource.Quantity](), reflect.TypeFor[intstr.IntOrString]()}, t):
	case t.Kind() == reflect.Struct && !isPlainStruct(t) || slices.Contains(inside, t):
		s.Preserve = true // a type that encodes itself, or one inside itself
	case t.Kind() == reflect.Struct:
		s.Properties = map[string]*structural{}
		d.fields(s, t, path, append(inside[:len(inside):len(inside)], t))
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8 || t.Kind() == reflect.Array:
		s.Items = d.of(t.Elem(), path, inside)
	case t.Kind() == reflect.Map:
		s.AdditionalProperties = &additional{d.of(t.Elem(), path, inside)}
	case t.Kind() == reflect.Interface:
		s.Preserve = true
	}
	return s
}

func (d deriving) fields(s *structural, t reflect.Type, path string, inside []reflect.Type) {
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
				mark.add(property)
			}
			s.Properties[name] = property
		}
	}
}

// add adds a mark to the schema of a field.
func (m Mark) add(s *structural) {
	s.Nullable = m.Nullable
	if m.Default != "" {
		text := json.RawMessage(m.Default)
		s.Default = &text
	}
	for s.Items != nil && len(m.Enum) > 0 {
		s = s.Items // the constants are for the elements
	}
	for _, value := range m.Enum {
		s.Enum = append(s.Enum, value)
	}
}

// Prune changes an object as an API server changes the result of a conversion webhook: it removes members without a
// schema, and nulls that are neither nullable nor have a default. See Prune and PruneNonNullableNullsWithoutDefaults of
// k8s.io/apiextensions-apiserver/pkg/apiserver/schema.
func (s Schema) Prune(object map[string]any) {
	if s.root == nil {
		return
	}
	root := *s.root
	root.Embedded = true // type and metadata of an object have a schema of their own
	root.prune(object)
	s.root.dropNulls(object)
}

// Default sets the defaults of an object, as an API server does when it reads a stored object or a request, before it
// converts the object. See Default of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting.
func (s Schema) Default(object map[string]any) { s.root.setDefaults(object) }

func isOfObject(name string) bool { return slices.Contains(common, name) }

// values returns the schema of the values of a map, and whether the map may have any key.
func (s *structural) values() (*structural, bool) {
	if s.AdditionalProperties == nil {
		return nil, false
	}
	return s.AdditionalProperties.structural, true
}

func (s *structural) prune(v any) {
	if s != nil && s.Preserve {
		s.pruneKnown(v)
		return
	}
	switch v := v.(type) {
	case map[string]any:
		if s == nil {
			clear(v)
			return
		}
		for name, value := range v {
			if s.Embedded && isOfObject(name) {
				continue
			}
			if property, ok := s.Properties[name]; ok {
				property.prune(value)
			} else if values, ok := s.values(); ok {
				values.prune(value)
			} else {
				delete(v, name)
			}
		}
	case []any:
		var items *structural
		if s != nil {
			items = s.Items
		}
		for _, element := range v {
			items.prune(element)
		}
	}
}

// pruneKnown prunes the members with a schema of an object that may have others.
func (s *structural) pruneKnown(v any) {
	if s == nil {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			if s.Embedded && isOfObject(name) {
				continue
			}
			if property, ok := s.Properties[name]; ok {
				property.prune(value)
			} else if values, ok := s.values(); ok {
				values.prune(value)
			}
		}
	case []any:
		for _, element := range v {
			s.Items.pruneKnown(element)
		}
	}
}

// dropNulls removes members that are null, not nullable, and have no default.
func (s *structural) dropNulls(v any) {
	if s == nil {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			property, ok := s.Properties[name]
			if !ok {
				property, _ = s.values()
			}
			if property.refusesNull(value) && property.Default == nil {
				delete(v, name)
				continue
			}
			property.dropNulls(value)
		}
	case []any:
		for _, element := range v {
			s.Items.dropNulls(element)
		}
	}
}

// refusesNull reports whether a value is null and must not be.
func (s *structural) refusesNull(v any) bool { return v == nil && s != nil && !s.Nullable }

// value returns a copy of the default; nil without one.
func (s *structural) value() any {
	if s.Default == nil {
		return nil
	}
	var v any
	decoder := json.NewDecoder(strings.NewReader(string(*s.Default)))
	decoder.UseNumber()
	if decoder.Decode(&v) != nil {
		return nil
	}
	return v
}

func (s *structural) setDefaults(v any) {
	if s == nil {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for name, property := range s.Properties {
			if property.Default == nil {
				continue
			}
			if value, ok := v[name]; !ok || property.refusesNull(value) {
				v[name] = property.value()
			}
		}
		for name := range v {
			if property, ok := s.Properties[name]; ok {
				property.setDefaults(v[name])
			} else if values, ok := s.values(); ok {
				if values.refusesNull(v[name]) {
					v[name] = values.value()
				}
				values.setDefaults(v[name])
			}
		}
	case []any:
		for i := range v {
			if s.Items.refusesNull(v[i]) {
				v[i] = s.Items.value()
			}
			s.Items.setDefaults(v[i])
		}
	}
}

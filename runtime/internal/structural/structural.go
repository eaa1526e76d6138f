// SPDX-License-Identifier: Apache-2.0

// Package structural does with objects what an API server does by the schemas of CustomResourceDefinitions: it prunes
// objects, sets defaults and validates.
package structural

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
)

// Schema is a schema or a part of one, as JSONSchemaProps of apiextensions has it. It has what an API server needs to
// prune objects, to set defaults and to validate, but for the rules in CEL.
type Schema struct {
	Properties           map[string]*Schema `json:"properties"`
	Items                *Schema            `json:"items"`
	AdditionalProperties *Additional        `json:"additionalProperties"`
	Default              *json.RawMessage   `json:"default"`
	Nullable             bool               `json:"nullable"`
	Preserve             bool               `json:"x-kubernetes-preserve-unknown-fields"`
	Embedded             bool               `json:"x-kubernetes-embedded-resource"`
	Validation

	pattern atomic.Pointer[regexp.Regexp] // compiled when it is first needed
}

// Additional is the schema of the values of a map, or a bool.
type Additional struct{ *Schema }

// UnmarshalJSON reads a bool or a schema.
func (a *Additional) UnmarshalJSON(text []byte) error {
	var allowed bool
	if json.Unmarshal(text, &allowed) == nil {
		return nil
	}
	return json.Unmarshal(text, &a.Schema)
}

// Prune changes an object as an API server changes what it decodes: it removes members without a schema, and nulls that
// are neither nullable nor have a default. See Prune and PruneNonNullableNullsWithoutDefaults of
// k8s.io/apiextensions-apiserver/pkg/apiserver/schema.
func (s *Schema) Prune(object map[string]any) {
	if s == nil {
		return
	}
	// Type and metadata of an object have a schema of their own.
	root := &Schema{Properties: s.Properties, AdditionalProperties: s.AdditionalProperties, Preserve: s.Preserve, Embedded: true}
	root.prune(object, false)
	s.dropNulls(object)
}

// SetDefaults sets the defaults of an object. See Default of
// k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting.
func (s *Schema) SetDefaults(object map[string]any) { s.setDefaults(object) }

// Member returns the schema of a member; nil without one.
func (s *Schema) Member(name string) *Schema {
	if property, ok := s.Properties[name]; ok {
		return property
	}
	values, _ := s.values()
	return values
}

// isOfObject reports whether a member of an embedded object has a schema of its own.
func isOfObject(name string) bool {
	return slices.Contains([]string{"apiVersion", "kind", "metadata"}, name)
}

// values returns the schema of the values of a map, and whether the map may have any key.
func (s *Schema) values() (*Schema, bool) {
	if s.AdditionalProperties == nil {
		return nil, false
	}
	return s.AdditionalProperties.Schema, true
}

// prune removes members without a schema. keep is true for the elements of a list that keeps unknown members.
func (s *Schema) prune(v any, keep bool) {
	if s == nil {
		s = &Schema{}
	}
	keep = keep || s.Preserve
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			if s.Embedded && isOfObject(name) {
				continue
			}
			if property, ok := s.Properties[name]; ok {
				property.prune(value, false)
			} else if values, ok := s.values(); ok {
				values.prune(value, false)
			} else if !keep {
				delete(v, name)
			}
		}
	case []any:
		for _, element := range v {
			s.Items.prune(element, keep)
		}
	}
}

// dropNulls removes members that are null, not nullable, and have no default.
func (s *Schema) dropNulls(v any) {
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
func (s *Schema) refusesNull(v any) bool { return v == nil && s != nil && !s.Nullable }

// value returns a copy of the default; nil without one.
func (s *Schema) value() any {
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

func (s *Schema) setDefaults(v any) {
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

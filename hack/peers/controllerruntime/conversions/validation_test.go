// SPDX-License-Identifier: Apache-2.0

package conversions

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/webhook-gen/webhook-gen/runtime/conversion/conversiontest"
)

// TestValidation compares Validate of conversiontest with the API server's own functions, on random schemas with rules
// for values and random objects that follow them in part.
func TestValidation(t *testing.T) {
	file := filepath.Join(t.TempDir(), "definition.yaml")
	valid, refused := 0, 0
	for seed := range uint64(1500) {
		r := randomSchema{rand.New(rand.NewPCG(seed, 2))}
		schema := r.object(2) // which has few levels below it
		schema = map[string]any{"type": "object", "properties": map[string]any{"spec": schema}}
		r.rule(schema)
		definition := map[string]any{
			"metadata": map[string]any{"name": "orders.example.com"},
			"spec":     map[string]any{"versions": []any{map[string]any{"name": "v1", "schema": map[string]any{"openAPIV3Schema": schema}}}},
		}
		if err := os.WriteFile(file, text(t, definition), 0o600); err != nil {
			t.Fatal(err)
		}
		ours, theirs := conversiontest.ReadSchemas(t, file, "orders.example.com")["v1"], structural(t, schema)
		var v1 apiextensionsv1.JSONSchemaProps
		var props apiextensions.JSONSchemaProps
		if err := json.Unmarshal(text(t, schema), &v1); err != nil {
			t.Fatal(err)
		}
		if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&v1, &props, nil); err != nil {
			t.Fatal(err)
		}
		validator, _, err := validation.NewSchemaValidator(&props)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			var object map[string]any
			if err := utiljson.Unmarshal(text(t, r.value(schema, 0)), &object); err != nil {
				t.Fatal(err)
			}
			pruning.Prune(object, theirs, true)
			want := append(validation.ValidateCustomResource(nil, object, validator), listtype.ValidateListSetsAndMaps(nil, theirs, object)...)
			got := ours.Validate(object)
			if (got == nil) != (len(want) == 0) {
				t.Fatalf("seed %d, object %d:\ngot  %v\nwant %v\nfor  %s\nby   %s", seed, i, got, want, text(t, object), text(t, schema))
			}
			if got == nil {
				valid++
			} else {
				refused++
			}
		}
	}
	if t.Logf("%d objects are valid, %d are not", valid, refused); valid < 5000 || refused < 5000 {
		t.Error("the objects do not try the rules")
	}
}

// rule adds rules for values to a schema and all below it.
func (r randomSchema) rule(s map[string]any) {
	set := func(name string, value any) {
		if r.one(5) {
			s[name] = value
		}
	}
	switch s["type"] {
	case "string":
		set("minLength", 2)
		set("maxLength", 1+r.IntN(3))
		set("pattern", "^t[0-5]")
		set("enum", []any{"t1", "t2", "t3", "t4", "x"})
	case "integer":
		set("minimum", r.IntN(4))
		set("maximum", 4+r.IntN(5))
		set("exclusiveMinimum", true)
		set("exclusiveMaximum", true)
		set("multipleOf", 2)
		set("enum", []any{1, 2, 3, 4, 5})
	case "array":
		set("minItems", 1)
		set("maxItems", 1)
		items := s["items"].(map[string]any)
		switch items["type"] {
		case "string", "integer":
			set("x-kubernetes-list-type", "set")
		case "object":
			if properties, ok := items["properties"].(map[string]any); ok && r.one(2) {
				properties["p0"] = map[string]any{"type": "integer"}
				items["required"] = []any{"p0"}
				s["x-kubernetes-list-type"], s["x-kubernetes-list-map-keys"] = "map", []any{"p0"}
			}
		}
		r.rule(items)
	case "object":
		delete(s, "x-kubernetes-embedded-resource") // another function of the API server validates its metadata
		set("minProperties", 1)
		set("maxProperties", 2+r.IntN(3))
		if values, ok := s["additionalProperties"].(map[string]any); ok {
			r.rule(values)
		}
		properties, _ := s["properties"].(map[string]any)
		names := slices.Sorted(maps.Keys(properties))
		for _, name := range names {
			r.rule(properties[name].(map[string]any))
		}
		if len(names) == 0 {
			return
		}
		required := func() map[string]any { return map[string]any{"required": []any{names[r.IntN(len(names))]}} }
		if _, ok := s["required"]; !ok {
			set("required", required()["required"])
		}
		set("oneOf", []any{required(), required()})
		set("anyOf", []any{required(), required()})
		set("allOf", []any{required()})
		if r.one(12) {
			s["not"] = required()
		}
	}
}

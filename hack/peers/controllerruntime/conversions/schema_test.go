// SPDX-License-Identifier: Apache-2.0

package conversions

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/webhook-gen/webhook-gen/runtime/conversion/conversiontest"
)

// TestSchemas compares Prune and Default of conversiontest with the API server's own functions, on random schemas and
// random objects that fit them in part.
func TestSchemas(t *testing.T) {
	file := filepath.Join(t.TempDir(), "definition.yaml")
	pruned, dropped, defaulted := 0, 0, 0
	for seed := range uint64(300) {
		r := randomSchema{rand.New(rand.NewPCG(seed, 1))}
		schema := r.object(0)
		definition := map[string]any{
			"metadata": map[string]any{"name": "orders.example.com"},
			"spec":     map[string]any{"versions": []any{map[string]any{"name": "v1", "schema": map[string]any{"openAPIV3Schema": schema}}}},
		}
		if err := os.WriteFile(file, text(t, definition), 0o600); err != nil {
			t.Fatal(err)
		}
		ours, theirs := conversiontest.ReadSchemas(t, file, "orders.example.com")["v1"], structural(t, schema)
		for i := range 20 {
			object := text(t, r.value(schema, 0))
			read := func() (o map[string]any) {
				if err := utiljson.Unmarshal(object, &o); err != nil {
					t.Fatal(err)
				}
				return o
			}
			got, want := read(), read()
			ours.Prune(got)
			pruning.Prune(want, theirs, true)
			if string(text(t, want)) != string(object) {
				pruned++
			}
			before := string(text(t, want))
			defaulting.PruneNonNullableNullsWithoutDefaults(want, theirs)
			if string(text(t, want)) != before {
				dropped++
			}
			if g, w := string(text(t, got)), string(text(t, want)); g != w {
				t.Fatalf("seed %d, object %d: pruned\ngot  %s\nwant %s\nof   %s\nby   %s", seed, i, g, w, object, text(t, schema))
			}
			before = string(text(t, want))
			ours.Default(got)
			defaulting.Default(want, theirs)
			if string(text(t, want)) != before {
				defaulted++
			}
			if g, w := string(text(t, got)), string(text(t, want)); g != w {
				t.Fatalf("seed %d, object %d: defaults\ngot  %s\nwant %s\nof   %s\nby   %s", seed, i, g, w, object, text(t, schema))
			}
		}
	}
	if t.Logf("%d objects were pruned, %d lost nulls, %d got defaults", pruned, dropped, defaulted); pruned < 1000 || dropped < 1000 || defaulted < 1000 {
		t.Error("the objects do not try the rules")
	}
}

func text(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// structural makes the API server's form of a schema.
func structural(t *testing.T, schema map[string]any) *structuralschema.Structural {
	t.Helper()
	var v1 apiextensionsv1.JSONSchemaProps
	var props apiextensions.JSONSchemaProps
	err := json.Unmarshal(text(t, schema), &v1)
	if err == nil {
		err = apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&v1, &props, nil)
	}
	s, bad := (*structuralschema.Structural)(nil), error(nil)
	if err == nil {
		s, bad = structuralschema.NewStructural(&props)
	}
	if err != nil || bad != nil {
		t.Fatalf("%v %v: %s", err, bad, text(t, schema))
	}
	return s
}

// randomSchema makes schemas and objects.
type randomSchema struct{ *rand.Rand }

func (r randomSchema) one(in int) bool { return r.IntN(in) == 0 }

func (r randomSchema) object(depth int) map[string]any {
	s := map[string]any{"type": "object"}
	if depth > 0 && r.one(4) {
		s["additionalProperties"] = r.schema(depth + 1)
		if r.one(3) {
			s["additionalProperties"] = true
		}
		return s
	}
	properties := map[string]any{}
	for i := range 1 + r.IntN(5) {
		properties[fmt.Sprint("p", i)] = r.schema(depth + 1)
	}
	if depth == 0 && r.one(2) {
		properties["metadata"] = map[string]any{"type": "object"}
	}
	s["properties"] = properties
	if r.one(6) {
		s["x-kubernetes-preserve-unknown-fields"] = true
	}
	if depth > 0 && r.one(8) {
		s["x-kubernetes-embedded-resource"] = true
	}
	return s
}

func (r randomSchema) schema(depth int) map[string]any {
	var s map[string]any
	switch n := r.IntN(6); {
	case n < 2 && depth < 4:
		s = r.object(depth)
	case n < 3 && depth < 4:
		s = map[string]any{"type": "array", "items": r.schema(depth + 1)}
	case n < 4:
		s = map[string]any{"type": "integer"}
	default:
		s = map[string]any{"type": "string"}
	}
	if r.one(3) {
		s["nullable"] = true
	}
	if r.one(3) {
		s["default"] = r.value(s, 3)
	}
	return s
}

// value makes a value of a schema, with nulls, with members that the schema lacks and now and then of another type.
func (r randomSchema) value(s map[string]any, depth int) any {
	if depth > 0 && r.one(12) {
		s = map[string]any{"type": []string{"object", "array", "string"}[r.IntN(3)]}
	}
	some := func(below any) any {
		inner, ok := below.(map[string]any)
		if !ok {
			inner = map[string]any{"type": "string"}
		}
		if r.one(4) {
			return nil
		}
		return r.value(inner, depth+1)
	}
	switch s["type"] {
	case "object":
		o := map[string]any{}
		properties, _ := s["properties"].(map[string]any)
		for name, below := range properties {
			if !r.one(3) {
				o[name] = some(below)
			}
		}
		for _, name := range []string{"x", "y", "kind", "apiVersion", "metadata"} {
			if r.one(3) {
				o[name] = some(s["additionalProperties"])
			}
		}
		return o
	case "array":
		list := []any{}
		for range r.IntN(3) {
			list = append(list, some(s["items"]))
		}
		return list
	case "integer":
		return r.IntN(9)
	}
	return fmt.Sprint("t", r.IntN(9))
}

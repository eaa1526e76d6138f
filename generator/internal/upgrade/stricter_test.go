// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"context"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/manifest"
)

// TestRandomSchemas compares random pairs of schemas, and validates random objects with the code of API servers. A
// finding explains each object that is valid with the old schema and invalid with the new one.
func TestRandomSchemas(t *testing.T) {
	const rounds, objects = 2500, 40
	r := rand.New(rand.NewPCG(20, 26))
	refused, changed, silent, byRule := 0, 0, 0, map[string]int{}
	for range rounds {
		spec := randomSchema(r, 2)
		altered := copied(spec)
		for range 1 + r.IntN(2) {
			alter(r, altered)
		}
		old, now := kind(spec), kind(altered)
		before, then := newOracle(t, old), newOracle(t, now)
		if before == nil || then == nil {
			continue // API servers refuse the definition
		}
		if json1, json2 := canonicalJSON(old), canonicalJSON(now); json1 == json2 {
			continue
		}
		changed++
		found := Compare(stateOf(t, old), stateOf(t, now))
		if len(found) == 0 {
			silent++
		}
		for _, f := range found {
			byRule[f.Rule]++
		}
		for range objects {
			object, _ := randomValue(r, old).(map[string]any)
			if before.problems(object) != "" {
				continue // it also sets defaults
			}
			stored := runtime.DeepCopyJSON(object)
			if problems := then.problems(object); problems != "" && !strings.Contains(problems, "compile error") { // servers refuse that definition
				refused++
				if len(found) == 0 {
					t.Fatalf("no finding explains %s\nobject: %s\nold: %s\nnew: %s", problems, canonicalJSON(stored), canonicalJSON(old), canonicalJSON(now))
				}
				// Fields without a schema, and elements with one key, never count as unchanged.
				unlike := strings.Contains(canonicalJSON(now), "preserve-unknown-fields") || strings.Contains(problems, "Duplicate value") ||
					slices.ContainsFunc(found, func(f Finding) bool { return f.Rule == "G32" })
				if update := then.updateProblems(runtime.DeepCopyJSON(object)); update != "" && !unlike {
					t.Fatalf("an update that changes nothing is refused, which the effect of G47 excludes: %s\nobject: %s\nold: %s\nnew: %s",
						update, canonicalJSON(stored), canonicalJSON(old), canonicalJSON(now))
				}
			}
		}
	}
	t.Logf("%d pairs of schemas, %d of them without a finding; %d objects became invalid; findings: %v", changed, silent, refused, byRule)
	if changed < rounds/2 || silent < changed/10 || refused < rounds || byRule["G47"] < rounds/4 {
		t.Error("the mix is too one-sided to prove anything")
	}
}

// kind returns the schema of objects with a spec.
func kind(spec map[string]any) map[string]any {
	return map[string]any{"type": "object", "properties": map[string]any{"spec": spec}}
}

// oracle validates objects as an API server does.
type oracle struct {
	schema     validation.SchemaValidator
	structural *structuralschema.Structural
	rules      *cel.Validator
}

// newOracle returns nil for a schema that API servers refuse.
func newOracle(t *testing.T, schema map[string]any) *oracle {
	t.Helper()
	var v1 apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal([]byte(canonicalJSON(schema)), &v1); err != nil {
		t.Fatal(err)
	}
	var props apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&v1, &props, nil); err != nil {
		t.Fatal(err)
	}
	structural, err := structuralschema.NewStructural(&props)
	if err != nil || len(structuralschema.ValidateStructural(nil, structural)) > 0 {
		return nil
	}
	if errs, err := defaulting.ValidateDefaults(t.Context(), nil, structural, true, true); err != nil || len(errs) > 0 {
		return nil
	}
	validator, _, err := validation.NewSchemaValidator(&props)
	if err != nil {
		return nil
	}
	return &oracle{validator, structural, cel.NewValidator(structural, true, celconfig.PerCallLimit)}
}

// problems completes an object, and says why API servers refuse to create it.
func (o *oracle) problems(object map[string]any) string {
	defaulting.PruneNonNullableNullsWithoutDefaults(object, o.structural)
	defaulting.Default(object, o.structural)
	pruning.Prune(object, o.structural, true)
	errs := validation.ValidateCustomResource(nil, object, o.schema)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, o.structural, object)...)
	if len(errs) == 0 {
		broken, _ := o.rules.Validate(context.Background(), nil, o.structural, object, nil, celconfig.RuntimeCELCostBudget)
		errs = append(errs, broken...)
	}
	if len(errs) == 0 {
		return ""
	}
	return errs.ToAggregate().Error()
}

// updateProblems says why API servers refuse an update that leaves the spec of an object as it is.
func (o *oracle) updateProblems(object map[string]any) string {
	old := runtime.DeepCopyJSON(object)
	object["metadata"] = map[string]any{"finalizers": []any{}}
	errs := validation.ValidateCustomResourceUpdate(nil, object, old, o.schema, validation.WithRatcheting(nil))
	if len(errs) == 0 {
		return ""
	}
	return errs.ToAggregate().Error()
}

// stateOf returns the state with a definition that has the schema.
func stateOf(t *testing.T, schema map[string]any) *State {
	t.Helper()
	crd := map[string]any{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": "orders.shop.example.com"},
		"spec": map[string]any{"group": "shop.example.com", "scope": "Namespaced", "names": map[string]any{"kind": "Order", "plural": "orders"},
			"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true, "schema": map[string]any{"openAPIV3Schema": schema}}}}}
	contents, diags := manifest.Read([]load.Text{{Path: "crd.yaml", Content: []byte(canonicalJSON(crd))}})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return OfManifests(contents)
}

func copied(schema map[string]any) map[string]any {
	var c map[string]any
	if err := json.Unmarshal([]byte(canonicalJSON(schema)), &c); err != nil {
		panic(err)
	}
	return c
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func words() []any { return []any{"", "a", "ab", "abc", "10.0.0.1", "2026-01-02"} }

// randomSchema returns a schema of an object.
func randomSchema(r *rand.Rand, depth int) map[string]any {
	s := map[string]any{"type": "object", "properties": map[string]any{}}
	properties, _ := s["properties"].(map[string]any)
	for _, name := range []string{"a", "b", "c"}[:1+r.IntN(3)] {
		properties[name] = randomField(r, depth)
	}
	if r.IntN(6) == 0 {
		s["x-kubernetes-preserve-unknown-fields"] = true
	}
	for range r.IntN(2) {
		limit(r, s)
	}
	return s
}

func randomField(r *rand.Rand, depth int) map[string]any {
	s := map[string]any{}
	switch kinds := 8; r.IntN(kinds) {
	case 0, 1:
		s["type"] = "string"
	case 2:
		s["type"] = pick(r, "integer", "number")
	case 3:
		s["type"] = "boolean"
	case 4:
		s["x-kubernetes-int-or-string"] = true
	case 5:
		if depth > 0 {
			return randomSchema(r, depth-1)
		}
		s["type"] = "string"
	case 6:
		if depth == 0 {
			s["type"] = "integer"
			break
		}
		s = map[string]any{"type": "object", "additionalProperties": randomField(r, depth-1)}
	case 7:
		s["type"] = "array"
		s["items"] = map[string]any{"type": "string"}
		if r.IntN(2) == 0 {
			s["items"] = map[string]any{"type": "object", "required": []any{"a", "b"}, "properties": map[string]any{"a": map[string]any{"type": "string"}, "b": map[string]any{"type": "string"}}}
		}
	}
	for range r.IntN(3) {
		limit(r, s)
	}
	return s
}

// limit sets or removes a keyword of a schema.
func limit(r *rand.Rand, s map[string]any) {
	set := func(keyword string, values ...any) {
		if s[keyword] = pick(r, values...); s[keyword] == nil {
			delete(s, keyword)
		}
	}
	if r.IntN(6) == 0 {
		set("nullable", true, nil)
		return
	}
	switch s["type"] {
	case "string":
		switch r.IntN(6) {
		case 0:
			set("maxLength", 0, 1, 2, nil)
		case 1:
			set("minLength", 0, 1, 2, nil)
		case 2:
			set("pattern", "^a", "b", "^[a-z]*$", nil)
		case 3:
			set("format", "ipv4", "date", "unknown", nil)
		case 4:
			all := words()
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			set("enum", all[:3], all[:5], all[:5], nil)
		case 5:
			set("default", "a", "ab", nil)
		}
	case "integer", "number":
		switch r.IntN(6) {
		case 0:
			set("minimum", 0, 1, 2, nil)
		case 1:
			set("maximum", 2, 3, 4, nil)
		case 2:
			set("exclusiveMinimum", true, false, nil)
		case 3:
			set("exclusiveMaximum", true, false, nil)
		case 4:
			set("multipleOf", 1, 2, 3, nil)
		case 5:
			set("default", 1, 2, nil)
		}
	case "array":
		switch r.IntN(3) {
		case 0:
			set("minItems", 0, 1, 2, nil)
		case 1:
			set("maxItems", 0, 1, 2, nil)
		case 2:
			delete(s, "x-kubernetes-list-map-keys")
			items, _ := s["items"].(map[string]any)
			if items["type"] == "string" {
				set("x-kubernetes-list-type", "atomic", "set", nil)
			} else if set("x-kubernetes-list-type", "atomic", "map", nil); s["x-kubernetes-list-type"] == "map" {
				set("x-kubernetes-list-map-keys", []any{"a"}, []any{"a", "b"}, []any{"b"})
			}
		}
	case "object":
		switch r.IntN(6) {
		case 0:
			set("required", []any{"a"}, []any{"a", "b"}, nil)
		case 1:
			set("maxProperties", 1, 2, nil)
		case 2:
			set("minProperties", 1, 2, nil)
		case 3:
			set("x-kubernetes-preserve-unknown-fields", true, nil)
		case 4:
			set("x-kubernetes-validations", []any{map[string]any{"rule": "size(self) < 10"}}, []any{map[string]any{"rule": "has(self.a)"}}, nil)
		case 5:
			junction := func(name string) any { return map[string]any{"required": []any{name}} }
			set(pick(r, "anyOf", "oneOf", "allOf"), []any{junction("a")}, []any{junction("a"), junction("b")}, nil)
		}
	}
}

// alter changes one schema in another one, or its fields.
func alter(r *rand.Rand, s map[string]any) {
	properties, _ := s["properties"].(map[string]any)
	switch {
	case len(properties) > 0 && r.IntN(4) > 0:
		name := pick(r, slices.Sorted(maps.Keys(properties))...)
		inner, _ := properties[name].(map[string]any)
		alter(r, inner)
	case s["additionalProperties"] != nil && r.IntN(2) == 0:
		inner, _ := s["additionalProperties"].(map[string]any)
		alter(r, inner)
	case s["items"] != nil && r.IntN(3) == 0:
		inner, _ := s["items"].(map[string]any)
		alter(r, inner)
	case properties != nil && r.IntN(4) == 0:
		name := pick(r, "a", "b", "c", "d")
		if properties[name] == nil || r.IntN(2) == 0 {
			properties[name] = randomField(r, 1)
		} else {
			delete(properties, name)
		}
	default:
		limit(r, s)
	}
}

// randomValue returns a value that a schema may allow.
func randomValue(r *rand.Rand, s map[string]any) any {
	if s["nullable"] == true && r.IntN(6) == 0 {
		return nil
	}
	switch s["type"] {
	case "string":
		return pick(r, words()...)
	case "integer":
		return r.Int64N(6)
	case "number":
		return pick[any](r, 0.5, 1.5, int64(2), int64(3), 4.0)
	case "boolean":
		return r.IntN(2) == 0
	case "array":
		items, _ := s["items"].(map[string]any)
		list := []any{}
		for range r.IntN(3) {
			list = append(list, randomValue(r, items))
		}
		return list
	case "object":
		object := map[string]any{}
		properties, _ := s["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if inner, _ := properties[name].(map[string]any); r.IntN(3) > 0 {
				object[name] = randomValue(r, inner)
			}
		}
		if values, ok := s["additionalProperties"].(map[string]any); ok {
			for _, name := range []string{"x", "y"}[:r.IntN(3)] {
				object[name] = randomValue(r, values)
			}
		}
		if s["x-kubernetes-preserve-unknown-fields"] == true && properties["d"] == nil {
			object["d"] = pick[any](r, "abc", int64(7), map[string]any{"a": true})
		}
		return object
	}
	return pick[any](r, "a", int64(1), "")
}

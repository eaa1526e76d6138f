// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMistakesInSamples reads samples as they are written: of kinds that no definition has, and with fields that no
// schema has.
func TestMistakesInSamples(t *testing.T) {
	file := filepath.Join(t.TempDir(), "crd.yaml")
	if err := os.WriteFile(file, []byte(`kind: CustomResourceDefinition
spec:
  group: example.com
  names: {kind: Widget}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer}
              free: {type: object, x-kubernetes-preserve-unknown-fields: true}
              parts: {type: array, items: {type: object, properties: {name: {type: string}}}}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	defined := Suite{definitions: definitionsIn(t, []string{file})}
	typed := Suite{Webhooks: suite(t, "", asItIs).Webhooks}
	for _, tt := range []struct {
		name   string
		suite  Suite
		object string
		want   string
	}{
		{"right", defined, `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"size": 1, "parts": [{"name": "a"}]}}`, ""},
		{"null", defined, `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"size": null}}`, ""},
		{"any fields", defined, `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"free": {"a": {"b": 1}}}}`, ""},
		{"another group", defined, `{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "data": {}}`, ""},
		{"a field", defined, `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"sise": 1}}`, "has no field spec.sise,"},
		{"fields of elements", defined, `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"parts": [{"name": "a"}, {"nam": "b"}]}, "stats": {}}`,
			"has no field spec.parts[1].nam, stats,"},
		{"a version", defined, `{"apiVersion": "example.com/v2", "kind": "Widget", "metadata": {"name": "a"}}`, "no definition has this kind in example.com/v2; there are Widget of example.com/v1"},
		{"a kind", defined, `{"apiVersion": "example.com/v1", "kind": "Wigdet", "metadata": {"name": "a"}}`, "there are Widget of example.com/v1"},
		{"right for the type", typed, `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"size": "1"}}`, ""},
		{"a field of the type", typed, `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"sise": "1"}}`, `unknown field "sise"`},
		{"a plural", typed, `{"apiVersion": "example.com/v1", "kind": "Widgets", "metadata": {"name": "a"}}`, "the kind is Widget"},
		{"another case", typed, `{"apiVersion": "example.com/v1", "kind": "widget", "metadata": {"name": "a"}}`, "the kind is Widget"},
		{"a kind of its own", typed, `{"apiVersion": "example.com/v1", "kind": "WidgetSet", "metadata": {"name": "a"}}`, ""},
	} {
		o := sample{object: json.RawMessage(tt.object)}
		if err := json.Unmarshal(o.object, &o.PartialObjectMetadata); err != nil {
			t.Fatal(err)
		}
		if got := tt.suite.mistake(o); tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

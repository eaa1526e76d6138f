// SPDX-License-Identifier: Apache-2.0

package structural

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

const rules = `{"type": "object", "properties": {
	"name": {"type": "string", "minLength": 3, "maxLength": 5},
	"size": {"type": "string", "enum": ["small", "large"]},
	"version": {"type": "string", "pattern": "^v[0-9.]+$"},
	"when": {"type": "string", "format": "date-time"},
	"secret": {"type": "string", "format": "byte"},
	"count": {"type": "integer", "minimum": 2, "maximum": 9, "multipleOf": 3},
	"share": {"type": "number", "minimum": 0, "exclusiveMinimum": true},
	"port": {"x-kubernetes-int-or-string": true},
	"parts": {"type": "array", "minItems": 1, "maxItems": 2, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
		"items": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "note": {"type": "string", "pattern": "^never(?:$^)"}}}},
	"tags": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
	"union": {"type": "object", "oneOf": [{"required": ["a"]}, {"required": ["b"]}], "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}},
	"template": {"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true}
}, "required": ["size"]}`

func schemaOf(t *testing.T) *Schema {
	t.Helper()
	s := &Schema{}
	if err := json.Unmarshal([]byte(rules), s); err != nil {
		t.Fatal(err)
	}
	return s
}

func objectOf(t *testing.T, text string) map[string]any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var object map[string]any
	if err := decoder.Decode(&object); err != nil {
		t.Fatal(err)
	}
	return object
}

// TestValidate has one value for each rule. hack/peers/controllerruntime/conversions compares verdicts with the API
// server's.
func TestValidate(t *testing.T) {
	s := schemaOf(t)
	for members, want := range map[string]string{
		`"name": "abc"`:                  "",
		`"name": "ab"`:                   "name: shorter than 3",
		`"name": "äöüäöü"`:               "name: longer than 5",
		`"name": 1`:                      "name: want the type string",
		`"size": "huge"`:                 "size: not in the enum",
		`"version": "1"`:                 "version: does not match ^v[0-9.]+$",
		`"when": "2026-01-01T00:00:00Z"`: "",
		`"when": "today"`:                "when: no date-time",
		`"secret": "?"`:                  "secret: no byte",
		`"count": 6`:                     "",
		`"count": 7`:                     "count: no multiple of 3",
		`"count": 0`:                     "count: less than 2",
		`"count": 12`:                    "count: more than 9",
		`"count": 6.5`:                   "count: want the type integer",
		`"share": 0`:                     "share: less than 0",
		`"port": "http"`:                 "",
		`"port": 80`:                     "",
		`"port": 1.5`:                    "port: want the type ",
		`"parts": []`:                    "parts: fewer than 1 elements",
		`"parts": [{}]`:                  "parts[0].name: is required",
		`"parts": [{"name": "a"}, {"name": "a"}]`: "parts: element 1 is there already",
		`"tags": ["a", "a"]`:                      "tags: element 1 is there already",
		`"union": {}`:                             "union: 0 of its alternatives apply, want one",
		`"union": {"a": 1, "b": 1}`:               "union: 2 of its alternatives apply, want one",
		`"template": {"kind": "Pod"}`:             "template.apiVersion: is required",
	} {
		object := objectOf(t, `{"size": "small", `+members+`}`)
		got := ""
		if problems := s.Validate(object); problems != nil {
			got = problems[0].Error()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", members, got, want)
		}
	}
}

// TestRepair makes an object valid that breaks most rules. Valid members stay.
func TestRepair(t *testing.T) {
	s := schemaOf(t)
	for seed := range uint64(20) {
		object := objectOf(t, `{"name": "a name that is long", "version": "text", "when": "text", "secret": "?", "count": 100, "share": -1, "port": "text",
			"parts": [{"name": "a", "note": "text"}, {"name": "a"}, {"name": "b"}], "tags": ["a", "a"], "union": {"a": 1, "b": 1}, "template": {}}`)
		s.Repair(object, rand.New(rand.NewPCG(seed, 1)))
		if problems := s.Validate(object); problems != nil {
			t.Fatalf("seed %d: %v of %v", seed, problems, object)
		}
		for name, want := range map[string]string{"name": "a nam", "count": "9", "port": "text", "tags": "[a]", "parts": "[map[name:a] map[name:b]]"} {
			if got := fmt.Sprint(object[name]); got != want {
				t.Errorf("%s is %s, want %s", name, got, want)
			}
		}
		if _, ok := object["template"]; ok {
			t.Error("template stays, though it is refused")
		}
	}
}

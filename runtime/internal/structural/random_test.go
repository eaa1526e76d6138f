// SPDX-License-Identifier: Apache-2.0

package structural

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
)

const randomSchema = `{"type": "object", "required": ["spec"], "properties": {
	"metadata": {"type": "object"},
	"spec": {"type": "object", "required": ["tier"], "properties": {
		"tier": {"type": "string", "enum": ["small", "large"]},
		"count": {"type": "integer", "minimum": 3, "maximum": 7},
		"note": {"type": "string", "maxLength": 40},
		"size": {"x-kubernetes-int-or-string": true, "pattern": "^[0-9]+Gi$"},
		"labels": {"type": "object", "additionalProperties": {"type": "string"}},
		"lines": {"type": "array", "maxItems": 4, "x-kubernetes-list-type": "set", "items": {"type": "string"}},
		"within": {"type": "object", "properties": {"flag": {"type": "boolean"}, "rest": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}
	}}}}`

// TestRandom checks that random objects are valid, that the densities differ, and that the same seed gives the same
// object.
func TestRandom(t *testing.T) {
	var s Schema
	if err := json.Unmarshal([]byte(randomSchema), &s); err != nil {
		t.Fatal(err)
	}
	members := map[Density]int{}
	for _, density := range Densities() {
		for seed := range uint64(50) {
			object := s.Random(rand.New(rand.NewPCG(seed, 0)), density)
			if again := s.Random(rand.New(rand.NewPCG(seed, 0)), density); fmt.Sprint(again) != fmt.Sprint(object) {
				t.Errorf("the seed %d gives %v and %v", seed, object, again)
			}
			spec, _ := object["spec"].(map[string]any)
			members[density] += len(spec)
			object["metadata"] = map[string]any{}
			if problems := s.Validate(object); len(problems) > 0 {
				t.Errorf("%v: %v", object, problems)
			}
			note, _ := spec["note"].(string)
			lines, _ := spec["lines"].([]any)
			if density == Limits && (len(note) != 40 || len(lines) != 4) {
				t.Errorf("%v is not at the limits", object)
			}
		}
	}
	if members[Least] != 50 || members[Sparse] <= members[Least] || members[Half] <= members[Sparse] || members[Full] != 50*len(s.Properties["spec"].Properties) {
		t.Errorf("numbers of members by density: %v", members)
	}
}

// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"slices"
	"testing"
)

// TestPlanOfItself prepares the schemas of types inside themselves, by a member and by the elements of a list.
func TestPlanOfItself(t *testing.T) {
	none := &plan{}
	none.elements = none
	tree := Schema{Members: map[string]Schema{"name": {Limits: Limits{MaxLength: 5}}}}
	tree.Members["child"] = tree
	root, _ := planOf(tree, none, false)
	below := root.member("child").member("child").member("name")
	if below.Limits.MaxLength != 5 {
		t.Errorf("the name of a child's child has the limits %v", below.Limits)
	}
	list := Schema{Keys: []string{"name"}, Elements: &Schema{Members: map[string]Schema{}}}
	list.Elements.Members["list"] = list
	root, _ = planOf(list, none, true)
	below = root.elements.member("list").elements.member("list")
	if !slices.Equal(below.key.keys, list.Keys) {
		t.Errorf("a list inside the list's elements has the keys %v", below.key.keys)
	}
}

// TestKeysOfSteps reads steps of paths in an annotation. They have the keys of the schema, each once and with a value
// that is no object or list.
func TestKeysOfSteps(t *testing.T) {
	byName := step{keys: []string{"name", "port.number"}}
	for text, want := range map[string]bool{
		`{"name":"a","port.number":1}`: true, `{"port.number":null,"name":"a"}`: true,
		`{"name":"a"}`: false, `{}`: false, `[]`: false, `null`: false,
		`{"name":"a","port.number":1,"other":2}`: false, `{"other":2,"name":"a","port.number":1}`: false,
		`{"name":"a","name":"b","port.number":1}`: false, `{"name":{},"port.number":1}`: false, `{"name":"a","port.number":[1]}`: false,
	} {
		if _, got := byName.read([]byte(text), nil); got != want {
			t.Errorf("%s: got %t, want %t", text, got, want)
		}
	}
	if _, ok := (step{}).read([]byte(`{}`), nil); ok {
		t.Error("a list without keys has a step")
	}
}

// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// TestSchema checks the stash's schema of each side: keys of lists, and fields that may be lost.
func TestSchema(t *testing.T) {
	spec := func(members map[string]*Schema) *Schema {
		return &Schema{Members: map[string]*Schema{"spec": {Members: members}}}
	}
	gone := &Schema{Dropped: true}
	node := &Schema{Name: "node"}
	again := &Schema{Same: node}
	node.Members = map[string]*Schema{"next": {Keys: []string{"name"}, Elements: again}}
	nested := spec(map[string]*Schema{"a": {Same: node}})
	keyed := "// +listType=map\n// +listMapKey=name\n// +listMapKey=port\nA []Part `a`"
	for _, tc := range []struct {
		name, spoke, hub string
		wantSpoke        *Schema
		wantHub          *Schema
	}{
		{"nothing to know", "type Spec struct {\nA []string `a`\n}", "type Spec struct {\nA []string `a`\n}", &Schema{}, &Schema{}},
		{"keys of a list",
			"type Spec struct {\n" + keyed + "\n}\ntype Part struct {\nName string `name`\nPort int32 `port`\n}",
			"type Spec struct {\nA []Part `a`\n}\ntype Part struct {\nName string `name`\nPort int32 `port`\n}",
			spec(map[string]*Schema{"a": {Keys: []string{"name", "port"}}}), spec(map[string]*Schema{"a": {Keys: []string{"name", "port"}}})},
		{"a key that only one side has",
			"type Spec struct {\n" + keyed + "\n}\ntype Part struct {\nName string `name`\n// +webhook:conversion:stash\nPort int32 `port`\n}",
			"type Spec struct {\nA []Part `a`\n}\ntype Part struct {\nName string `name`\n}",
			spec(map[string]*Schema{"a": {Keys: []string{"name"}}}), spec(map[string]*Schema{"a": {Keys: []string{"name"}}})},
		{"the only key, which only one side has",
			"type Spec struct {\n// +listMapKey=name\nA []Part `a`\n}\ntype Part struct {\n// +webhook:conversion:stash\nName string `name`\nPort int32 `port`\n}",
			"type Spec struct {\nA []Part `a`\n}\ntype Part struct {\nPort int32 `port`\n}",
			&Schema{}, &Schema{}},
		{"a drop in an element",
			"type Spec struct {\nA []Part `a`\n}\ntype Part struct {\n// +webhook:conversion:drop=\"why\"\nGone string `gone`\n}",
			"type Spec struct {\nA []Part `a`\n}\ntype Part struct {\n}",
			spec(map[string]*Schema{"a": {Elements: &Schema{Members: map[string]*Schema{"gone": gone}}}}), &Schema{}},
		{"a drop in a map's value",
			"type Spec struct {\nA map[string]*Part `a`\n}\ntype Part struct {\n// +webhook:conversion:drop=\"why\"\nGone string `gone`\n}",
			"type Spec struct {\nA map[string]*Part `a`\n}\ntype Part struct {\n}",
			spec(map[string]*Schema{"a": {Elements: &Schema{Members: map[string]*Schema{"gone": gone}}}}), &Schema{}},
		{"a drop of the hub's",
			"// +webhook:conversion:drop(hub: \"b;in.c\")=\"why\"\ntype Spec struct {\n}",
			"type Spec struct {\nB string `b`\nIn In `in`\n}\ntype In struct {\nC string `c`\n}",
			&Schema{}, spec(map[string]*Schema{"b": gone, "in": {Members: map[string]*Schema{"c": gone}}})},
		{"a list that has moved",
			"type Spec struct {\n// +webhook:conversion:to=\"in.parts\"\nA []Part `a`\n}\ntype Part struct {\nName string `name`\n}",
			"type Spec struct {\nIn *In `in`\n}\ntype In struct {\n// +listMapKey=name\nParts []Part `parts`\n}\ntype Part struct {\nName string `name`\n}",
			spec(map[string]*Schema{"a": {Keys: []string{"name"}}}), spec(map[string]*Schema{"in": {Members: map[string]*Schema{"parts": {Keys: []string{"name"}}}}})},
		{"a struct of which only a part has moved",
			"type Spec struct {\n// +webhook:conversion:to=\"in.a\"\nA string `a`\n// +webhook:conversion:to=\"all.b\"\nB string `b`\n}",
			"type Spec struct {\nIn *In `in`\nAll *All `all`\n}\ntype In struct {\nA string `a`\nC string `c`\n}\ntype All struct {\nB string `b`\n}",
			&Schema{}, spec(map[string]*Schema{"in": {Scattered: true}})},
		{"a struct inside itself",
			"type Spec struct {\nA *Node `a`\n}\ntype Node struct {\n// +listMapKey=name\nNext []Node `next`\nName string `name`\n}",
			"type Spec struct {\nA *Node `a`\n}\ntype Node struct {\nNext []Node `next`\nName string `name`\n}",
			nested, nested},
		{"a struct inside itself of which there is nothing to know",
			"type Spec struct {\nA *Node `a`\n}\ntype Node struct {\nNext []Node `next`\n}",
			"type Spec struct {\nA *Node `a`\n}\ntype Node struct {\nNext []Node `next`\n}",
			&Schema{}, &Schema{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, diags := plan(t, tc.spoke, tc.hub)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if diff := cmp.Diff(sides.New(tc.wantSpoke, tc.wantHub), p.Schemas); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestKept names the fields that need the annotation, by paths from the kind.
func TestKept(t *testing.T) {
	p, diags := plan(t, `type Spec struct {
	// +webhook:conversion:stash
	Only string `+"`only`"+`
	Parts []Part `+"`parts`"+`
	ByName map[string]Part `+"`byName`"+`
	// +webhook:conversion:custom
	Own string `+"`own`"+`
	// +webhook:conversion:drop="why"
	Gone string `+"`gone`"+`
	Node *Node `+"`node`"+`
}
type Part struct {
	Name string `+"`name`"+`
	// +webhook:conversion:stash
	Note string `+"`note`"+`
}
type Node struct {
	Next *Node `+"`next`"+`
	// +webhook:conversion:stash
	Note string `+"`note`"+`
}`, `type Spec struct {
	Parts []Part `+"`parts`"+`
	ByName map[string]Part `+"`byName`"+`
	Own int32 `+"`own`"+`
	Hub string `+"`hub`"+`
	Node *Node `+"`node`"+`
}
type Part struct {
	Name string `+"`name`"+`
}
type Node struct {
	Next *Node `+"`next`"+`
}`)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	if want := []string{"spec.byName", "spec.hub", "spec.node.next", "spec.node.note", "spec.only", "spec.parts.note"}; !slices.Equal(p.Kept(), want) {
		t.Errorf("got  %q\nwant %q", p.Kept(), want)
	}
}

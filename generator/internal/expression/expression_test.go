// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// TestPathOf spells random paths in all ways: with dots, brackets, optional fields, blanks and comments.
func TestPathOf(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	names := []string{"object", "spec", "containers", "a-b", "x.y", `"`, "in", "", "é"}
	blanks := []string{"", " ", "\n", " // .other\n"}
	for range 5000 {
		want := Path{"object"}
		text := want[0]
		for range 1 + r.IntN(5) {
			name := names[r.IntN(len(names))]
			want = append(want, name)
			blank := blanks[r.IntN(len(blanks))]
			switch isPlain := slices.Contains(names[:3], name); {
			case isPlain && r.IntN(2) == 0:
				text += blank + "." + blank + name
			case isPlain && r.IntN(2) == 0:
				text += blank + ".?" + blank + name
			case r.IntN(2) == 0:
				text += blank + "[?" + strconv.Quote(name) + blank + "]"
			default:
				text += "[" + blank + strconv.Quote(name) + blank + "]"
			}
		}
		tree, ok := Parse(text)
		if !ok {
			t.Fatalf("%q is not CEL", text)
		}
		if got, isWhole := PathOf(tree.Expr()); !isWhole || !slices.Equal(got, want) {
			t.Fatalf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestPaths(t *testing.T) {
	for text, want := range map[string][]Path{
		"1 + 2": nil,
		`object.spec.items[0].name == "object.spec.other"`: {{"name"}, {"object", "spec", "items"}, {"object", "spec"}, {"object"}},
		"has(a.b) && c.all(d, d.e)":                        {{"a", "b"}, {"a"}, {"c"}, {"d"}, {"d", "e"}, {"d"}},
	} {
		tree, ok := Parse(text)
		if !ok {
			t.Fatalf("%q is not CEL", text)
		}
		if got := Paths(tree); !slices.EqualFunc(got, want, slices.Equal[Path]) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if _, ok := Parse("a ||"); ok {
		t.Error("half an expression is CEL")
	}
}

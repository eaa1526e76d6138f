// SPDX-License-Identifier: Apache-2.0

package render

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// TestExpressionsAreNotFolded writes random expressions, which must come back, each from one line or a literal block.
func TestExpressionsAreNotFolded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	parts := []string{"a", " ", " ", "object.spec.replicas", "'text'", "\"", "\\", ": ", " #", "<b>", "{{", "\u00e9", "&& ", "\t", "- ", "%", "\n"}
	long := 0
	for i := range 3000 {
		var text strings.Builder
		for range 1 + r.IntN(60) {
			// A literal block has line breaks; other expressions have none.
			text.WriteString(parts[r.IntN(len(parts)-i%2)])
		}
		want := map[string]any{"spec": map[string]any{
			"message": text.String(), "validations": []any{map[string]any{"expression": text.String(), "messageExpression": "expression-0-x"}},
		}}
		written, err := marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := yaml.Unmarshal(written, &got); err != nil {
			t.Fatalf("%v\n%s", err, written)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got)\n%s\n%s", diff, written)
		}
		_, after, _ := strings.Cut(string(written), "- expression: ")
		first, rest, _ := strings.Cut(after, "\n")
		if !strings.HasPrefix(first, "|") && !strings.HasPrefix(rest, "    messageExpression: ") {
			t.Fatalf("an expression is folded:\n%s", written)
		}
		if len(first) > 200 {
			long++
		}
	}
	if long < 100 {
		t.Errorf("%d expressions are long", long)
	}
}

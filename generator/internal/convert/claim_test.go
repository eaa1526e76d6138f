// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// claims prints the claims of a pair, one on each line: the paths of both sides and the rule.
func claims(p *Pair) string {
	var b strings.Builder
	for _, c := range p.Claims {
		by := string(c.Verb)
		if by == "" {
			by = "name"
		}
		fmt.Fprintf(&b, "%s <> %s by %s\n", c.Spoke, c.Hub, by)
	}
	return b.String()
}

// TestNestedRules checks which rule claims which field when rules on enclosing structs also claim fields.
func TestNestedRules(t *testing.T) {
	for _, tc := range []struct{ name, spoke, hub, want string }{
		{"out of a struct that stays",
			"// +webhook:conversion:to(field: \"in.a\", path: \"a\")\ntype Spec struct {\nIn In `in`\n}\ntype In struct {\nA string `a`\nB string `b`\n}",
			"type Spec struct {\nA string `a`\nIn In `in`\n}\ntype In struct {\nB string `b`\n}",
			"in <> in by name\nin.a <> a by to\n"},
		{"out of a struct that stays, of which a rule is about all the rest",
			"// +webhook:conversion:to(field: \"in.a\", path: \"a\")\ntype Spec struct {\nIn In `in`\n}\n// +webhook:conversion:stash(field: \"*\")\ntype In struct {\nA string `a`\nB string `b`\n}",
			"type Spec struct {\nA string `a`\nIn In `in`\n}\ntype In struct {\nC string `c`\n}",
			"in <> in by name\nin.a <> a by to\n"},
		{"into a struct that the spoke has, too",
			"type Spec struct {\n// +webhook:conversion:to=\"in.a\"\nA string `a`\nIn In `in`\n}\ntype In struct {\nB string `b`\n}",
			"type Spec struct {\nIn In `in`\n}\ntype In struct {\nA string `a`\nB string `b`\n}",
			"in <> in by name\na <> in.a by to\n"},
		{"all of a struct, in parts",
			"// +webhook:conversion:to(field: \"in.a\", path: \"a\")\n// +webhook:conversion:to(field: \"in.b\", path: \"b\")\ntype Spec struct {\nIn *In `in`\n}\ntype In struct {\nA string `a`\nB string `b`\n}",
			"type Spec struct {\nA string `a`\nB string `b`\n}",
			"in.a <> a by to\nin.b <> b by to\n"},
		{"fields of a new struct that nothing fills",
			"type Spec struct {\n// +webhook:conversion:to=\"in.a\"\nA string `a`\n}",
			"type Spec struct {\nIn In `in`\n}\ntype In struct {\nA string `a`\nB string `b`\n}",
			"a <> in.a by to\n <> in.b by stash\n"},
		{"several fields of the hub by one custom rule",
			"type Spec struct {\n// +webhook:conversion:custom(hub: \"b;c\")\nA string `a`\n}",
			"type Spec struct {\nB string `b`\nC string `c`\n}",
			"a <> b by custom\n"},
		{"two that change places",
			"type Spec struct {\n// +webhook:conversion:to=\"b\"\nA string `a`\n// +webhook:conversion:to=\"a\"\nB string `b`\n}",
			"type Spec struct {\nA string `a`\nB string `b`\n}",
			"a <> b by to\nb <> a by to\n"},
		{"the same name but not the same thing",
			"type Spec struct {\n// +webhook:conversion:stash\nA string `a`\n}",
			"type Spec struct {\nA int32 `a`\n}",
			"a <>  by stash\n <> a by stash\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, diags := plan(t, tc.spoke, tc.hub)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			var got string
			for _, c := range p.Root.Claims {
				if c.Spoke.String() == "spec" {
					got = claims(c.Value.Pair())
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestErrorTree checks that both fields are shown one above the other, with their paths.
func TestErrorTree(t *testing.T) {
	for _, tc := range []struct{ name, spoke, hub, want string }{
		{"two types",
			"type Spec struct {\nIn In `in`\n}\ntype In struct {\nA []string `a`\n}", "type Spec struct {\nIn In `in`\n}\ntype In struct {\nA bool `a`\n}",
			"v1: Order.spec.in.a  []string\n        |     |    |  |\n    v2: Order.spec.in.a  bool\n"},
		{"another name",
			"type Spec struct {\n// +webhook:conversion:to=\"longer\"\nA int32 `a`\n}", "type Spec struct {\nLonger string `longer`\n}",
			"v1: Order.spec.a       int32\n        |     |    |\n    v2: Order.spec.longer  string\n"},
		{"no field",
			"type Spec struct {\nA int32 `a`\n}", "type Spec struct {\n}",
			"v1: Order.spec.a  int32\n        |     |\n    v2: Order.spec    (nothing)\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, diags := plan(t, tc.spoke, tc.hub)
			if len(diags) != 1 {
				t.Fatalf("%d findings: %v", len(diags), diags)
			}
			if hint := diags[0].Hint; !strings.HasPrefix(hint, tc.want) {
				t.Errorf("got\n%s\nwant\n%s", hint, tc.want)
			}
		})
	}
}

// SPDX-License-Identifier: Apache-2.0

package kubebuilder

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPlacement puts a marker in every kind of place. In the sources, @x is short for a marker x. hack/peers compares
// the results for all these places with controller-gen.
func TestPlacement(t *testing.T) {
	for _, test := range []struct {
		name, src string
		taken     string // names, in order
		reported  []string
	}{
		{"above the package clause", "// @a\n\n// Doc.\n// @b\npackage p // @c", "a b c", nil},
		{"at the end", "package p\n\n// @a", "a", nil},
		{"in a block", "package p\n\n/* @a */\n\n/*\n * @b\n*/", "", []string{
			"3:4 K2 controller-gen does not read markers in /* */ comments",
			"6:4 K2 controller-gen does not read markers in /* */ comments",
		}},
		{"without and with many blanks", "package p\n\n//@a\n//   @b\n//\t@c", "a b c", nil},
		{"in text", "package p\n\n// see @a\n// @b\n// more", "b", nil},
		{"around an import", "package p\n\n// @a\n\n// @b\nimport \"fmt\" // @c\n// @d", "a d", []string{
			"5:4 K1 controller-gen drops this marker, because it is in the doc comment of the import declaration",
			"6:17 K1 controller-gen drops this marker, because it is behind a declaration",
		}},
		{"around a func", "package p\n\n// @a\n\n// @b\nfunc f() {\n\t// @c\n} // @d\n", "a d", []string{
			"5:4 K1 controller-gen drops this marker, because it is in the doc comment of func f",
			"7:5 K1 controller-gen drops this marker, because it is inside func f",
		}},
		{"around a var", "package p\n\n// @a\nvar x = 1 // @b\n\nvar y = func() {\n\t// @c\n} // @d\n", "", []string{
			"3:4 K1 controller-gen drops this marker, because it is in the doc comment of var x",
			"4:14 K1 controller-gen drops this marker, because it is behind a declaration",
			"7:5 K1 controller-gen drops this marker, because it is inside var y",
			"8:6 K1 controller-gen drops this marker, because it is behind a declaration",
		}},
		{"in a group", "package p\n\nconst (\n\t// @a\n\n\tx = 1 // @b\n\t// @c\n) // @d\n", "d", []string{
			"4:5 K1 controller-gen drops this marker, because it is inside the const declaration",
			"6:11 K1 controller-gen drops this marker, because it is behind a declaration",
			"7:5 K1 controller-gen drops this marker, because it is inside the const declaration",
		}},
		{"around a type", "package p\n\n// @a\n\n// @b\n\n// @c\ntype A struct {\n\t// @d\n\tB int // @e\n} // @f\n// @g\n", "a g b", []string{
			"7:4 K1 controller-gen drops this marker, because it is in the doc comment of type A",
			"9:5 K1 controller-gen drops this marker, because it is inside type A",
			"10:11 K1 controller-gen drops this marker, because it is inside type A",
			"11:6 K1 controller-gen drops this marker, because it is behind a declaration",
		}},
		{"in a group of types", "package p\n\n// @a\n\n// @b\ntype (\n\t// @c\n\n\t// @d\n\n\t// @e\n\tA int // @f\n\tB int\n\n\t// @g\n\n\t/* block */\n\n\tC int\n\t// @h\n)\n", "a d", []string{
			"5:4 K1 controller-gen drops this marker, because it is in the doc comment of the type declaration",
			"7:5 K1 controller-gen drops this marker, because it is inside the type declaration",
			"11:5 K1 controller-gen drops this marker, because it is in the doc comment of type A",
			"12:11 K1 controller-gen drops this marker, because it is behind a declaration",
			"15:5 K1 controller-gen drops this marker, because it is inside the type declaration",
			"20:5 K1 controller-gen drops this marker, because it is inside the type declaration",
		}},
		{"in a group of types in a func", "package p\n\nfunc f() {\n\t// @a\n\n\ttype (\n\t\t// @b\n\n\t\tA int\n\t)\n}\n", "b", []string{
			"4:5 K1 controller-gen drops this marker, because it is inside func f",
		}},
		{"behind the keyword", "package p\n\ntype\n// @a\n\n// @b\n\nA int\n", "b", []string{
			"4:4 K1 controller-gen drops this marker, because it is inside type A",
		}},
		{"an example", "package p\n\n// A is used with\n//\n//\t@a\ntype A int\n", "", nil},
		{"misspelt", "package p\n\n// +kubebuilder:webhok:name=a\n// +kubebuilder:webhookconfig:name=a\n// +kubebuilder:webhook:name\n// +kubebulder:webhook:name=a\n// +kubebuilder:object:root=true\n// +webhook:name=a\n//\t+kubebuilder:webhok:name=a\n", "", []string{
			"3:4 K3 controller-gen does not know this marker, so that it has no effect",
			"4:4 K3 controller-gen does not know this marker, so that it has no effect",
			"5:4 K3 controller-gen does not know this marker, so that it has no effect",
			"6:4 K3 controller-gen does not know this marker, so that it has no effect",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			src := strings.ReplaceAll(test.src, "@", "+kubebuilder:webhook:name=")
			_, loaded := packages(t, "-- p.go --\n"+src)
			if len(loaded) != 1 || len(loaded[0].Files) != 1 {
				t.Fatal("not one file")
			}
			taken, stray := commentsOf(loaded[0].Files[0])
			var names []string
			for _, c := range taken {
				d, from, _ := identify(c.text)
				names = append(names, parse(d, c.text, from).arguments["name"].text)
			}
			if got := strings.Join(names, " "); got != test.taken {
				t.Errorf("taken %q, wanted %q", got, test.taken)
			}
			var reported []string
			for _, d := range stray {
				reported = append(reported, fmt.Sprintf("%d:%d %s %s", d.Pos.Line, d.Pos.Column, d.Rule, d.Message))
			}
			if diff := cmp.Diff(test.reported, reported); diff != "" {
				t.Errorf("reported (-want +got)\n%s", diff)
			}
		})
	}
}

func TestMisspelt(t *testing.T) {
	for marker, want := range map[string]string{
		"+kubebuilder:webhok:a=b":              "kubebuilder:webhook",
		"+kubebuilder:wehbook":                 "kubebuilder:webhook",
		"+kubebuilder:webhooks:a=b":            "kubebuilder:webhook",
		"+Kubebuilder:Webhook:a=b":             "kubebuilder:webhook",
		"+kubebuilder:webhook":                 "kubebuilder:webhook",
		"+kubebuilder:webhookconfig:a=b":       "kubebuilder:webhookconfiguration",
		"+kubebuilder:webhookConfiguration":    "kubebuilder:webhookconfiguration",
		"+kubebuilder:object:root=true":        "",
		"+kubebuilder:rbac:groups=a":           "",
		"+kubebuilder:scaffold:webhook":        "",
		"+kubebuilder:resource:path=webhooks":  "",
		"+kubebuilder:validation:MinLength=1":  "",
		"+kubebuilder":                         "",
		"+":                                    "",
		"+webhook:mutating(operations: \"x\")": "",
		"+k8s:webhook:a=b":                     "",
	} {
		if got, ok := misspelt(marker); ok != (want != "") || ok && got != want {
			t.Errorf("%s: %q, wanted %q", marker, got, want)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/registry"
	"github.com/webhook-gen/webhook-gen/generator/internal/semantics"
)

// plan plans the conversion of a kind Order whose versions have these fields in their struct Spec. The sources may also
// declare other types, and may use the packages metav1, resource and intstr.
func plan(t *testing.T, spoke, hub string) (*Plan, diag.List) {
	t.Helper()
	dir := t.TempDir()
	sums, err := os.ReadFile(filepath.Join("..", "..", "..", "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"go.mod":          "module example.com/app\n\ngo 1.26.0\n\nrequire k8s.io/apimachinery v0.37.2\n",
		"go.sum":          string(sums),
		"api/v1/order.go": source("v1", "spoke", spoke),
		"api/v2/order.go": source("v2", "hub", hub),
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	loaded, diags := load.Load(t.Context(), load.Config{Dir: dir, Patterns: []string{"./..."}, Markers: []string{"+" + registry.Prefix}})
	project, found := semantics.Project(t.Context(), loaded.Module, loaded.Packages, nil, semantics.Options{API: "v1", Conversions: "internal/webhook"})
	diags.Add(found...)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	packages, found := Project(t.Context(), loaded.Module, project)
	if len(packages) != 1 || len(packages[0].Plans) != 1 {
		t.Fatal("no plan", found)
	}
	return packages[0].Plans[0], found
}

func source(version, role, spec string) string {
	return `// +groupName=example.com
package ` + version + `

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// +webhook:conversion:` + role + `
type Order struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	Spec Spec ` + "`json:\"spec,omitempty\"`" + `
}

` + tagged(spec) + "\n"
}

// tagged writes struct tags in full: `name!` is a field that JSON always writes, and `name` is a field that JSON omits
// if empty.
func tagged(source string) string {
	var out []string
	for line := range strings.Lines(source) {
		before, after, ok := strings.Cut(line, "`")
		if name, end, closed := strings.Cut(after, "`"); ok && closed && !strings.Contains(name, ":") {
			options := ",omitempty"
			if always, cut := strings.CutSuffix(name, "!"); cut {
				name, options = always, ""
			}
			line = before + "`json:\"" + name + options + "\"`" + end
		}
		out = append(out, line)
	}
	return strings.Join(out, "")
}

// fieldOf returns the claim on a field of the spoke's Spec, or of the hub's if only the hub has the field.
func fieldOf(t *testing.T, p *Plan, name string) *Claim {
	t.Helper()
	for _, root := range p.Root.Claims {
		if root.Spoke == nil || root.Spoke.String() != "spec" || root.Value == nil {
			continue
		}
		for _, c := range root.Value.Pair().Claims {
			if c.Spoke != nil && c.Spoke.String() == name || c.Spoke == nil && c.Hub.String() == name {
				return c
			}
		}
	}
	t.Fatalf("nothing claims %s", name)
	return nil
}

// TestLoss checks, for each way of converting values, the loss in each direction.
func TestLoss(t *testing.T) {
	for _, tc := range []struct {
		name, spoke, hub string
		toHub, fromHub   string
	}{
		{"the same", "A string `a`", "A string `a`", "", ""},
		{"pointers", "A *int32 `a`", "A *int32 `a`", "", ""},
		{"a named type", "A Name `a`\n}\ntype Name string\ntype More struct {", "A string `a`", "", ""},
		{"another width", "A int32 `a`", "A int64 `a`", "", ""},
		{"a list that is always written", "A []string `a!`", "A []string `a`", "whether it was nil or empty", ""},
		{"a map that is always written", "A map[string]string `a`", "A map[string]string `a!`", "", "whether it was nil or empty"},
		{"optional", "// +webhook:conversion:to(as: \"optional\")\nA *int32 `a`", "A int32 `a!`", "whether it was nil or zero", ""},
		{"pointer", "// +webhook:conversion:to(as: \"pointer\")\nA int32 `a!`", "A *int32 `a`", "", "whether it was nil or zero"},
		{"a pointer and a value", "A *string `a`", "A string `a`", "whether it was nil or zero", ""},
		{"not", "// +webhook:conversion:to(path: \"b\", as: \"not\")\nA bool `a`", "B bool `b`", "", ""},
		{"seconds", "// +webhook:conversion:to(as: \"seconds\")\nA metav1.Duration `a`", "A int64 `a`", "parts of a second", ""},
		{"seconds, the other way", "// +webhook:conversion:to(as: \"seconds\")\nA int64 `a`", "A metav1.Duration `a`", "", "parts of a second"},
		{"join", "// +webhook:conversion:to(as: \"join:,\")\nA []string `a`", "A string `a`", "whether it was nil or empty", ""},
		{"join, the other way", "// +webhook:conversion:to(as: \"join:,\")\nA string `a`", "A []string `a`", "", "whether it was nil or empty"},
		{"string of a whole number", "// +webhook:conversion:to(as: \"string\")\nA int32 `a`", "A string `a`", "", "how it was written"},
		{"string of a bool", "// +webhook:conversion:to(as: \"string\")\nA string `a`", "A bool `a`", "how it was written", ""},
		{"string of a quantity", "// +webhook:conversion:to(as: \"string\")\nA resource.Quantity `a`", "A string `a`", "whether it was zero or absent", "how it was written"},
		{"string of a duration", "// +webhook:conversion:to(as: \"string\")\nA metav1.Duration `a`", "A string `a`", "whether it was zero or absent", "how it was written"},
		{"string of a number or text", "// +webhook:conversion:to(as: \"string\")\nA intstr.IntOrString `a`", "A string `a`", "whether it was a number", "how it was written"},
		{"first", "// +webhook:conversion:to(as: \"first\")\nA []string `a`", "A string `a`", "all elements but the first", ""},
		{"first, the other way", "// +webhook:conversion:to(as: \"first\")\nA string `a`", "A []string `a`", "", "all elements but the first"},
		{"wrap", "// +webhook:conversion:to(as: \"wrap:name\")\nA string `a`", "A Ref `a`\n}\ntype Ref struct {\nName string `name`", "", ""},
		{"wrap beside other members", "// +webhook:conversion:to(as: \"wrap:name\")\nA string `a`", "A Ref `a`\n}\ntype Ref struct {\nName string `name`\nKey string `key`", "", "all members but name"},
		{"each", "// +webhook:conversion:to(as: \"each;string\")\nA []int32 `a`", "A []string `a`", "", "how it was written"},
		{"an enum's values", "// +webhook:conversion:enum(from: \"a\", to: \"A\")\nA string `a`", "A string `a`", "which of several values it was", "which of several values it was"},
		{"all of an enum's values", "// +webhook:conversion:enum(from: \"a\", to: \"b\")\n// +webhook:conversion:enum(from: \"b\", to: \"a\")\nA string `a`", "A string `a`", "", ""},
		{"two values that become one", "// +webhook:conversion:enum(from: \"a\", to: \"a\")\n// +webhook:conversion:enum(from: \"b\", to: \"a\")\nA string `a`", "A string `a`", "which of several values it was", "which of several values it was"},
		{"stash", "// +webhook:conversion:stash\nA string `a`", "", "all of it", ""},
		{"drop", "// +webhook:conversion:drop=\"why\"\nA string `a`", "", "", ""},
		{"custom", "// +webhook:conversion:custom\nA string `a`", "A int32 `a`", "what your functions lose", "what your functions lose"},
		{"only in the hub", "", "A string `a`", "", "all of it"},
		{"parts of a struct", "A Part `a`\n}\ntype Part struct {\nB string `b`", "A Part `a`\n}\ntype Part struct {\nB string `b`\nC string `c`", "", "parts of it"},
		{"out of a pointer's struct", "// +webhook:conversion:to=\"in.b\"\nA string `a`", "In *In `in`\n}\ntype In struct {\nB string `b`", "", "whether the struct around it was nil or empty"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, diags := plan(t, "type Spec struct {\n"+tc.spoke+"\n}", "type Spec struct {\n"+tc.hub+"\n}")
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			c := fieldOf(t, p, "a")
			if c.Loss(ToHub) != tc.toHub || c.Loss(FromHub) != tc.fromHub {
				t.Errorf("lost to the hub %q, want %q\nlost from the hub %q, want %q", c.Loss(ToHub), tc.toHub, c.Loss(FromHub), tc.fromHub)
			}
			if p.Lossy(ToHub) != (tc.toHub != "") || p.Lossy(FromHub) != (tc.fromHub != "") {
				t.Errorf("a stash is needed: %t, %t", p.Lossy(ToHub), p.Lossy(FromHub))
			}
		})
	}
}

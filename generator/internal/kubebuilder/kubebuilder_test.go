// SPDX-License-Identifier: Apache-2.0

package kubebuilder

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// some has the arguments that a webhook needs besides name, path and mutating.
const some = "failurePolicy=fail,sideEffects=None,groups=g,resources=r,verbs=create,versions=v1,admissionReviewVersions=v1"

// packages loads an archive as a module. $SOME in it is replaced by some.
func packages(t testing.TB, archive string) (dir string, loaded []*load.Package) {
	t.Helper()
	t.Setenv("GOENV", "off")
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	files := txtar.Parse([]byte(strings.ReplaceAll(archive, "$SOME", some))).Files
	for _, f := range append(files, txtar.File{Name: "go.mod", Data: []byte("module example.com/m\n")}) {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	result, problems := load.Load(context.Background(), load.Config{Dir: dir, Markers: []string{"+kubebuilder"}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return dir, result.Packages
}

// read reads the markers of an archive and prints the diagnostics: the line, the text in the range, the rule and the
// message.
func read(t testing.TB, archive string) ([]Webhook, []Configuration, []string) {
	t.Helper()
	dir, loaded := packages(t, archive)
	webhooks, configurations, diags := Read(loaded)
	var lines []string
	for _, d := range diags {
		file, err := filepath.Rel(dir, d.Pos.File)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("%s:%d <%s> %s %s", filepath.ToSlash(file), d.Pos.Line, textAt(t, d.Range), d.Rule, d.Message))
	}
	return webhooks, configurations, lines
}

// textAt returns the text of a source line in a range.
func textAt(t testing.TB, at diag.Range) string {
	t.Helper()
	src, err := os.ReadFile(at.Pos.File)
	if err != nil || at.Pos.Line != at.End.Line {
		t.Fatalf("no text at %v: %v", at, err)
	}
	return strings.Split(string(src), "\n")[at.Pos.Line-1][at.Pos.Column-1 : at.End.Column-1]
}

func namesOf(webhooks []Webhook) (names []string) {
	for _, w := range webhooks {
		names = append(names, w.Spec.Name+strings.TrimPrefix(*w.Spec.ClientConfig.Service.Path, "/p"))
	}
	return names
}

func TestReadOrder(t *testing.T) {
	for _, test := range []struct {
		name, archive        string
		read                 []string // by Read
		mutating, validating []string // by Order
	}{
		{
			name: "by name in each package, then over all",
			archive: `
-- a/a.go --
package a
// +kubebuilder:webhook:$SOME,path=/p,mutating=true,name=c
// +kubebuilder:webhook:$SOME,path=/p,name=b,mutating=false
// +kubebuilder:webhook:$SOME,path=/p,mutating=true,name=B
-- b/b.go --
package b
// +kubebuilder:webhook:$SOME,path=/p,mutating=true,name=a
`,
			read: []string{"B", "b", "c", "a"}, mutating: []string{"B", "a", "c"}, validating: []string{"b"},
		},
		{
			name: "markers before types come last in their file",
			archive: `
-- a.go --
package a
// +kubebuilder:webhook:$SOME,mutating=true,name=a,path=/p1

// +kubebuilder:webhook:$SOME,mutating=true,name=a,path=/p2

type A struct{}

// +kubebuilder:webhook:$SOME,mutating=true,name=a,path=/p3
-- b.go --
package a
// +kubebuilder:webhook:$SOME,mutating=true,name=a,path=/p4
`,
			read: []string{"a1", "a3", "a2", "a4"}, mutating: []string{"a1", "a3", "a2", "a4"},
		},
		{
			name: "by the name that the marker says before that of the patch",
			archive: "-- a.go --\npackage a\n" +
				"// +kubebuilder:webhook:$SOME,mutating=true,name=b,path=/p1,patch=`{\"name\":\"x\"}`\n" +
				"// +kubebuilder:webhook:$SOME,mutating=true,name=a,path=/p2,patch=`{\"name\":\"x\"}`\n",
			read: []string{"x2", "x1"}, mutating: []string{"x2", "x1"},
		},
		{
			name: "equal names make packages come after those that they import",
			archive: `
-- a/a.go --
package a
import _ "example.com/m/between"
// +kubebuilder:webhook:$SOME,mutating=true,name=x,path=/p1
-- a-b/a.go --
package a
// +kubebuilder:webhook:$SOME,mutating=true,name=x,path=/p2
-- a/b/a.go --
package a
// +kubebuilder:webhook:$SOME,mutating=true,name=x,path=/p3
-- between/between.go --
package between
import ("fmt"; "example.com/m/z")
-- between/between_test.go --
package between
import "example.com/m/y"
-- y/y.go --
package y
// +kubebuilder:webhook:$SOME,mutating=true,name=x,path=/p4
-- z/z.go --
package z
// +kubebuilder:webhook:$SOME,mutating=true,name=x,path=/p5
`,
			read: []string{"x5", "x1", "x3", "x2", "x4"}, mutating: []string{"x5", "x1", "x3", "x2", "x4"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			webhooks, _, problems := read(t, test.archive)
			if len(problems) > 0 {
				t.Error(problems)
			}
			mutating, validating := Order(webhooks, true), Order(webhooks, false)
			if diff := cmp.Diff([][]string{test.read, test.mutating, test.validating}, [][]string{namesOf(webhooks), namesOf(mutating), namesOf(validating)}); diff != "" {
				t.Errorf("order (-want +got)\n%s", diff)
			}
		})
	}
}

func TestConfigurations(t *testing.T) {
	for _, test := range []struct {
		name, archive        string
		mutating, validating string // the objects' names
		problems             []string
	}{
		{
			name:     "one each",
			archive:  "-- a.go --\n// +kubebuilder:webhookconfiguration:mutating=true,name=m\n// +kubebuilder:webhookconfiguration:name=\"v\",mutating=false\npackage a\n",
			mutating: "m", validating: "v",
		},
		{
			name:    "two in a package",
			archive: "-- a.go --\npackage a\n// +kubebuilder:webhookconfiguration:mutating=true,name=m\n-- b.go --\npackage a\n// +kubebuilder:webhookconfiguration:mutating=true,name=m\n",
			problems: []string{
				"b.go:2 <+kubebuilder:webhookconfiguration:mutating=true,name=m> K17 a second +kubebuilder:webhookconfiguration for the mutating webhooks of this package",
			},
			mutating: "m",
		},
		{
			name:    "the last package has the say, also where it says nothing",
			archive: "-- a/a.go --\n// +kubebuilder:webhookconfiguration:mutating=true,name=m\npackage a\n-- b/b.go --\n// +kubebuilder:webhookconfiguration:mutating=true\npackage b\n",
			problems: []string{
				"a/a.go:1 <name=m> K18 another package names the mutating configuration too, and its name is the one taken",
			},
		},
		{
			name: "a package comes after what it imports",
			archive: "-- a/a.go --\n// +kubebuilder:webhookconfiguration:mutating=true,name=a\npackage a\nimport _ \"example.com/m/b\"\n" +
				"-- b/b.go --\n// +kubebuilder:webhookconfiguration:mutating=true,name=b\npackage b\n",
			problems: []string{
				"b/b.go:1 <name=b> K18 another package names the mutating configuration too, and its name is the one taken",
			},
			mutating: "a",
		},
		{
			name:    "arguments",
			archive: "-- a.go --\npackage a\n// +kubebuilder:webhookconfiguration:nmae=x\n",
			problems: []string{
				`a.go:2 <nmae> K5 +kubebuilder:webhookconfiguration has no argument "nmae"`,
				"a.go:2 <+kubebuilder:webhookconfiguration> K6 +kubebuilder:webhookconfiguration needs mutating",
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, configurations, problems := read(t, test.archive)
			if diff := cmp.Diff(test.problems, problems); diff != "" {
				t.Errorf("problems (-want +got)\n%s", diff)
			}
			got := [2]string{NameOf(configurations, true), NameOf(configurations, false)}
			if got != [2]string{test.mutating, test.validating} {
				t.Errorf("names %q", got)
			}
		})
	}
}

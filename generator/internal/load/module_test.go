// SPDX-License-Identifier: Apache-2.0

package load

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLoadModules(t *testing.T) {
	const workspace = `
-- go.work --
go 1.25

use (
	./one
	./two/deep
)
-- one/go.mod --
module example.com/one
-- one/a.go --
package one // +webhook
-- one/sub/a.go --
package sub // +webhook
-- two/deep/go.mod --
module example.com/two
-- two/deep/a.go --
package two // +webhook
-- three/go.mod --
module example.com/three
-- three/a.go --
package three // +webhook
-- loose/a.go --
package loose // +webhook
`
	one := []string{"example.com/one one a.go", "example.com/one/sub sub a.go"}
	two := []string{"example.com/two two a.go"}
	for _, tt := range []struct {
		name     string
		archive  string
		from     string
		work     string
		patterns []string
		module   string
		want     []string
		problems []string
	}{
		{
			name: "no module", archive: "-- a.go --\npackage a // +webhook\n",
			problems: []string{`pattern "./...": there is no go.mod in DIR or above it [L1] (webhook-gen init starts a project; go mod init makes the folder a module)`},
		},
		{
			name: "no module for an import path", archive: "-- a.go --\npackage a // +webhook\n", patterns: []string{"example.com/a"},
			problems: []string{`pattern "example.com/a": there is no go.mod in DIR or above it [L1] (webhook-gen init starts a project; go mod init makes the folder a module)`},
		},
		{
			name: "started outside the module", archive: project, from: "..", patterns: []string{"DIR/api/v1"},
			module: "example.com/shop", want: []string{"example.com/shop/api/v1 v1 item.go order.go"},
		},
		{
			name: "broken go.mod", archive: "-- go.mod --\nmodule example.com/m\n\nrequire x\nfoo bar\n-- a.go --\npackage a // +webhook\n",
			problems: []string{
				"go.mod:3:1: usage: require module/path v1.2.3 [L6]",
				"go.mod:4:1: unknown directive: foo [L6]",
			},
		},
		{
			name: "unparsable go.mod", archive: "-- go.mod --\nmodule example.com/m\n\nrequire ( \"\n-- a.go --\npackage a // +webhook\n",
			problems: []string{"go.mod:3:12: unexpected newline in string [L6]"},
		},
		{
			name: "go.mod without module", archive: "-- go.mod --\ngo 1.25\n-- a.go --\npackage a // +webhook\n",
			problems: []string{"go.mod:0:0: go.mod has no module line [L6] (go mod init writes one)"},
		},
		{
			name: "broken go.mod below", archive: "-- go.mod --\nmodule example.com/m\n-- a.go --\npackage a // +webhook\n-- b/go.mod --\nx\n-- b/b.go --\npackage b // +webhook\n",
			module: "example.com/m", want: []string{"example.com/m a a.go"},
		},
		{
			name: "ignore",
			archive: `
-- go.mod --
module example.com/m

ignore (
	./rooted
	anywhere
	two/parts
)
-- a.go --
package a // +webhook
-- rooted/a.go --
package rooted // +webhook
-- sub/rooted/a.go --
package rooted // +webhook
-- anywhere/a.go --
package anywhere // +webhook
-- sub/anywhere/deep/a.go --
package deep // +webhook
-- sub/two/parts/a.go --
package parts // +webhook
-- sub/two/a.go --
package two // +webhook
-- anywherelse/a.go --
package anywherelse // +webhook
`,
			module: "example.com/m",
			want: []string{
				"example.com/m a a.go", "example.com/m/anywherelse anywherelse a.go",
				"example.com/m/sub/rooted rooted a.go", "example.com/m/sub/two two a.go",
			},
		},
		{
			name: "ignored tree", archive: "-- go.mod --\nmodule example.com/m\n\nignore ./x\n-- x/y/a.go --\npackage y // +webhook\n",
			patterns: []string{"./x/...", "./x/y"}, module: "example.com/m", want: []string{"example.com/m/x/y y a.go"},
			problems: []string{`pattern "./x/..." matches no package: its folder is one that ... leaves out [L2] (name the folders below it)`},
		},
		{name: "workspace", archive: workspace, module: "example.com/one", want: append(one, two...)},
		{name: "workspace, part", archive: workspace, patterns: []string{"./two/..."}, module: "example.com/two", want: two},
		{name: "workspace, pattern within a name", archive: workspace, patterns: []string{"./o..."}, module: "example.com/one", want: one},
		{name: "workspace, from a module", archive: workspace, from: "one/sub", module: "example.com/one", want: one},
		{name: "workspace, import path", archive: workspace, from: "one", patterns: []string{"example.com/two"}, module: "example.com/one", want: two},
		{name: "workspace, import path from the root", archive: workspace, patterns: []string{"example.com/two/..."}, module: "example.com/two", want: two},
		{name: "workspace, all import paths", archive: workspace, from: "two/deep", patterns: []string{"example.com/..."}, module: "example.com/two", want: append(one, two...)},
		{name: "workspace, unused module", archive: workspace, from: "three", module: "example.com/three", want: []string{"example.com/three three a.go"}},
		{
			name: "workspace, loose folder", archive: workspace, patterns: []string{"./loose"},
			problems: []string{`pattern "./loose" matches no package: it covers no module that go.work uses [L2]`},
		},
		{
			name: "GOWORK=off", archive: workspace, work: "off", from: "one", patterns: []string{"example.com/..."},
			module: "example.com/one", want: one,
		},
		{
			name: "GOWORK", archive: workspace + "-- other/my.work --\ngo 1.25\n\nuse ../three\n", work: "DIR/other/my.work",
			from: "three", patterns: []string{"example.com/..."}, module: "example.com/three", want: []string{"example.com/three three a.go"},
		},
		{
			name: "GOWORK names nothing", archive: workspace, work: "DIR/none.work", from: "one", patterns: []string{"./sub"},
			module: "example.com/one", want: one[1:],
			problems: []string{"GOWORK names none.work, which does not exist [L6]"},
		},
		{
			name: "broken go.work", archive: "-- go.work --\ngo 1.25\n\nfoo ./a\n-- a/go.mod --\nmodule example.com/a\n-- a/a.go --\npackage a // +webhook\n",
			from: "a", module: "example.com/a", want: []string{"example.com/a a a.go"},
			problems: []string{"go.work:3:1: unknown directive: foo [L6]"},
		},
		{
			name: "go.work without its module", archive: "-- go.work --\ngo 1.25\n\nuse ./a\nuse ./b\n-- a/go.mod --\nmodule example.com/a\n-- a/a.go --\npackage a // +webhook\n",
			from: "a", module: "example.com/a", want: []string{"example.com/a a a.go"},
			problems: []string{"go.work:4:1: there is no go.mod in b [L6] (GOWORK=off ignores go.work)"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := write(t, tt.archive)
			inDir := func(s string) string {
				return filepath.FromSlash(strings.ReplaceAll(s, "DIR", filepath.ToSlash(dir)))
			}
			t.Setenv("GOWORK", inDir(tt.work))
			var patterns []string
			for _, p := range tt.patterns {
				patterns = append(patterns, inDir(p))
			}
			result, problems := load(filepath.Join(dir, tt.from), patterns...)
			if diff := cmp.Diff(tt.want, describe(result)); diff != "" {
				t.Errorf("packages (-want +got):\n%s", diff)
			}
			var want []string
			for _, p := range tt.problems {
				want = append(want, strings.ReplaceAll(p, "DIR", filepath.ToSlash(dir)))
			}
			if diff := cmp.Diff(want, explain(dir, problems)); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			module := ""
			if result.Module != nil {
				module = result.Module.Path
			}
			if module != tt.module {
				t.Errorf("module %q, want %q", module, tt.module)
			}
		})
	}
}

// TestReplacements moves replace directives from a go.mod to the go.mod of a folder below it.
func TestReplacements(t *testing.T) {
	dir := t.TempDir()
	text := "module example.com/m\n\nreplace (\n\texample.com/a => ./a\n\texample.com/b v1.0.0 => ../b\n\texample.com/c => /src/c\n" +
		"\texample.com/d => example.com/e v1.2.0\n\texample.com/f => ./test/f\n)\n"
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	m, found := (&modules{byDir: map[string]*Module{}}).moduleAt(dir)
	if !found || m == nil {
		t.Fatal("there is no module")
	}
	var got []string
	for _, r := range m.Replacements(filepath.Join(dir, "test")) {
		got = append(got, r.Old.String()+" => "+r.New.String())
	}
	want := []string{
		"example.com/a => ../a", "example.com/b@v1.0.0 => ../../b", "example.com/c => /src/c", "example.com/d => example.com/e@v1.2.0",
		"example.com/f => ./f",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

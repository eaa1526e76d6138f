// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// write writes a txtar archive to a new folder. The test then ignores the machine's settings of the go command.
func write(t testing.TB, archive string) string {
	t.Helper()
	t.Setenv("GOENV", "off")
	t.Setenv("GOWORK", "")
	t.Setenv("GOFLAGS", "")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// load calls Load with the marker "+webhook".
func load(dir string, patterns ...string) (Result, diag.List) {
	return Load(context.Background(), Config{Dir: dir, Patterns: patterns, Markers: []string{"+webhook"}})
}

// describe returns a line for each package in a result: path, name and files.
func describe(r Result) []string {
	var lines []string
	for _, p := range r.Packages {
		line := p.Path + " " + p.Name
		for _, f := range p.Files {
			line += " " + filepath.Base(f.Path)
		}
		lines = append(lines, line)
	}
	return lines
}

// explain returns diagnostics with paths relative to dir.
func explain(dir string, problems diag.List) []string {
	var lines []string
	for _, d := range problems {
		line := ""
		if d.Pos.IsValid() {
			line = fmt.Sprintf("%s:%d:%d: ", d.Pos.File, d.Pos.Line, d.Pos.Column)
		}
		line += d.Message + " [" + d.Rule + "]"
		if d.Hint != "" {
			line += " (" + d.Hint + ")"
		}
		lines = append(lines, filepath.ToSlash(strings.ReplaceAll(line, dir+string(filepath.Separator), "")))
	}
	return lines
}

const project = `
-- go.mod --
module example.com/shop
go 1.25
-- root.go --
package shop // +webhook
-- api/v1/order.go --
package v1

// +webhook:validating
type Order struct{}
-- api/v1/item.go --
package v1

// +webhook:mutating
type Item struct{}
-- api/v1/plain.go --
package v1
this is no Go, and nobody cares
-- api/v1/order_test.go --
package v1 // +webhook
-- api/v2/order.go --
package v2 // +webhook
-- internal/plain/plain.go --
package plain
import "example.com/does/not/exist"
-- docs/readme.txt --
+webhook
-- empty/empty.go --
-- nested/go.mod --
module example.com/nested
-- nested/a.go --
package nested // +webhook
-- nested/sub/a.go --
package sub // +webhook
-- testdata/a.go --
package testdata // +webhook
-- testdata/x/a.go --
package x // +webhook
-- _old/a.go --
package old // +webhook
-- .git/a.go --
package git // +webhook
-- vendor/example.com/dep/a.go --
package dep // +webhook
`

func TestLoadPatterns(t *testing.T) {
	shop := []string{
		"example.com/shop shop root.go",
		"example.com/shop/api/v1 v1 item.go order.go",
		"example.com/shop/api/v2 v2 order.go",
	}
	dir := write(t, project)
	for _, tt := range []struct {
		name     string
		from     string
		patterns []string
		want     []string
		problems []string
	}{
		{name: "none", want: shop},
		{name: "none, from below", from: "api/v1", want: shop},
		{name: "all", patterns: []string{"./..."}, want: shop},
		{name: "from below", from: "api", patterns: []string{"./..."}, want: shop[1:]},
		{name: "upward", from: "api/v1", patterns: []string{"../..."}, want: shop[1:]},
		{name: "folder", patterns: []string{"./api/v1"}, want: shop[1:2]},
		{name: "this folder", from: "api/v1", patterns: []string{"."}, want: shop[1:2]},
		{name: "absolute folder", from: "docs", patterns: []string{filepath.Join(dir, "api", "v1")}, want: shop[1:2]},
		{name: "absolute tree", from: "docs", patterns: []string{filepath.Join(dir, "api", "...")}, want: shop[1:]},
		{name: "wildcard within a name", patterns: []string{"./api/w..."}, problems: []string{
			`pattern "./api/w..." matches no package: there is no Go file [L2] (... leaves out testdata, vendor, folders that begin with . or _, nested modules and what go.mod ignores)`,
		}},
		{name: "wildcard before a name", patterns: []string{"./.../v1"}, want: shop[1:2]},
		{name: "import path", patterns: []string{"example.com/shop/api/v1"}, want: shop[1:2]},
		{name: "import path of the root", from: "api", patterns: []string{"example.com/shop"}, want: shop[:1]},
		{name: "import path tree", from: "api/v1", patterns: []string{"example.com/shop/..."}, want: shop},
		{name: "import path wider than the module", patterns: []string{"example.com/..."}, want: shop},
		{name: "import path with wildcard within", patterns: []string{"example.com/shop/a...2"}, want: shop[2:]},
		{name: "overlapping and shuffled", patterns: []string{"./api/v2", "example.com/shop/api/...", "./...", "./api/v2"}, want: shop},
		{name: "no markers", patterns: []string{"./internal/..."}},
		{name: "empty file", patterns: []string{"./empty"}},
		{name: "nested module by folder", patterns: []string{"./nested"}, want: []string{"example.com/nested nested a.go"}},
		{
			name: "nested module by tree", patterns: []string{"./nested/..."},
			want: []string{"example.com/nested nested a.go", "example.com/nested/sub sub a.go"},
		},
		{name: "testdata by folder", patterns: []string{"./testdata"}, want: []string{"example.com/shop/testdata testdata a.go"}},
		{name: "below testdata", patterns: []string{"./testdata/x/..."}, want: []string{"example.com/shop/testdata/x x a.go"}},
		{name: "within testdata", from: "testdata", patterns: []string{"./..."}, want: []string{
			"example.com/shop/testdata testdata a.go", "example.com/shop/testdata/x x a.go",
		}},
		{name: "testdata by tree", patterns: []string{"./testdata/..."}, problems: []string{
			`pattern "./testdata/..." matches no package: its folder is one that ... leaves out [L2] (name the folders below it)`,
		}},
		{name: "no folder", patterns: []string{"./apis/...", "./api/v2"}, want: shop[2:], problems: []string{
			`pattern "./apis/..." matches no package: there is no folder apis [L2]`,
		}},
		{name: "a file", patterns: []string{"./root.go"}, problems: []string{
			`pattern "./root.go" matches no package: it names a file [L2] (name its folder: .)`,
		}},
		{name: "no Go", patterns: []string{"./docs"}, problems: []string{
			`pattern "./docs" matches no package: there is no Go file [L2]`,
		}},
		{name: "forgotten dot", patterns: []string{"api/v1", "api/..."}, problems: []string{
			`pattern "api/..." matches no package: it is an import path outside example.com/shop [L2] (to name the folder, write ./api/...)`,
			`pattern "api/v1" matches no package: it is an import path outside example.com/shop [L2] (to name the folder, write ./api/v1)`,
		}},
		{name: "foreign import path", patterns: []string{"example.com/nested"}, problems: []string{
			`pattern "example.com/nested" matches no package: it is an import path outside example.com/shop [L2]`,
		}},
		{name: "import path into a nested module", patterns: []string{"example.com/shop/nested"}, problems: []string{
			`pattern "example.com/shop/nested" matches no package: it is an import path outside example.com/shop [L2]`,
		}},
		{name: "empty pattern", patterns: []string{""}, problems: []string{
			`pattern "" matches no package: it is an import path outside example.com/shop [L2]`,
		}},
		{name: "vendored", patterns: []string{"./vendor/...", "./vendor/example.com/dep"}, problems: []string{
			`pattern "./vendor/..." matches no package: there is no Go file [L2] (... leaves out testdata, vendor, folders that begin with . or _, nested modules and what go.mod ignores)`,
			`pattern "./vendor/example.com/dep" matches no package: vendored packages belong to other modules [L2]`,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			result, problems := load(filepath.Join(dir, tt.from), tt.patterns...)
			if diff := cmp.Diff(tt.want, describe(result)); diff != "" {
				t.Errorf("packages (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.problems, explain(dir, problems)); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			if result.Module == nil || result.Module.Path != "example.com/shop" || result.Module.Dir != dir {
				t.Errorf("module %+v, want example.com/shop in %s", result.Module, dir)
			}
		})
	}
}

func TestLoadPackage(t *testing.T) {
	dir := write(t, project)
	result, problems := load(dir, "./nested/sub", "./api/v1")
	if len(problems) > 0 || len(result.Packages) != 2 {
		t.Fatalf("got %v, %v", describe(result), problems)
	}
	sub, v1 := result.Packages[0], result.Packages[1]
	if sub.Module.Path != "example.com/nested" || sub.Module.Dir != filepath.Join(dir, "nested") {
		t.Errorf("package of a nested module has module %+v", sub.Module)
	}
	if v1.Module != result.Module {
		t.Errorf("package of the module has module %+v", v1.Module)
	}
	if want := filepath.Join(dir, "api", "v1"); v1.Dir != want {
		t.Errorf("folder %s, want %s", v1.Dir, want)
	}
	order := v1.Files[1]
	if want := filepath.Join(dir, "api", "v1", "order.go"); order.Path != want {
		t.Errorf("file %s, want %s", order.Path, want)
	}
	at := order.Position(order.AST.Comments[0].Pos())
	if at.File != order.Path || at.Line != 3 || at.Column != 1 {
		t.Errorf("the marker stands at %+v, want 3:1", at)
	}
}

// TestLoadFiles checks which files in a folder belong to a package, and which give errors.
func TestLoadFiles(t *testing.T) {
	for _, tt := range []struct {
		name     string
		archive  string
		tags     []string
		env      map[string]string
		want     []string
		problems []string
	}{
		{
			name: "platform",
			archive: `
-- a_linux.go --
package p // +webhook
-- a_windows.go --
package p // +webhook
-- b.go --
//go:build windows

package p // +webhook
-- c.go --
//go:build linux && arm64

package p // +webhook
-- d.go --
// +build !linux

package p // +webhook
`,
			env:  map[string]string{"GOOS": "linux", "GOARCH": "arm64"},
			want: []string{"example.com/m p a_linux.go c.go"},
		},
		{
			name: "tags",
			archive: `
-- a.go --
//go:build one

package p // +webhook
-- b.go --
//go:build two

package p // +webhook
`,
			tags: []string{"one"}, env: map[string]string{"GOFLAGS": "-tags=two"},
			want: []string{"example.com/m p a.go"},
		},
		{
			name: "tags of GOFLAGS",
			archive: `
-- a.go --
//go:build one && two

package p // +webhook
`,
			env:  map[string]string{"GOFLAGS": "-mod=vendor '--tags=one two'"},
			want: []string{"example.com/m p a.go"},
		},
		{
			name: "generated by others",
			archive: `
-- zz_generated.deepcopy.go --
//go:build !ignore_autogenerated

// Code generated by controller-gen. DO NOT EDIT.

package p // +webhook
-- zz_generated.other.go --
// Code generated by other. DO NOT EDIT.

package p // +webhook
`,
			want: []string{"example.com/m p zz_generated.other.go"},
		},
		{
			name: "generated by us, under another name",
			archive: `
-- a.go --
// Copyright of somebody.

// Code generated by webhook-gen. DO NOT EDIT.

package p // +webhook
-- b.go --
package p // +webhook

// Code generated by webhook-gen. DO NOT EDIT.
`,
			want: []string{"example.com/m p b.go"},
		},
		{
			name: "a program beside the package",
			archive: `
-- a.go --
package p // +webhook
-- gen.go --
//go:build ignore

package main // +webhook
-- doc.go --
package documentation // +webhook
`,
			want: []string{"example.com/m p a.go"},
		},
		{
			name: "two packages in a folder",
			archive: `
-- a.go --
package p // +webhook
-- b.go --
// Text.
package q // +webhook
-- c.go --
package p // +webhook
`,
			want:     []string{"example.com/m p a.go c.go"},
			problems: []string{"b.go:2:9: packages q and p are in one folder [L5]"},
		},
		{
			name: "unparsable",
			archive: `
-- a.go --
package p // +webhook
-- b.go --
package p
// +webhook
//line other.go:100
type T struct { A = }
func () { if }
-- sub/c.go --
+webhook
`,
			want: []string{"example.com/m p a.go"},
			problems: []string{
				"b.go:4:19: cannot parse: expected type, found '='",
				"b.go:5:9: cannot parse: expected 'IDENT', found '{'",
				"sub/c.go:1:1: cannot parse: expected 'package', found '+'",
			},
		},
		{
			name: "bad constraint",
			archive: `
-- a.go --
// Text.

//go:build one &&

package p // +webhook
-- b.go --
//go:build )

package p
`,
			problems: []string{"a.go:3:1: a.go: parsing //go:build line: unexpected end of expression"},
		},
		{
			name:    "byte order mark and carriage returns",
			archive: "-- a.go --\n\ufeffpackage p\r\n\r\n// +webhook\r\ntype T struct{}\r\n-- b.go --\n\ufeff// Code generated by webhook-gen. DO NOT EDIT.\r\n\r\npackage p // +webhook\r\n",
			want:    []string{"example.com/m p a.go"},
		},
		{
			name: "hidden files",
			archive: `
-- .a.go --
package p // +webhook
-- _b.go --
package p // +webhook
-- c.go --
package p // +webhook
`,
			want: []string{"example.com/m p c.go"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := write(t, "-- go.mod --\nmodule example.com/m\n"+tt.archive)
			for key, value := range tt.env {
				t.Setenv(key, value)
			}
			result, problems := Load(t.Context(), Config{Dir: dir, Tags: tt.tags, Markers: []string{"+webhook"}})
			if diff := cmp.Diff(tt.want, describe(result)); diff != "" {
				t.Errorf("packages (-want +got):\n%s", diff)
			}
			got := explain(dir, problems)
			for i := range got {
				got[i] = strings.TrimSuffix(got[i], " [L4]")
			}
			if diff := cmp.Diff(tt.problems, got); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLoadGenerated(t *testing.T) {
	const ours = "// Code generated by webhook-gen. DO NOT EDIT.\n\npackage p\n"
	dir := write(t, `
-- go.mod --
module example.com/m
-- a/zz_generated.webhook.go --
`+ours+`
-- a/zz_generated.webhook_test.go --
`+ours+`
-- a/zz_generated.deepcopy.go --
// Code generated by controller-gen. DO NOT EDIT.

package p
-- a/other.go --
`+ours+`
-- b/zz_generated.webhook.go --
package p // the user's own
-- c/zz_generated.admission.go --
//go:build !ignore_autogenerated

`+ours)
	result, problems := load(dir)
	if len(problems) > 0 {
		t.Error(problems)
	}
	want := []string{
		filepath.Join(dir, "a", "zz_generated.webhook.go"),
		filepath.Join(dir, "a", "zz_generated.webhook_test.go"),
		filepath.Join(dir, "c", "zz_generated.admission.go"),
	}
	if diff := cmp.Diff(want, result.Generated); diff != "" {
		t.Errorf("generated (-want +got):\n%s", diff)
	}
	if result, _ := load(dir, "./c"); len(result.Generated) != 1 {
		t.Errorf("generated below ./c: %v", result.Generated)
	}
}

func TestLoadUnreadable(t *testing.T) {
	dir := write(t, `
-- go.mod --
module example.com/m
-- a/a.go --
package a // +webhook
-- b/b.go --
package b // +webhook
-- c/c.go --
package c // +webhook
`)
	t.Run("broken link", func(t *testing.T) {
		for _, name := range []string{"gone.go", ".#lock.go", "gone_test.go"} {
			if err := os.Symlink("nowhere", filepath.Join(dir, "a", name)); err != nil {
				t.Skip(err)
			}
			defer os.Remove(filepath.Join(dir, "a", name))
		}
		result, problems := load(dir)
		want := []string{"a/gone.go:0:0: cannot read gone.go: a link to a file that does not exist [L3]"}
		if diff := cmp.Diff(want, explain(dir, problems)); diff != "" {
			t.Errorf("problems (-want +got):\n%s", diff)
		}
		if len(result.Packages) != 3 {
			t.Errorf("got %v, want all three packages", describe(result))
		}
	})
	t.Run("links", func(t *testing.T) {
		for name, target := range map[string]string{"link.go": "b.go", "folder.go": ".", "other": "../a"} {
			if err := os.Symlink(target, filepath.Join(dir, "b", name)); err != nil {
				t.Skip(err)
			}
			defer os.Remove(filepath.Join(dir, "b", name))
		}
		result, problems := load(dir, "./b/...")
		if diff := cmp.Diff([]string{"example.com/m/b b b.go link.go"}, describe(result)); diff != "" || len(problems) > 0 {
			t.Errorf("packages (-want +got):\n%s%v", diff, problems)
		}
	})
	t.Run("permissions", func(t *testing.T) {
		if os.Getuid() == 0 || runtime.GOOS == "windows" {
			t.Skip("root reads everything, and Windows has other permissions")
		}
		folder, file := filepath.Join(dir, "b"), filepath.Join(dir, "c", "c.go")
		for _, name := range []string{folder, file} {
			if err := os.Chmod(name, 0); err != nil {
				t.Fatal(err)
			}
			defer os.Chmod(name, 0o755)
		}
		result, problems := load(dir)
		want := []string{
			"b:0:0: cannot read b: permission denied [L3]",
			"c/c.go:0:0: cannot read c.go: permission denied [L3]",
		}
		if diff := cmp.Diff(want, explain(dir, problems)); diff != "" {
			t.Errorf("problems (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"example.com/m/a a a.go"}, describe(result)); diff != "" {
			t.Errorf("packages (-want +got):\n%s", diff)
		}
	})
}

func TestLoadDeterministic(t *testing.T) {
	dir := write(t, project+`
-- bad/a.go --
package a // +webhook
type
-- bad/b.go --
package b // +webhook
func
`)
	want, wantProblems := load(dir, "./...", "./nested/...", "./nothing", "x")
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for procs := range 4 {
		runtime.GOMAXPROCS(procs + 1)
		got, problems := load(dir, "x", "./nested/...", "./nothing", "./...")
		if diff := cmp.Diff(describe(want), describe(got)); diff != "" {
			t.Errorf("packages differ:\n%s", diff)
		}
		if diff := cmp.Diff(explain(dir, wantProblems), explain(dir, problems)); diff != "" {
			t.Errorf("problems differ:\n%s", diff)
		}
	}
}

func TestLoadCancelled(t *testing.T) {
	dir := write(t, project)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	result, problems := Load(ctx, Config{Dir: dir, Markers: []string{"+webhook"}})
	if len(result.Packages) > 0 || len(problems) != 1 || !problems.HasErrors() {
		t.Errorf("got %v, %v", describe(result), problems)
	}
}

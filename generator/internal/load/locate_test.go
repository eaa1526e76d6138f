// SPDX-License-Identifier: Apache-2.0

package load

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Locate must find a package in the same place as the go command, even without a go command in PATH.
func TestLocate(t *testing.T) {
	const dependencies = `
-- replaced/go.mod --
module example.com/replaced

go 1.25
-- replaced/api/a.go --
package api // +groupName
-- replaced/nested/go.mod --
module example.com/replaced/nested

go 1.25
-- replaced/nested/a.go --
package nested // +groupName
-- exact/go.mod --
module example.com/exact

go 1.25
-- exact/a.go --
package exact // +groupName
-- wrong/a.go --
package wrong
`
	const module = dependencies + `
-- m/go.mod --
module example.com/m

go 1.25

require (
	example.com/replaced v0.0.0
	example.com/replaced/nested v0.0.0
	example.com/exact v1.2.3
	example.com/m/nested v0.0.0
)

replace example.com/m/nested => ./nested
replace example.com/replaced => ../replaced
replace example.com/replaced/nested => ../replaced/nested
replace example.com/exact => ../wrong
replace example.com/exact v1.2.3 => ../exact
-- m/api/a.go --
package api // +groupName
-- m/api/a_never.go --
//go:build never

package main // +groupName
-- m/nested/go.mod --
module example.com/m/nested

go 1.25
-- m/nested/api/a.go --
package api // +groupName
-- m/api/only_test.go --
package api_test // +groupName
`
	for _, tt := range []struct {
		name    string
		archive string
		from    string
		flags   string
		paths   map[string]string // to "module path, package name"
	}{
		{
			name: "replace", archive: module, from: "m", flags: "-mod=mod",
			paths: map[string]string{
				"example.com/m/api":           "example.com/m api",
				"example.com/m/nested/api":    "example.com/m/nested api",
				"example.com/replaced/api":    "example.com/replaced api",
				"example.com/replaced/nested": "example.com/replaced/nested nested",
				"example.com/exact":           "example.com/exact exact",
			},
		},
		{
			name: "go.work", from: "m", archive: dependencies + `
-- go.work --
go 1.25

use (
	./m
	./replaced
)

replace example.com/exact => ./exact
-- m/go.mod --
module example.com/m

go 1.25

require example.com/exact v1.2.3

replace example.com/exact => ../nowhere
-- m/a.go --
package m // +groupName
`,
			paths: map[string]string{
				"example.com/m":            "example.com/m m",
				"example.com/replaced/api": "example.com/replaced api",
				"example.com/exact":        "example.com/exact exact",
			},
		},
		{
			name: "vendor", from: ".", archive: `
-- go.mod --
module example.com/m

go 1.25

require example.com/dep v1.2.3
-- a.go --
package m // +groupName
-- vendor/modules.txt --
# example.com/dep v1.2.3
## explicit; go 1.25
example.com/dep/api
-- vendor/example.com/dep/api/a.go --
package api // +groupName
`,
			paths: map[string]string{"example.com/dep/api": "example.com/dep api"},
		},
		{
			name: "vendor, ignored", from: ".", flags: "-mod=mod", archive: `
-- go.mod --
module example.com/m

go 1.25

require example.com/dep v1.2.3

replace example.com/dep => ./dep
-- vendor/modules.txt --
# example.com/dep v1.2.3 => ./dep
## explicit; go 1.25
example.com/dep/api
-- vendor/example.com/dep/api/a.go --
package vendored // +groupName
-- dep/go.mod --
module example.com/dep

go 1.25
-- dep/api/a.go --
package api // +groupName
`,
			paths: map[string]string{"example.com/dep/api": "example.com/dep api"},
		},
		{
			name: "module cache", from: ".", archive: `
-- go.mod --
module example.com/m

go 1.25

require (
	example.com/Upper v1.0.0
	example.com/Upper/deep v1.1.0-RC.1
	example.com/replaced v1.0.0
)

replace example.com/replaced => example.com/fork v1.5.0
-- cache/example.com/!upper@v1.0.0/deep/api/a.go --
package api // +groupName
-- cache/example.com/!upper/deep@v1.1.0-!r!c.1/a.go --
package deep // +groupName
-- cache/example.com/fork@v1.5.0/api/a.go --
package api // +groupName
`,
			paths: map[string]string{
				"example.com/Upper/deep/api": "example.com/Upper api",
				"example.com/Upper/deep":     "example.com/Upper/deep deep",
				"example.com/replaced/api":   "example.com/replaced api",
			},
		},
		{
			name: "versions of a workspace", from: "a", archive: `
-- go.work --
go 1.25

use (
	./a
	./b
)
-- a/go.mod --
module example.com/a

go 1.25

require example.com/dep v1.9.0
-- b/go.mod --
module example.com/b

go 1.25

require example.com/dep v1.10.0
-- cache/example.com/dep@v1.9.0/a.go --
package old // +groupName
-- cache/example.com/dep@v1.10.0/a.go --
package dep // +groupName
`,
			paths: map[string]string{"example.com/dep": "example.com/dep dep"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := write(t, tt.archive)
			t.Setenv("GOFLAGS", tt.flags)
			from := filepath.Join(dir, tt.from)
			cached := strings.Contains(tt.archive, "cache/")
			if cached {
				t.Setenv("GOMODCACHE", filepath.Join(dir, "cache"))
			}
			wantDirs := make(map[string]string)
			for path := range tt.paths {
				if !cached && !testing.Short() { // for modules in the cache, the go command needs go.sum
					wantDirs[path] = goList(t, from, "-find", "-f", "{{.Dir}}", path)[0]
				}
			}
			t.Setenv("PATH", "")
			result, _ := load(from)
			for path, want := range tt.paths {
				p, err := result.Module.Locate(t.Context(), path)
				if err != nil {
					t.Error(err)
					continue
				}
				if got := p.Module.Path + " " + p.Name; got != want || p.Path != path {
					t.Errorf("%s: got %s (%s), want %s", path, got, p.Path, want)
				}
				if dir, known := wantDirs[path]; known && p.Dir != dir {
					t.Errorf("%s: folder %s, want %s", path, p.Dir, dir)
				}
				if diff := cmp.Diff([]string{"a.go"}, fileNames(p.FilesWith("+groupName"))); diff != "" {
					t.Errorf("%s: files (-want +got):\n%s", path, diff)
				}
				if again, _ := result.Module.Locate(t.Context(), path); again != p {
					t.Errorf("%s: asking again gives another package", path)
				}
			}
		})
	}
}

// Before Go 1.17, go.mod did not list every version, so a guess could be wrong.
func TestLocateDoesNotGuess(t *testing.T) {
	for version, found := range map[string]bool{"1.16": false, "1.17": true, "1.26.0": true} {
		dir := write(t, "-- go.mod --\nmodule example.com/m\n\ngo "+version+`

require example.com/dep v1.0.0
-- cache/example.com/dep@v1.0.0/a.go --
package dep
`)
		t.Setenv("GOMODCACHE", filepath.Join(dir, "cache"))
		result, _ := load(dir)
		if p := result.Module.workspace.find("example.com/dep"); (p != nil) != found {
			t.Errorf("go %s: found %t, want %t", version, p != nil, found)
		}
	}
}

// This module's own dependencies are in the real module cache.
func TestLocateDependency(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	result, _ := load(here, ".")
	for _, path := range []string{"golang.org/x/tools/txtar", "github.com/webhook-gen/webhook-gen/generator/internal/diag"} {
		want := goList(t, here, "-find", "-f", "{{.Dir}}", path)[0]
		p := result.Module.workspace.find(path)
		if p == nil || p.Dir != want {
			t.Errorf("%s: got %+v, want it in %s", path, p, want)
		}
	}
}

func TestLocateAsks(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	dir := write(t, "-- go.mod --\nmodule example.com/m\n\ngo 1.25\n-- a.go --\npackage m\n")
	t.Setenv("GOPROXY", "off")
	result, _ := load(dir)
	p, err := result.Module.Locate(t.Context(), "net/http")
	if err != nil {
		t.Fatal(err)
	}
	if p.Name != "http" || p.Module.Path != "std" || filepath.Base(p.Module.Dir) != "src" || len(p.FilesWith("func ListenAndServe(")) != 1 {
		t.Errorf("got package %s in %s of module %+v", p.Name, p.Dir, p.Module)
	}
	_, err = result.Module.Locate(t.Context(), "example.com/nowhere/api")
	if err == nil || !strings.Contains(err.Error(), "example.com/nowhere/api") || !strings.Contains(err.Error(), "no required module provides package") {
		t.Errorf("got error %v", err)
	}
	t.Setenv("PATH", "")
	if _, again := result.Module.Locate(t.Context(), "example.com/nowhere/api"); again != err {
		t.Errorf("asking again gives another error: %v", again)
	}
	if _, err := result.Module.Locate(t.Context(), "strings"); err == nil || !strings.Contains(err.Error(), "cannot locate package strings") {
		t.Errorf("without a go command: %v", err)
	}
}

// Locate runs neither the toolchain in a project's go.mod or go.work, nor a go command in the project.
func TestLocateRunsNoOtherToolchain(t *testing.T) {
	command, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go command")
	}
	for name, files := range map[string]string{
		"go line":        "-- go.mod --\nmodule example.com/m\n\ngo 1.99.0\n-- api/a.go --\npackage api // +groupName\n",
		"toolchain line": "-- go.mod --\nmodule example.com/m\n\ngo 1.25\n\ntoolchain go1.99.0\n-- api/a.go --\npackage api // +groupName\n",
		"workspace":      "-- go.work --\ngo 1.99.0\n\nuse .\n-- go.mod --\nmodule example.com/m\n\ngo 1.25\n-- api/a.go --\npackage api // +groupName\n",
	} {
		for _, chosen := range []string{"", "auto", "path", "local+auto", "local+path"} {
			t.Run(name+" "+chosen, func(t *testing.T) {
				dir, ran := write(t, files), filepath.Join(t.TempDir(), "ran")
				for _, path := range []string{"bin/go", "toolchains/go1.99.0"} {
					path = filepath.Join(dir, path)
					if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(path, []byte("#!/bin/sh\n: > '"+ran+"'\n"), 0o755); err != nil {
						t.Fatal(err)
					}
				}
				t.Setenv("PATH", strings.Join([]string{".", filepath.Join(dir, "bin"), filepath.Dir(command), filepath.Join(dir, "toolchains")}, string(filepath.ListSeparator)))
				t.Setenv("GOTOOLCHAIN", chosen)
				t.Setenv("GOENV", "off")
				t.Setenv("GOPROXY", "off")
				t.Setenv("GOFLAGS", "-mod=mod")
				before, err := os.ReadFile(filepath.Join(dir, "go.mod"))
				if err != nil {
					t.Fatal(err)
				}
				result, problems := Load(t.Context(), Config{Dir: dir, Markers: []string{"+groupName"}})
				if len(problems) > 0 {
					t.Fatal(problems)
				}
				if _, err := result.Module.Locate(t.Context(), "example.com/nowhere/api"); err == nil {
					t.Error("a package that does not exist was found")
				}
				if _, err := os.Stat(ran); err == nil {
					t.Error("a program of the project has run")
				}
				if after, err := os.ReadFile(filepath.Join(dir, "go.mod")); err != nil || !bytes.Equal(before, after) {
					t.Errorf("go.mod was written: %v\n%s", err, after)
				}
			})
		}
	}
}

// A toolchain in the user's own settings remains.
func TestToolchain(t *testing.T) {
	for value, want := range map[string]string{"": "local", "auto": "local", "path": "local", "local": "local", "go1.26.1": "go1.26.1", "go1.26.1+auto": "go1.26.1", "local+path": "local"} {
		t.Setenv("GOTOOLCHAIN", "")
		if got := (goenv{"GOTOOLCHAIN": value}).toolchain(); got != want {
			t.Errorf("%q: %q, not %q", value, got, want)
		}
	}
}

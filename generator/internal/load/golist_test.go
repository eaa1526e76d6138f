// SPDX-License-Identifier: Apache-2.0

package load

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// goList runs "go list" without the network.
func goList(t *testing.T, dir string, args ...string) []string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOTOOLCHAIN=local")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list %v: %v\n%s", args, err, stderr.String())
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' })
}

// Every package of these trees has a marker, so Load and the go command must return the same packages.
func TestPatternsMatchGoList(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	const tree = `
-- go.mod --
module example.com/shop

go 1.25

ignore (
	./rooted
	anywhere
	two/parts
	./deep/er/
)
-- a.go --
package shop // +webhook
-- api/v1/a.go --
package v1 // +webhook
-- api/v1/deep/a.go --
package deep // +webhook
-- api/v10/a.go --
package v10 // +webhook
-- apis/v1/a.go --
package v1 // +webhook
-- x.y/a.go --
package xy // +webhook
-- nested/go.mod --
module example.com/shop/nested

go 1.25
-- nested/a.go --
package nested // +webhook
-- nested/sub/a.go --
package sub // +webhook
-- api/nested2/go.mod --
module example.com/other

go 1.25
-- api/nested2/a.go --
package other // +webhook
-- rooted/a.go --
package rooted // +webhook
-- rooted/below/a.go --
package below // +webhook
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
-- deep/er/a.go --
package er // +webhook
-- deep/a.go --
package deep // +webhook
-- vendor/example.com/dep/a.go --
package dep // +webhook
-- mine/vendor/a.go --
package vendored // +webhook
-- mine/vendor/x/a.go --
package x // +webhook
-- testdata/a.go --
package testdata // +webhook
-- testdata/x/a.go --
package x // +webhook
-- sub/testdata/a.go --
package testdata // +webhook
-- _x/a.go --
package x // +webhook
-- .x/a.go --
package x // +webhook
-- sub/_x/y/a.go --
package y // +webhook
-- sub/.x/y/a.go --
package y // +webhook
-- other/none.txt --
+webhook
-- tests/only_test.go --
package tests // +webhook
-- excluded/a.go --
//go:build ignore

package main // +webhook
`
	const work = tree + `
-- go.work --
go 1.25

use (
	.
	./nested
	./api/nested2
)
`
	for _, tt := range []struct {
		name     string
		archive  string
		from     string
		patterns []string
	}{
		{"one module", tree, ".", []string{
			"./...", ".", "./api/...", "./api/v1", "./api/v1/...", "./api/v1...", "./api/...1", "./.../v1", "./.../deep/...", "./a...",
			"./api/.../deep", "./sub/...", "./sub/two/...", "./rooted", "./deep/...", "./x.y",
			"./mine/...", "./mine/vendor/...", "./mine/vendor", "./testdata/x/...", "./testdata/x", "./.../vendor/...",
			"example.com/shop/...", "example.com/shop", "example.com/shop/api/...", "example.com/shop/api/v1", "example.com/shop/api/v1...",
			"example.com/...", "example.com/shop/.../v1", "example.com/s.../deep", "example.com/shop/sub/...", "example.com/shop/testdata/x",
			"./api/../apis/...", ".//api//v1/",
		}},
		{"below the root", tree, "api", []string{"./...", "../...", "..", "../apis/v1", "example.com/shop/...", "../sub/..."}},
		{"within testdata", tree, "testdata", []string{"./...", "."}},
		{"go.work", work, ".", []string{
			"./...", "./nested/...", "./nested", "./api/...", "./api/nested2", "example.com/...", "example.com/shop/...",
			"example.com/shop/nested", "example.com/shop/nested/...", "example.com/other", "example.com/o...",
		}},
		{"go.work, from a module that it uses", work, "nested", []string{"./...", "example.com/shop/...", "example.com/other/...", "../api/v1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := write(t, tt.archive)
			if err := os.Symlink("api", filepath.Join(dir, "link")); err != nil {
				t.Log("without a linked folder: ", err)
			}
			t.Setenv("GOFLAGS", "-mod=mod")
			if strings.Contains(tt.archive, "go.work") {
				t.Setenv("GOFLAGS", "-mod=readonly")
			}
			from := filepath.Join(dir, tt.from)
			for _, pattern := range tt.patterns {
				want := goList(t, from, "-e", "-find", "-f", `{{if .GoFiles}}{{.ImportPath}}{{end}}`, "--", pattern)
				result, problems := load(from, pattern)
				var got []string
				for _, p := range result.Packages {
					got = append(got, p.Path)
				}
				slices.Sort(want)
				if len(want) == 0 {
					t.Errorf("%s: the go command has nothing to compare with", pattern)
				}
				if !slices.Equal(want, got) {
					t.Errorf("%s: the go command has %q\nwebhook-gen has %q\n%v", pattern, want, got, explain(dir, problems))
				}
			}
		})
	}
}

// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/internal/program"
)

// TestGoSteps has the steps that follow from changes.
func TestGoSteps(t *testing.T) {
	for name, test := range map[string]struct {
		there             []string // modules
		created, replaced []string // files
		untidy            []string // modules
		vendored          bool
		want              []string
	}{
		"a new project": {
			created: []string{"go.mod", "cmd/webhook/main.go", "tools/go.mod"}, want: []string{"go mod tidy", "go -C tools mod tidy"},
		},
		"code":                       {created: []string{"api/v1/order.go"}, want: []string{"go mod tidy"}},
		"go.mod alone":               {replaced: []string{"go.mod"}, want: []string{"go mod tidy"}},
		"manifests alone":            {replaced: []string{"config/webhook/manifests.yaml"}},
		"code where it was not tidy": {created: []string{"api/v1/a.go", "api/v1/b.go", "main.go"}, untidy: []string{""}, want: []string{"go get -t ./api/v1 ."}},
		"with vendor":                {replaced: []string{"api/v1/order.go"}, vendored: true, want: []string{"go mod tidy", "go mod vendor"}},
		"not tidy, with vendor":      {replaced: []string{"a/a.go"}, untidy: []string{""}, vendored: true, want: []string{"go get -t ./a", "go mod vendor"}},
		"code of a new nested module": {
			created: []string{"test/webhook/go.mod", "test/webhook/a_test.go"}, want: []string{"go -C test/webhook mod tidy"},
		},
		"code of a nested module": {
			there: []string{"test/webhook"}, created: []string{"a/a.go"}, replaced: []string{"test/webhook/a_test.go", "test/webhook/b/b.go"},
			want: []string{"go mod tidy", "go -C test/webhook mod tidy"},
		},
		"not tidy, code of a nested module": {
			there: []string{"test/webhook"}, replaced: []string{"a/a.go", "test/webhook/a_test.go"}, untidy: []string{""},
			want: []string{"go get -t ./a", "go -C test/webhook mod tidy"},
		},
		"code of a nested module that is not tidy": {
			there: []string{"api"}, replaced: []string{"a/a.go", "api/v1/a.go"}, untidy: []string{"/api"}, want: []string{"go mod tidy"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			result := engine.Result{Root: t.TempDir()}
			for _, dir := range test.there {
				write(t, filepath.Join(result.Root, dir, "go.mod"), "module x\n")
			}
			for _, file := range test.created {
				result.Changes = append(result.Changes, output.Change{Path: filepath.Join(result.Root, file), New: []byte("new")})
			}
			for _, file := range test.replaced {
				result.Changes = append(result.Changes, output.Change{Path: filepath.Join(result.Root, file), Old: []byte("old"), New: []byte("new")})
			}
			if test.vendored {
				write(t, filepath.Join(result.Root, "vendor", "modules.txt"), "")
			}
			if diff := cmp.Diff(test.want, commands(result.Root, goSteps(result, func(dir string) bool { return !slices.Contains(test.untidy, dir[len(result.Root):]) }))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestGoFails runs the real go command where it cannot get a module: the commands that are left are in the error.
func TestGoFails(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/app\n\ngo 1.24\n")
	write(t, filepath.Join(dir, "app.go"), "package app\n")
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOWORK", "off")
	if !goCommand(runGo).isTidy(t.Context(), dir) {
		t.Error("a tidy module is not tidy")
	}
	write(t, filepath.Join(dir, "app.go"), "package app\n\nimport _ \"example.com/missing\"\n")
	if goCommand(runGo).isTidy(t.Context(), dir) {
		t.Error("a module that lacks a requirement is tidy")
	}
	var out bytes.Buffer
	steps := []goStep{{dir: dir, args: []string{"mod", "tidy"}}, {dir: dir, args: []string{"mod", "vendor"}}}
	err := goCommand(runGo).do(t.Context(), streams{out: &out}, dir, steps)
	if err == nil || !strings.Contains(err.Error(), "module lookup disabled by GOPROXY=off") || !strings.HasSuffix(err.Error(), "run\n  go mod tidy\n  go mod vendor") {
		t.Errorf("the error is %v", err)
	}
	if out.String() != "running go mod tidy\n" {
		t.Errorf("it said %q", out.String())
	}
}

// TestGoGetIsEnough has go mod tidy fail for a module that only the test of another module needs. The error names the
// command that is enough, and it is.
func TestGoGetIsEnough(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/app\n\ngo 1.24\n\nrequire example.com/dep v0.0.0\n\nreplace example.com/dep => ./dep\n")
	write(t, filepath.Join(dir, "app", "app.go"), "package app\n\nimport _ \"example.com/dep\"\n")
	write(t, filepath.Join(dir, "dep", "go.mod"), "module example.com/dep\n\ngo 1.24\n")
	write(t, filepath.Join(dir, "dep", "dep.go"), "package dep\n")
	write(t, filepath.Join(dir, "dep", "dep_test.go"), "package dep\n\nimport _ \"example.com/private\"\n")
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOWORK", "off")
	result := engine.Result{Root: dir, Changes: []output.Change{{Path: filepath.Join(dir, "app", "app.go"), New: []byte("new")}}}
	steps := goSteps(result, func(string) bool { return true })
	var out bytes.Buffer
	err := goCommand(runGo).do(t.Context(), streams{out: &out}, dir, steps)
	const enough = "go get -t ./app"
	if err == nil || !strings.HasSuffix(err.Error(), "\n  "+enough) {
		t.Fatalf("the error is %v", err)
	}
	for _, args := range [][]string{strings.Fields(enough)[1:], {"vet", "./app"}} {
		if _, err := runGo(t.Context(), dir, args...); err != nil {
			t.Errorf("go %v: %v", args, err)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestCommandsForShells prints names of folders as words that a shell leaves as they are.
func TestCommandsForShells(t *testing.T) {
	for _, name := range []string{"a b", "$(injected)", "`injected`", "it's", "a;b", "a\nb", "*", "", "~x", "-x", "a#b", "!x", "ordinary/v1"} {
		out, err := exec.Command("sh", "-c", "printf %s "+program.Word("./"+name)).Output()
		if err != nil || string(out) != "./"+name {
			t.Errorf("%q is %q for a shell: %v", name, out, err)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// hostile is a project whose author tries to run code by a command of its reader. Programs in it create the file ran.
type hostile struct{ dir, ran string }

// newHostile writes a project with a match condition, which lint, generate and verify compile.
// In files, $RAN is the path of ran.
func newHostile(t *testing.T, files map[string]string) hostile {
	t.Helper()
	top := t.TempDir()
	p := hostile{filepath.Join(top, "project"), filepath.Join(top, "ran")}
	all := map[string]string{
		"go.mod":           "module example.com/x\n\ngo 1.26\n",
		"webhook-gen.yaml": "version: 1\noutputs: [manifests]\n",
		"order.go": "// +groupName=shop.example.com\n// +versionName=v1\npackage x\n\n" +
			"// +webhook:validating(operations: \"create\")\n// +webhook:matchCondition(name: \"a\")=\"request.name == 'a'\"\ntype Order struct{}\n",
	}
	maps.Copy(all, files)
	for name, text := range all {
		path := filepath.Join(p.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "$RAN", p.ran)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// A program that a hostile project tries to have run: in Go, and for a shell.
const (
	hostileGo    = "package main\n\nimport \"os\"\n\nfunc main() { os.WriteFile(`$RAN`, nil, 0o644) }\n"
	hostileShell = "#!/bin/sh\n: > '$RAN'\n"
)

// mustNotRun runs a command in the project, and fails if code of the project has run.
func (p hostile) mustNotRun(t *testing.T, args ...string) (out string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	run(context.Background(), args, streams{out: &stdout, err: &stderr})
	if _, err := os.Stat(p.ran); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s has run code of the project", strings.Join(args, " "))
	}
	return stdout.String() + stderr.String()
}

// TestNothingOfTheProjectRuns has projects offer programs in every way that the go command or a shell knows.
func TestNothingOfTheProjectRuns(t *testing.T) {
	const tool = "github.com/webhook-gen/webhook-gen/cmd/webhook-gen"
	goFolder := filepath.Dir(mustFind(t, "go"))
	programs := func(folder string, more map[string]string) map[string]string {
		all := maps.Clone(more)
		if all == nil {
			all = map[string]string{}
		}
		for _, name := range []string{"webhook-gen", "git", "go"} {
			all[folder+name] = hostileShell
		}
		return all
	}
	for name, test := range map[string]struct {
		files map[string]string
		path  []string // entries of PATH besides the go command's
	}{
		"a tool of the module itself": {files: map[string]string{
			"go.mod":                   "module example.com/x\n\ngo 1.26\n\ntool example.com/x/hack/webhook-gen\n",
			"hack/webhook-gen/main.go": hostileGo,
		}},
		"the module of webhook-gen replaced": {files: map[string]string{
			"go.mod": "module example.com/x\n\ngo 1.26\n\ntool " + tool + "\n\nrequire github.com/webhook-gen/webhook-gen v1.0.0\n\n" +
				"replace github.com/webhook-gen/webhook-gen => ./evil\n",
			"evil/go.mod": "module github.com/webhook-gen/webhook-gen\n\ngo 1.26\n", "evil/cmd/webhook-gen/main.go": hostileGo,
		}},
		"a workspace": {files: map[string]string{
			"go.work":                   "go 1.26\n\nuse (\n\t.\n\t./tools\n)\n",
			"tools/go.mod":              "module example.com/tools\n\ngo 1.26\n\ntool example.com/tools/webhook-gen\n",
			"tools/webhook-gen/main.go": hostileGo,
		}},
		"programs in the current folder":       {files: programs("", nil), path: []string{".", ""}},
		"programs in a relative entry of PATH": {files: programs("bin/", nil), path: []string{"bin", "./bin"}},
		"programs in the project's own folder": {files: programs("bin/", nil), path: []string{"$PROJECT/bin"}},
		"programs below a nested module": {
			files: programs("bin/", map[string]string{".git/HEAD": "", "operators/shop/go.mod": "module example.com/y\n\ngo 1.26\n"}),
			path:  []string{"$PROJECT/bin"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newHostile(t, test.files)
			var path []string
			for _, entry := range test.path {
				path = append(path, strings.ReplaceAll(entry, "$PROJECT", p.dir))
			}
			t.Setenv("PATH", strings.Join(append(path, goFolder), string(filepath.ListSeparator)))
			t.Setenv("GOPROXY", "off")
			t.Setenv("GODEBUG", "execerrdot=0") // even where the user lets os/exec run programs of the current folder
			t.Chdir(p.dir)
			for _, command := range []string{"lint", "generate", "verify"} {
				if out := p.mustNotRun(t, command); strings.Contains(out, "error") {
					t.Errorf("%s fails:\n%s", command, out)
				}
			}
			p.mustNotRun(t, "explain", "request", "--operation", "CREATE", "--resource", "orders")
			p.mustNotRun(t, "lint", "--code")
		})
	}
}

func mustFind(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/webhook-gen/webhook-gen/generator/internal/project"
)

// hostile is a project whose author tries to run code by a command of its reader. Programs in it create the file ran.
type hostile struct{ dir, ran string }

const explainModule = "github.com/webhook-gen/webhook-gen/explain"

// newHostile writes a project with a match condition, which lint, generate and verify have webhook-gen-explain read.
// In files, $RAN is the path of ran.
func newHostile(t *testing.T, files map[string]string) hostile {
	t.Helper()
	top := t.TempDir()
	p := hostile{filepath.Join(top, "project"), filepath.Join(top, "ran")}
	all := map[string]string{
		"go.mod":           "module example.com/x\n\ngo 1.26\n",
		"webhook-gen.yaml": "version: 1\noutputs: [manifests]\n",
		"order.go": "// +groupName=shop.example.com\n// +versionName=v1\npackage x\n\n" +
			"// +webhook:validating(operations: \"create\")\n// +webhook:matchCondition(name: \"a\")=\"object.spec.a == 1\"\ntype Order struct{}\n",
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

// TestNothingOfTheProjectRuns has projects offer their own program as webhook-gen-explain in every way that the go
// command or a shell knows.
func TestNothingOfTheProjectRuns(t *testing.T) {
	command := explainModule + "/cmd/webhook-gen-explain"
	replaced := "module example.com/x\n\ngo 1.26\n\ntool " + command + "\n\nrequire " + explainModule + " v1.0.0\n\nreplace " + explainModule + " => ./evil\n"
	evil := map[string]string{"evil/go.mod": "module " + explainModule + "\n\ngo 1.26\n", "evil/cmd/webhook-gen-explain/main.go": hostileGo}
	with := func(files, more map[string]string) map[string]string {
		all := maps.Clone(files)
		maps.Copy(all, more)
		return all
	}
	goFolder := filepath.Dir(mustFind(t, "go"))
	for name, test := range map[string]struct {
		files map[string]string
		path  []string // entries of PATH besides the go command's
	}{
		"a tool of the module itself": {files: map[string]string{
			"go.mod":                           "module example.com/x\n\ngo 1.26\n\ntool example.com/x/hack/webhook-gen-explain\n",
			"hack/webhook-gen-explain/main.go": hostileGo,
		}},
		"the module of the companion replaced": {files: with(evil, map[string]string{"go.mod": replaced})},
		"a dependency of the companion replaced": {files: map[string]string{
			"go.mod": "module example.com/x\n\ngo 1.26\n\ntool " + command + "\n\nrequire (\n\t" + explainModule + " v1.0.0\n\texample.com/dependency v1.0.0\n)\n\n" +
				"replace (\n\t" + explainModule + " => ./explain\n\texample.com/dependency => ./evil\n)\n",
			"explain/go.mod": "module " + explainModule + "\n\ngo 1.26\n\nrequire example.com/dependency v1.0.0\n",
			"explain/cmd/webhook-gen-explain/main.go": "package main\n\nimport \"example.com/dependency\"\n\nfunc main() { dependency.Run() }\n",
			"evil/go.mod": "module example.com/dependency\n\ngo 1.26\n",
			"evil/run.go": strings.NewReplacer("package main", "package dependency", "func main", "func Run").Replace(hostileGo),
		}},
		"an edited vendor folder": {files: map[string]string{
			"go.mod":                         "module example.com/x\n\ngo 1.26\n\ntool " + command + "\n\nrequire " + explainModule + " v1.0.0\n",
			"vendor/" + command + "/main.go": hostileGo,
			"vendor/modules.txt":             "# " + explainModule + " v1.0.0\n## explicit; go 1.26\n" + command + "\n",
		}},
		"a workspace": {files: map[string]string{
			"go.work":                           "go 1.26\n\nuse (\n\t.\n\t./tools\n)\n",
			"tools/go.mod":                      "module example.com/tools\n\ngo 1.26\n\ntool example.com/tools/webhook-gen-explain\n",
			"tools/webhook-gen-explain/main.go": hostileGo,
		}},
		"a program in the current folder":       {files: map[string]string{"webhook-gen-explain": hostileShell}, path: []string{".", ""}},
		"a program in a relative entry of PATH": {files: map[string]string{"bin/webhook-gen-explain": hostileShell}, path: []string{"bin", "./bin"}},
		"a program in the project's own folder": {files: map[string]string{"bin/webhook-gen-explain": hostileShell}, path: []string{"$PROJECT/bin"}},
		"a program below a nested module": {
			files: map[string]string{".git/HEAD": "", "bin/webhook-gen-explain": hostileShell, "operators/shop/go.mod": "module example.com/y\n\ngo 1.26\n"},
			path:  []string{"$PROJECT/bin"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newHostile(t, test.files)
			path := []string{goFolder}
			for _, entry := range test.path {
				path = append(path, strings.ReplaceAll(entry, "$PROJECT", p.dir))
			}
			t.Setenv("PATH", strings.Join(path, string(filepath.ListSeparator)))
			t.Setenv("GOPROXY", "off")
			t.Setenv("GODEBUG", "execerrdot=0") // even where the user lets os/exec run programs of the current folder
			t.Chdir(p.dir)
			for _, command := range []string{"lint", "generate", "verify"} {
				if out := p.mustNotRun(t, command); !strings.Contains(out, "this needs the API server's own code, and webhook-gen-explain is ") || !strings.Contains(out, "go install "+explainModule+"/cmd/webhook-gen-explain@latest\n") {
					t.Errorf("%s does not say what is missing:\n%s", command, out)
				}
			}
			p.mustNotRun(t, "explain", "request", "--operation", "CREATE", "--resource", "orders")
		})
	}
}

// TestCompanionFlag runs the program that the flag names, wherever it lies.
func TestCompanionFlag(t *testing.T) {
	p := newHostile(t, map[string]string{"bin/explain": hostileShell})
	t.Chdir(p.dir)
	var stdout, stderr bytes.Buffer
	run(context.Background(), []string{"lint", "--companion", "bin/explain"}, streams{out: &stdout, err: &stderr})
	if _, err := os.Stat(p.ran); err != nil {
		t.Errorf("%v\n%s%s", err, &stdout, &stderr)
	}
}

// TestCompanionUnneeded starts the companion for a project with an expression, and for no other.
func TestCompanionUnneeded(t *testing.T) {
	goFolder := filepath.Dir(mustFind(t, "go"))
	const order = "// +groupName=shop.example.com\n// +versionName=v1\npackage x\n\n// +webhook:validating(operations: \"create;update\")\n%stype Order struct{}\n"
	for _, test := range []struct {
		name, markers string
		starts        bool
	}{
		{"without expressions", "", false},
		{"a match condition", "// +webhook:matchCondition(name: \"a\")=\"object.spec.a == 1\"\n", true},
		{"a policy", "// +webhook:policy:validating(operations: \"create\")\n// +webhook:policy:validation=\"object.spec.a == 1\"\n", true},
	} {
		for _, command := range []string{"generate", "verify", "lint"} {
			t.Run(test.name+", "+command, func(t *testing.T) {
				p := newHostile(t, map[string]string{"order.go": fmt.Sprintf(order, test.markers)})
				companion := filepath.Join(t.TempDir(), companionName)
				if err := os.WriteFile(companion, []byte(strings.ReplaceAll(hostileShell, "$RAN", p.ran)), 0o755); err != nil {
					t.Fatal(err)
				}
				t.Setenv("PATH", filepath.Dir(companion)+string(filepath.ListSeparator)+goFolder)
				t.Chdir(p.dir)
				var stdout, stderr bytes.Buffer
				run(context.Background(), []string{command}, streams{out: &stdout, err: &stderr})
				if _, err := os.Stat(p.ran); (err == nil) != test.starts {
					t.Errorf("started: %t\n%s%s", err == nil, &stdout, &stderr)
				}
			})
		}
	}
}

// TestGetCompanion has the command name the release of this program, or its work tree.
func TestGetCompanion(t *testing.T) {
	for want, own := range map[string]project.Origin{
		"\n  go install " + explainModule + "/cmd/webhook-gen-explain@v1.2.3":                 {Version: "v1.2.3"},
		"\n  go install " + explainModule + "/cmd/webhook-gen-explain@latest":                 {Version: "v0.0.0-20240102030405-abcdef012345"},
		"\n  go -C " + filepath.Join("src", "explain") + " install ./cmd/webhook-gen-explain": {Version: "v0.0.0", Dir: "src"},
	} {
		if got := (companion{own: own}).install(); !strings.HasSuffix(got, want) {
			t.Errorf("%+v: %s", own, got)
		}
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

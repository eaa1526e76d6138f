// SPDX-License-Identifier: Apache-2.0

// Package compile compiles and runs the output of the generator. -short skips the tests that call the go command.
package compile

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/scenario"
)

// TestGeneratedCode builds the generated code of all scenarios, and runs the generated tests, in one workspace and few
// calls of the go command. The tests of scenarios with the warnings V11 or V21 fail: one version refuses values that
// the other accepts. List types are no reason to fail.
func TestGeneratedCode(t *testing.T) {
	skipIfShort(t)
	t.Setenv("WEBHOOK_GEN", webhookGen(t)) // tests of policies run it
	w, patterns, refused := scenarios(t)
	// go test also compiles packages without tests, and never links the programs, whose function main is the user's.
	if out, err := w.goCommand(append([]string{"test", "-vet=off"}, patterns...)...); err != nil { // TestVet
		t.Fatalf("%v\n%s", err, out)
	}
	for _, pattern := range refused {
		out, err := w.goCommand("test", "-vet=off", pattern)
		if err == nil || !strings.Contains(out, "invariant 13 does not hold") || !strings.Contains(out, " refuses ") || strings.Contains(out, "invariant 1 ") {
			t.Errorf("%s: want only values that a schema refuses, got %v\n%s", pattern, err, out)
		}
	}
}

// webhookGen returns the path of webhook-gen: the one that WEBHOOK_GEN names, or else a new build.
func webhookGen(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("WEBHOOK_GEN"); path != "" {
		return path
	}
	path := filepath.Join(t.TempDir(), "webhook-gen")
	if out, err := exec.Command("go", "build", "-o", path, "../../cmd/webhook-gen").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// TestVet vets the generated code of all scenarios. It takes longer than TestGeneratedCode, because go vet analyses all
// dependencies.
func TestVet(t *testing.T) {
	skipIfShort(t)
	w, patterns, refused := scenarios(t)
	if out, err := w.goCommand(append([]string{"vet"}, slices.Concat(patterns, refused)...)...); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// scenarios generates code for all scenarios, each a module. It returns the patterns of modules whose tests pass, and
// of modules with the warnings V11 or V21.
func scenarios(t *testing.T) (w *workspace, patterns, refused []string) {
	t.Helper()
	files, err := filepath.Glob("../testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	w = newWorkspace(t)
	for _, file := range files {
		s, err := scenario.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(s.Run.Outputs, "handlers") && !slices.Contains(s.Run.Outputs, "conversions") {
			continue
		}
		if slices.ContainsFunc(s.Input, func(f txtar.File) bool { return path.Base(f.Name) == "go.mod" && f.Name != "go.mod" }) {
			continue // the other modules import example.com/app, which the workspace renames
		}
		if bytes.Contains(s.Format(nil), []byte("sigs.k8s.io/controller-runtime")) {
			continue // the root module does not require it: hack/peers/controllerruntime/conversions compiles these scenarios
		}
		dir, module := w.add(s.Name, s.Input)
		result := engine.Generate(context.Background(), engine.Config{
			Dir: filepath.Join(dir, s.Run.Dir), Patterns: s.Run.Patterns, Tags: s.Run.Tags, Strict: s.Run.Strict,
			AdmissionRegistration: s.Run.AdmissionRegistration, Outputs: []string{"manifests", "handlers", "conversions", "tests"},
		})
		if result.Diagnostics.HasErrors() || leavesOrphans(result) {
			continue // a scenario of mistakes
		}
		if failed := result.Write(); len(failed) > 0 {
			t.Fatal(failed)
		}
		w.use(s.Name)
		hooked := slices.ContainsFunc(result.Files, func(f output.File) bool { return bytes.Contains(f.Content, []byte("\tt.Skip(")) })
		isRefused := func(d diag.Diagnostic) bool { // random lists have no equal elements
			return d.Rule == "V11" && !strings.Contains(d.Message, "listType=") || d.Rule == "V21"
		}
		if slices.ContainsFunc(result.Diagnostics, isRefused) && !hooked {
			refused = append(refused, module+"/...")
		} else {
			patterns = append(patterns, module+"/...")
		}
	}
	if len(patterns) < 5 || len(refused) < 2 {
		t.Fatalf("only %d and %d scenarios to compile", len(patterns), len(refused))
	}
	return w, patterns, refused
}

// TestNewOperationBreaksTheBuild adds an operation to a marker and not to its validator: the compiler names the missing
// method, at the validator's position. Without the operation the module compiles again.
func TestNewOperationBreaksTheBuild(t *testing.T) {
	skipIfShort(t)
	w := newWorkspace(t)
	dir, _ := w.add("app", []txtar.File{{Name: "api/v1/doc.go", Data: []byte("// +groupName=shop.example.com\npackage v1\n")}})
	// after generates for the operations and keeps the module's state in a module of its own.
	after := func(state, operations string) {
		writeFile(t, filepath.Join(dir, "api/v1/order.go"), "package v1\n\n// +webhook:validating(operations: \""+operations+"\")\ntype Order struct{}\n")
		result := engine.Generate(context.Background(), engine.Config{Dir: dir})
		if failed := append(result.Diagnostics, result.Write()...); failed.HasErrors() {
			t.Fatal(failed)
		}
		if err := os.CopyFS(filepath.Join(w.root, state), os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		w.rename(state, "example.com/app", "example.com/"+state)
		w.use(state)
	}
	after("first", "create")
	after("second", "create;delete")
	after("third", "create")
	out, err := w.goCommand("build", "example.com/first/...", "example.com/second/...", "example.com/third/...")
	want := "second/internal/webhook/v1/order_webhook.go:14:24: cannot use (*OrderWebhook)(nil) (value of type *OrderWebhook) as OrderValidator value " +
		"in variable declaration: *OrderWebhook does not implement OrderValidator (missing method ValidateDelete)\n"
	if err == nil || out != "# example.com/second/internal/webhook/v1\n"+want {
		t.Errorf("the build says %v\n%s\nwant only %s", err, out, want)
	}
}

// leavesOrphans reports whether files of the user need generated code that is gone, and do not compile.
func leavesOrphans(r engine.Result) bool {
	return slices.ContainsFunc(r.Diagnostics, func(d diag.Diagnostic) bool { return d.Rule == output.RuleOrphan })
}

func skipIfShort(t *testing.T) {
	if testing.Short() {
		t.Skip("calls the go command")
	}
}

// workspace is a folder of modules that share one build: one call of the go command compiles them all.
type workspace struct {
	t    *testing.T
	root string
	used []string
	// requirements and sums are the go.mod and go.sum of a module with this tree's runtime and the versions of its
	// other dependencies.
	requirements, sums string
}

func newWorkspace(t *testing.T) *workspace {
	t.Helper()
	text, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile("../../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	runtime, err := filepath.Abs("../../runtime")
	if err != nil {
		t.Fatal(err)
	}
	requirements := fmt.Sprintf("go 1.26.0\n\nrequire %s v0.0.0\n\nreplace %[1]s => %q\n\n%s", engine.RuntimeModule, runtime, text[bytes.Index(text, []byte("require")):])
	return &workspace{t: t, root: t.TempDir(), requirements: requirements, sums: string(sums)}
}

// add writes the files of example.com/app into a module of its own name, since a workspace holds a path once.
func (w *workspace) add(name string, files []txtar.File) (dir, module string) {
	w.t.Helper()
	dir, module = filepath.Join(w.root, name), "example.com/"+strings.ReplaceAll(name, "_", "-")
	for _, f := range files {
		writeFile(w.t, filepath.Join(dir, f.Name), strings.ReplaceAll(string(f.Data), "example.com/app", module))
	}
	writeFile(w.t, filepath.Join(dir, "go.mod"), "module "+module+"\n\n"+w.requirements)
	writeFile(w.t, filepath.Join(dir, "go.sum"), w.sums)
	return dir, module
}

// use makes a module part of the workspace.
func (w *workspace) use(name string) { w.used = append(w.used, "use ./"+name) }

// rename replaces a text, such as the module's path, in all files of a module.
func (w *workspace) rename(name, from, to string) {
	w.t.Helper()
	dir := filepath.Join(w.root, name)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, bytes.ReplaceAll(text, []byte(from), []byte(to)), 0o644)
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// goCommand runs the go command in the workspace.
func (w *workspace) goCommand(words ...string) (string, error) {
	w.t.Helper()
	text := "go 1.26.0\n\n" + strings.Join(w.used, "\n") + "\n"
	writeFile(w.t, filepath.Join(w.root, "go.work"), text)
	cmd := exec.Command("go", words...)
	cmd.Dir = w.root
	cmd.Env = append(os.Environ(), "GOWORK="+filepath.Join(w.root, "go.work"), goFlags)
	out, err := cmd.CombinedOutput()
	return string(bytes.ReplaceAll(out, []byte(w.root), []byte("$DIR"))), err
}

// goFlags keeps a -mod of the caller, which a workspace refuses, from go commands.
const goFlags = "GOFLAGS=-mod=readonly"

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

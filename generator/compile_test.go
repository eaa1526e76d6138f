package generator

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
)

// TestGeneratedCode builds and vets what every scenario with Go code generates and runs the tests that are
// generated with it, untouched, all in one workspace and two calls of the go command.
func TestGeneratedCode(t *testing.T) {
	root := t.TempDir()
	sums, err := os.ReadFile("../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	requirements := requirementsOf(t)
	var work, patterns []string
	for _, file := range scenarioFiles(t) {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		input, _ := split(archive)
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		dir := filepath.Join(root, name)
		if run := string(archive.Comment); !strings.Contains(run, "handlers") && !strings.Contains(run, "conversions") {
			continue
		}
		// Each scenario is a module of its own name, so that all fit into one workspace.
		module := "example.com/" + strings.ReplaceAll(name, "_", "-")
		for _, f := range input.Files {
			writeFile(t, filepath.Join(dir, f.Name), strings.ReplaceAll(string(f.Data), "example.com/app", module))
		}
		if slices.ContainsFunc(input.Files, func(f txtar.File) bool { return path.Base(f.Name) == "go.mod" && f.Name != "go.mod" }) {
			continue // it has modules of its own, which example.com/app is not to be exchanged in
		}
		if bytes.Contains(txtar.Format(input), []byte("sigs.k8s.io/controller-runtime")) {
			continue // it needs what is no dependency of this module: hack/peers/conversionreview compiles it
		}
		writeFile(t, filepath.Join(dir, "go.mod"), "module "+module+"\n\ngo 1.26.0\n\n"+requirements)
		writeFile(t, filepath.Join(dir, "go.sum"), string(sums))
		config := scenarioConfig(t, dir, archive.Comment)
		config.Outputs = []string{"manifests", "handlers", "conversions", "tests"}
		result := Generate(context.Background(), config)
		if result.Diagnostics.HasErrors() {
			continue // a scenario about mistakes
		}
		if failed := result.Write(); len(failed) > 0 {
			t.Fatal(failed)
		}
		work = append(work, "use ./"+name)
		patterns = append(patterns, module+"/...")
	}
	if len(work) < 5 {
		t.Fatalf("only %d scenarios to compile", len(work))
	}
	writeFile(t, filepath.Join(root, "go.work"), "go 1.26.0\n\nuse "+runtimeDir(t)+"\n"+strings.Join(work, "\n")+"\n")
	for _, verb := range []string{"vet", "test"} {
		// Without -trimpath the folder, which is another one in each run, would be part of what is built.
		cmd := exec.Command("go", append([]string{verb, "-trimpath"}, patterns...)...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GOWORK="+filepath.Join(root, "go.work"), "GOFLAGS=")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, bytes.ReplaceAll(out, []byte(root), []byte("$DIR")))
		}
	}
}

// TestNewOperationBreaksTheBuild changes a marker without its policy: the compiler must say at the
// policy which method is missing.
func TestNewOperationBreaksTheBuild(t *testing.T) {
	dir := t.TempDir()
	sums, err := os.ReadFile("../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "go.mod"), "module example.com/app\n\ngo 1.26.0\n\n"+requirementsOf(t))
	writeFile(t, filepath.Join(dir, "go.sum"), string(sums))
	writeFile(t, filepath.Join(dir, "api/v1/doc.go"), "// +groupName=shop.example.com\npackage v1\n")
	build := func(operations string) (string, error) {
		writeFile(t, filepath.Join(dir, "api/v1/order.go"), "package v1\n\n// +webhook:validating(operations: \""+operations+"\")\ntype Order struct{}\n")
		result := Generate(context.Background(), Config{Dir: dir})
		if failed := append(result.Diagnostics, result.Write()...); failed.HasErrors() {
			t.Fatal(failed)
		}
		cmd := exec.Command("go", "build", "./...")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := build("create"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := build("create;delete")
	want := "internal/webhook/v1/order_webhook.go:14:24: cannot use (*OrderWebhook)(nil) (value of type *OrderWebhook) as OrderValidator value " +
		"in variable declaration: *OrderWebhook does not implement OrderValidator (missing method ValidateDelete)"
	if err == nil || !strings.Contains(out, want) {
		t.Errorf("the build says %v\n%s\nwant %s", err, out, want)
	}
	if out, err := build("create"); err != nil {
		t.Errorf("and back again: %v\n%s", err, out)
	}
}

// runtimeDir is the folder of the runtime module in this tree.
func runtimeDir(t *testing.T) string {
	dir, err := filepath.Abs("../runtime")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// requirementsOf returns the directives of a go.mod that requires what this module does and, replaced by this tree's, the runtime.
func requirementsOf(t *testing.T) string {
	text, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("require %s v0.0.0\n\nreplace %[1]s => %s\n\n%s", RuntimeModule, runtimeDir(t), text[bytes.Index(text, []byte("require")):])
}

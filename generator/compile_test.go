package generator

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestGeneratedCodeCompiles builds and vets what every scenario with handlers generates, all in
// one workspace and one call of the go command.
func TestGeneratedCodeCompiles(t *testing.T) {
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
		if !strings.Contains(string(archive.Comment), "handlers") {
			continue
		}
		// Each scenario is a module of its own name, so that all fit into one workspace.
		module := "example.com/" + strings.ReplaceAll(name, "_", "-")
		for _, f := range input.Files {
			writeFile(t, filepath.Join(dir, f.Name), strings.ReplaceAll(string(f.Data), "example.com/app", module))
		}
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			continue // it has modules of its own, which example.com/app is not to be exchanged in
		}
		writeFile(t, filepath.Join(dir, "go.mod"), "module "+module+"\n\ngo 1.26.0\n\n"+requirements)
		writeFile(t, filepath.Join(dir, "go.sum"), string(sums))
		result := Generate(context.Background(), scenarioConfig(t, dir, archive.Comment))
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
	writeFile(t, filepath.Join(root, "go.work"), "go 1.26.0\n\n"+strings.Join(work, "\n")+"\n")
	cmd := exec.Command("go", append([]string{"vet"}, patterns...)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOWORK="+filepath.Join(root, "go.work"), "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, bytes.ReplaceAll(out, []byte(root), []byte("$DIR")))
	}
}

// requirementsOf returns the require directives of this module's go.mod.
func requirementsOf(t *testing.T) string {
	text, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	return string(text[bytes.Index(text, []byte("require")):])
}

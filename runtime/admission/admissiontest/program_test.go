// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPolicyProgram finds webhook-gen in its places, in their order, and never takes a program of another version from
// PATH.
func TestPolicyProgram(t *testing.T) {
	module, folder := t.TempDir(), t.TempDir()
	executable := func(path string) string {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\nexit 0\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(module, "go.mod"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	finds := func(want ...string) {
		t.Helper()
		got, err := policyProgram(module)
		if !slices.Equal(got, want) || (err == nil) != (len(want) > 0) {
			t.Errorf("found %q, %v; want %q", got, err, want)
		}
	}
	t.Setenv("PATH", folder+string(filepath.ListSeparator)+filepath.Dir(must(exec.LookPath("go"))(t)))
	t.Setenv(ProgramVariable, "")
	write("module example.com/x\n\ngo 1.24\n")
	finds()
	executable(filepath.Join(folder, "webhook-gen"))
	finds() // of no version
	_, err := policyProgram(module)
	if err == nil || !strings.Contains(err.Error(), " -o "+filepath.Join(module, "bin")) && !strings.Contains(err.Error(), "GOBIN="+filepath.Join(module, "bin")+" go install ") {
		t.Errorf("the message has no command that builds the program: %v", err)
	}
	write("module example.com/x\n\ngo 1.24\n\ntool " + programPackage + "\n")
	finds("go", "tool", "webhook-gen")
	write("module example.com/x\n\ngo 1.24\n\ntool (\n\t" + programPackage + "\n\texample.com/other\n)\n")
	finds("go", "tool", "webhook-gen")
	write("module example.com/x\n\ngo 1.24\n\nrequire " + programPackage + "-other v1.0.0\n")
	finds()
	own := executable(filepath.Join(module, "bin", "webhook-gen"))
	finds(own)
	other := executable(filepath.Join(t.TempDir(), "other"))
	t.Setenv(ProgramVariable, other)
	finds(other)
	t.Setenv(ProgramVariable, filepath.Join(folder, "missing"))
	finds()
}

func must(path string, err error) func(*testing.T) string {
	return func(t *testing.T) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
}

// TestBuilds names a command for each source of the runtime.
func TestBuilds(t *testing.T) {
	tree, copied := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(tree, "cmd", "webhook-gen"), 0o755); err != nil {
		t.Fatal(err)
	}
	for want, goMod := range map[string]string{
		"GOBIN=MODULE/bin go install " + programPackage + "@latest": "",
		"GOBIN=MODULE/bin go install " + programPackage + "@v0.1.0": "require " + programModule + "/runtime v0.1.0\n\nreplace " + programModule + "/runtime => " + filepath.Join(copied, "runtime") + "\n",
		"go -C " + tree + " build -o MODULE/bin/ ./cmd/webhook-gen": "require " + programModule + "/runtime v0.1.0\n\nreplace " + programModule + "/runtime => " + filepath.Join(tree, "runtime") + "\n",
	} {
		module := t.TempDir()
		files := map[string]string{filepath.Join(module, "go.mod"): "module example.com/x\n\ngo 1.24\n\n" + goMod}
		for _, replaced := range []string{tree, copied} {
			files[filepath.Join(replaced, "runtime", "go.mod")] = "module " + programModule + "/runtime\n\ngo 1.24\n"
		}
		for name, text := range files {
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got := strings.ReplaceAll(builds(module, runtimeOf(module)), module, "MODULE"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got, want := builds("/m", runtimeModule{Version: "v1.2.3"}), "GOBIN=/m/bin go install "+programPackage+"@v1.2.3"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

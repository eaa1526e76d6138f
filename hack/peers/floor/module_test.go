// SPDX-License-Identifier: Apache-2.0

package floor

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// repository is the folder of the main module.
const repository = "../../.."

// TestModule runs the tests of the runtime module under each toolchain, which the go command fetches from the module
// proxy: at the floor with the module's own go.mod.
func TestModule(t *testing.T) {
	for _, c := range []struct {
		name, toolchain, kubernetes string
		flags                       []string
	}{
		{"floor", "go1.24.0", "v0.31.0", nil},
		{"newest", "go1.26.8", "v0.37.2", []string{"-race", "-vet=off"}}, // TestVendored has vetted the same code with them
		{"next Go", "go1.27.4", "v0.37.2", []string{"-race"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			copyFolder(t, filepath.Join(repository, "runtime"), dir)
			run := func(arguments ...string) string {
				t.Helper()
				cmd := command(dir, "go", arguments...)
				cmd.Env = append(cmd.Env, "GOTOOLCHAIN="+c.toolchain)
				return output(t, cmd)
			}
			if c.name != "floor" {
				run("mod", "edit", "-require=k8s.io/api@"+c.kubernetes, "-require=k8s.io/apimachinery@"+c.kubernetes)
				run("mod", "tidy")
			}
			for _, module := range []string{"k8s.io/api", "k8s.io/apimachinery"} {
				if version := strings.TrimSpace(run("list", "-m", "-f", "{{.Version}}", module)); version != c.kubernetes {
					t.Fatalf("the tests have %s %s, want %s", module, version, c.kubernetes)
				}
			}
			// One package at a time: some compare times.
			run(slices.Concat([]string{"test", "-p", "1"}, c.flags, []string{"./..."})...)
			t.Logf("%s, k8s.io/* %s %s", c.toolchain, c.kubernetes, strings.Join(c.flags, " "))
		})
	}
}

// build returns the path of a webhook-gen of this tree.
func build(t *testing.T) string {
	t.Helper()
	webhookGen := filepath.Join(t.TempDir(), "webhook-gen")
	output(t, command(repository, "go", "build", "-o", webhookGen, "./cmd/webhook-gen"))
	return webhookGen
}

func command(dir, name string, arguments ...string) *exec.Cmd {
	cmd := exec.Command(name, arguments...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-buildvcs=false")
	return cmd
}

// output runs a command and returns its standard output.
func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", cmd, err, &stdout, &stderr)
	}
	return stdout.String()
}

func copyFolder(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func writeFile(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

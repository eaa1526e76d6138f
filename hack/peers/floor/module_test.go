// SPDX-License-Identifier: Apache-2.0

package floor

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// repository is the folder of the main module.
const repository = "../../.."

// kubernetes is the newest version of k8s.io/*.
const kubernetes = "v0.37.2"

// TestModule runs the tests of the runtime module under the next Go, which the go command fetches from the module
// proxy, with newer versions than its go.mod names. `make test-floor` runs them with the oldest,
// TestRace with the race detector.
func TestModule(t *testing.T) {
	dir := t.TempDir()
	copyFolder(t, filepath.Join(repository, "runtime"), dir)
	run := func(arguments ...string) string {
		t.Helper()
		cmd := command(dir, "go", arguments...)
		cmd.Env = append(cmd.Env, "GOTOOLCHAIN=go1.27.4")
		return output(t, cmd)
	}
	requireNewest(t, dir)
	run("mod", "tidy")
	for _, module := range []string{"k8s.io/api", "k8s.io/apimachinery"} {
		if version := strings.TrimSpace(run("list", "-m", "-f", "{{.Version}}", module)); version != kubernetes {
			t.Fatalf("the tests have %s %s, want %s", module, version, kubernetes)
		}
	}
	run("test", "-p", "1", "./...") // one package at a time: some compare times
}

// TestFloor compares the oldest versions in the runtime's go.mod, with which `make test-floor` runs its tests, with the
// promised ones.
func TestFloor(t *testing.T) {
	goMod := string(readFile(t, filepath.Join(repository, "runtime", "go.mod")))
	for _, line := range []string{"go 1.24.0", "k8s.io/api v0.31.0", "k8s.io/apimachinery v0.31.0"} {
		if !regexp.MustCompile(`(?m)^\s*` + regexp.QuoteMeta(line) + `$`).MatchString(goMod) {
			t.Errorf("runtime/go.mod does not have the line %q", line)
		}
	}
}

// requireNewest gives a module the root's versions, which other tests compile, too. go mod tidy drops unneeded ones.
func requireNewest(t *testing.T, dir string) {
	t.Helper()
	versions := output(t, command(repository, "go", "list", "-m", "-f", "{{if not .Main}}-require={{.Path}}@{{.Version}}{{end}}", "all"))
	if !strings.Contains(versions, "-require=k8s.io/api@"+kubernetes+"\n") {
		t.Fatalf("the root does not have k8s.io/api %s", kubernetes)
	}
	output(t, command(dir, "go", append([]string{"mod", "edit"}, strings.Fields(versions)...)...))
}

func command(dir, name string, arguments ...string) *exec.Cmd {
	cmd := exec.Command(name, arguments...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-buildvcs=false "+os.Getenv("GOFLAGS"))
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

// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// commands are the two programs, built once for all tests.
type commands struct{ webhookGen, controllerGen string }

// built is set by TestMain and read by tests.
var built commands

func TestMain(m *testing.M) {
	if os.Getenv(measuring) != "" {
		os.Exit(stopWatch(os.Args[1:]))
	}
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "peers")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	built = commands{filepath.Join(dir, "webhook-gen"), filepath.Join(dir, "controller-gen")}
	for _, b := range []*exec.Cmd{
		exec.Command("go", "-C", filepath.Join("..", "..", ".."), "build", "-o", built.webhookGen, "./cmd/webhook-gen"),
		exec.Command("go", "build", "-o", built.controllerGen, "sigs.k8s.io/controller-tools/cmd/controller-gen"),
	} {
		fmt.Println("building:", strings.Join(b.Args, " "))
		b.Env = append(os.Environ(), "GOWORK=off")
		if out, err := b.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
			return 1
		}
	}
	for _, path := range []string{built.webhookGen, built.controllerGen} {
		if err := rewrite(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return m.Run()
}

// rewrite writes a program anew, as the installation of a download does. The linker writes it through a mapping, which
// leaves larger folios in the page cache: Linux then counts up to a third more of the file as resident.
func rewrite(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o755)
}

// generate is the command that prints a module's manifests.
func (c commands) generate(dir string, patterns ...string) *exec.Cmd {
	return in(dir, exec.Command(c.webhookGen, append([]string{"generate", "--output", "-"}, patterns...)...))
}

// importer is webhook-gen rewriting the markers of the module in dir.
func (c commands) importer(dir string) *exec.Cmd {
	cmd := exec.Command(c.webhookGen, "import")
	cmd.Dir = dir
	return cmd
}

// controller is controller-gen's command for the same.
func (c commands) controller(dir string, patterns ...string) *exec.Cmd {
	cmd := exec.Command(c.controllerGen, "webhook", "output:stdout")
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	for _, p := range patterns {
		cmd.Args = append(cmd.Args, "paths="+p)
	}
	return in(dir, cmd)
}

func in(dir string, cmd *exec.Cmd) *exec.Cmd {
	cmd.Dir = dir
	// controller-gen writes no go.mod, and a go.work above the folder must not change its input.
	// Without cgo, the go command under controller-gen compiles no C.
	cmd.Env = append(os.Environ(), "PWD="+dir, "GOWORK=off", "CGO_ENABLED=0", "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"))
	return cmd
}

// outcome is the outcome of a command.
type outcome struct {
	manifest, messages string
	code               int
}

func run(t testing.TB, cmd *exec.Cmd) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return outcome{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// compare runs both commands in a folder. If controller-gen succeeds, the manifests must be the same; if it fails,
// webhook-gen must fail, too, and print no manifest. It returns controller-gen's outcome.
func compare(t *testing.T, dir string, patterns ...string) outcome {
	t.Helper()
	want := run(t, built.controller(dir, patterns...))
	got := run(t, built.generate(dir, patterns...))
	switch {
	case want.code == 0 && got.code != 0:
		t.Errorf("controller-gen succeeds, webhook-gen exits with %d:\n%s\nwanted:\n%s", got.code, got.messages, want.manifest)
	case want.code != 0 && got.code != 1:
		t.Errorf("controller-gen fails, webhook-gen exits with %d\ncontroller-gen says:\n%s\nwebhook-gen prints:\n%s", got.code, want.messages, got.manifest)
	case want.code != 0 && got.manifest != "":
		t.Errorf("webhook-gen fails and prints a manifest all the same:\n%s", got.manifest)
	case want.code == 0 && got.manifest != want.manifest:
		t.Errorf("manifests differ\ncontroller-gen:\n%s\nwebhook-gen:\n%s", want.manifest, got.manifest)
	}
	return want
}

// layOut writes an archive as a module.
func layOut(t testing.TB, dir string, files []txtar.File) {
	t.Helper()
	hasMod := false
	for _, f := range files {
		hasMod = hasMod || f.Name == "go.mod"
		writeFile(t, filepath.Join(dir, filepath.FromSlash(f.Name)), f.Data)
	}
	if !hasMod {
		writeFile(t, filepath.Join(dir, "go.mod"), []byte("module example.com/m\n\ngo 1.26.0\n"))
	}
}

func writeFile(t testing.TB, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

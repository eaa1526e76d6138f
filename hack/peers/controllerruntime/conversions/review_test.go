// SPDX-License-Identifier: Apache-2.0

package conversions

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// module makes a module of this one's dependencies with the folder of testdata in it, and generates its conversions.
func module(t *testing.T) string {
	t.Helper()
	dir := dependencies(t)
	if err := os.CopyFS(filepath.Join(dir, "review"), os.DirFS("testdata/review")); err != nil {
		t.Fatal(err)
	}
	generate(t, dir)
	return dir
}

// dependencies makes a module that has this one's dependencies and nothing else.
func dependencies(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs(filepath.Join("..", "..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.Replace(text, []byte("/hack/peers/controllerruntime\n"), []byte("/hack/peers/conversionreview\n"), 1)
		text = bytes.ReplaceAll(text, []byte("../../.."), []byte(root))
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// generate runs webhook-gen in a module.
func generate(t *testing.T, dir string, args ...string) {
	t.Helper()
	webhookGen := filepath.Join(dir, "webhook-gen")
	run(t, ".", "", "go", "-C", filepath.Join("..", "..", "..", ".."), "build", "-o", webhookGen, "./cmd/webhook-gen")
	run(t, dir, "", webhookGen, args...)
}

// run runs a command in a folder with a toolchain, which the go command fetches from the module proxy, and shows its
// output.
func run(t *testing.T, dir, toolchain, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"))
	if toolchain != "" {
		cmd.Env = append(cmd.Env, "GOTOOLCHAIN="+toolchain)
	}
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %v: %v", filepath.Base(name), args, err)
	}
}

// TestConformance has the API server's own code convert through a program with the runtime's handler. The race detector
// watches the program.
func TestConformance(t *testing.T) {
	dir := module(t)
	run(t, dir, "", "go", "build", "-race", "-o", "serve", "./review/serve")
	run(t, dir, "", "go", "vet", "./review/...")
	run(t, dir, "", "go", "test", "./review/apiserver")
}

// TestBeside compares peak memory and processor time with controller-runtime's, under the Go of go.mod and under the
// next Go. Both sides take turns, so that it needs no quiet machine.
func TestBeside(t *testing.T) {
	for _, toolchain := range []string{"", "go1.27.4"} {
		t.Run(toolchain, func(t *testing.T) {
			run(t, module(t), toolchain, "go", "test", "-v", "-run", "^(TestMemory|TestRatio)$", "./review/beside")
		})
	}
}

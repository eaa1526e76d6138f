// SPDX-License-Identifier: Apache-2.0

package kubernetes

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestConversions generates the conversions from markers and runs the tests beside the markers. They check the
// invariants of conversions, and compare converted objects with the results of an API server.
func TestConversions(t *testing.T) {
	dir := t.TempDir()
	webhookGen := filepath.Join(dir, "webhook-gen")
	run(t, filepath.Join("..", "..", ".."), "go", "build", "-o", webhookGen, "./cmd/webhook-gen")
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mod", "sum"} {
		text := bytes.ReplaceAll(read(t, "testdata", "kubernetes."+name), []byte("../../.."), []byte(root))
		if err := os.WriteFile(filepath.Join(dir, "go."+name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	conversions := filepath.Join(dir, "conversions")
	if err := os.CopyFS(conversions, os.DirFS(filepath.Join("testdata", "conversions"))); err != nil {
		t.Fatal(err)
	}
	run(t, dir, webhookGen)
	run(t, dir, "go", "vet", "./conversions")
	t.Log(run(t, dir, "go", "test", "-count=1", "-timeout", "30m", "-v", "./conversions"))
}

// run runs a command in a folder and returns its output.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return string(out)
}

func read(t *testing.T, path ...string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// program writes a script in the place of webhook-gen, which prints its arguments.
func program(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho building >&2\necho \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// TestAssets passes the options as flags to the program in each of its places.
func TestAssets(t *testing.T) {
	t.Setenv("KUBEBUILDER_ASSETS", "")
	t.Setenv("WEBHOOK_GEN", "")
	root := t.TempDir()
	tests := filepath.Join(root, "test", "webhook")
	for _, dir := range []string{root, tests} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/x\n\ngo 1.24\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(tests)
	if _, err := Assets(t.Context(), Options{}); err == nil || !strings.Contains(err.Error(), "GOBIN="+filepath.Join(tests, "bin")+" go install "+programPackage) {
		t.Errorf("without a program: %v", err)
	}
	var progress bytes.Buffer
	asks := func(want string, o Options) {
		t.Helper()
		o.Progress = &progress
		if got, err := Assets(t.Context(), o); err != nil || got != want {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
	program(t, filepath.Join(root, "bin", "webhook-gen"))
	asks("assets", Options{})
	asks("assets --kubernetes=1.35 --index=https://x/y --cache=/c --require=a@v1.0.0,b@v1.0.0 --build",
		Options{Version: "1.35", Index: "https://x/y", Cache: "/c", Build: true, Require: []string{"a@v1.0.0", "b@v1.0.0"}})
	if !strings.Contains(progress.String(), "building") {
		t.Error("no progress")
	}
	other := filepath.Join(t.TempDir(), "other")
	program(t, other)
	t.Setenv("WEBHOOK_GEN", other)
	asks("assets", Options{})
	t.Setenv("KUBEBUILDER_ASSETS", root)
	if _, err := Assets(t.Context(), Options{}); err == nil || !strings.Contains(err.Error(), "without kube-apiserver") {
		t.Errorf("an empty folder: %v", err)
	}
	program(t, filepath.Join(root, "kube-apiserver"))
	program(t, filepath.Join(root, "etcd"))
	asks(root, Options{})
}

func TestFindTool(t *testing.T) {
	t.Setenv("WEBHOOK_GEN", "")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/x\n\ngo 1.24\n\ntool "+programPackage+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if got, err := findProgram(); err != nil || strings.Join(got, " ") != "go tool webhook-gen" {
		t.Errorf("%q, %v", got, err)
	}
}

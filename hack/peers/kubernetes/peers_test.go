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
	for _, name := range []string{"go.mod", "go.sum"} {
		text := bytes.ReplaceAll(read(t, name), []byte("../../.."), []byte(root))
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	conversions := filepath.Join(dir, "conversions")
	if err := os.CopyFS(conversions, os.DirFS(filepath.Join("testdata", "conversions"))); err != nil {
		t.Fatal(err)
	}
	run(t, dir, webhookGen)
	upstream := filepath.Join(strings.TrimSpace(run(t, ".", "go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes")), "pkg", "apis")
	for _, version := range []string{"apps/v1beta1", "apps/v1beta2", "autoscaling/v1"} {
		t.Logf("%s: %d markers, %d lines by hand, %d generated", version, bytes.Count(read(t, conversions, version, "doc.go"), []byte("// +webhook")),
			code(t, conversions, version, "hooks.go"), bytes.Count(read(t, conversions, version, "zz_generated.conversion.go"), []byte("\n")))
	}
	t.Logf("apps/selector: %d lines by hand", code(t, conversions, "apps/selector/selector.go"))
	for _, version := range []string{"apps/v1beta1", "apps/v1beta2", "apps/v1", "autoscaling/v1", "autoscaling/v2"} {
		t.Logf("upstream %s: %d lines by hand, %d generated", version, code(t, upstream, version, "conversion.go"),
			bytes.Count(read(t, upstream, version, "zz_generated.conversion.go"), []byte("\n")))
	}
	t.Log(run(t, dir, "go", "test", "-count=1", "-timeout", "30m", "-v", "./conversions"))
}

// run runs a command in a folder and returns its output.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
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

// code counts the lines of a file that are neither blank nor comment; 0 without such a file.
func code(t *testing.T, path ...string) int {
	t.Helper()
	if _, err := os.Stat(filepath.Join(path...)); err != nil {
		return 0
	}
	lines, inComment := 0, false
	for line := range strings.Lines(string(read(t, path...))) {
		line = strings.TrimSpace(line)
		switch {
		case inComment:
			inComment = !strings.Contains(line, "*/")
		case strings.HasPrefix(line, "/*"):
			inComment = !strings.Contains(line, "*/")
		case line != "" && !strings.HasPrefix(line, "//"):
			lines++
		}
	}
	return lines
}

// SPDX-License-Identifier: Apache-2.0

package controllerruntime

import (
	"bytes"
	"errors"
	"os"
	osexec "os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestExisting runs the tests that create tests writes for a project with controller-runtime's webhooks. Each kind of
// the project has another defect, which the tests must report with the smallest object that shows it, and nothing else.
func TestExisting(t *testing.T) {
	_, dir, webhookGen := project(t, "existing")
	execute(t, dir, webhookGen, "generate")
	if said := execute(t, dir, webhookGen, "create", "tests", "--skip-tidy"); strings.Contains(said, "fill in") {
		t.Errorf("not all handlers are filled in:\n%s", said)
	}
	execute(t, dir, "go", "vet", "./...")

	cmd := osexec.Command("go", "test", "-v", "./internal/webhook/v1", "-run", "TestWebhookHandlers")
	cmd.Dir = dir
	output, err := cmd.CombinedOutput()
	if failed := new(osexec.ExitError); !errors.As(err, &failed) {
		t.Fatalf("the tests pass, although webhooks have defects: %v\n%s", err, output)
	}
	failed := map[string]bool{}
	for _, match := range regexp.MustCompile(`(?m)^\s+--- FAIL: TestWebhookHandlers/(\S+/\S+) `).FindAllSubmatch(output, -1) {
		failed[string(match[1])] = true
	}
	flat := bytes.ReplaceAll(output, []byte("\n        "), []byte("\n")) // go test indents what a subtest reports
	const object = "\nmetadata:\n  name: filled\n  namespace: default\n"
	for _, want := range []struct{ test, finding, object string }{
		{"vpanicking-v1.kb.io/CREATE", "ValidateCreate panics: runtime error: invalid memory address or nil pointer dereference, at webhooks.go:", "\nkind: Panicking" + object + "spec:\n  limits: {}\n"},
		{"vunordered-v1.kb.io/CREATE", "ValidateCreate answers the same request differently:", "\nkind: Unordered" + object + "spec:\n  labels:\n    text-"},
		{"mgrowing-v1.kb.io/CREATE", "Default changes its own result (-result +changed):", "\nkind: Growing" + object},
		{"vstuck-v1.kb.io/deletion", "ValidateUpdate denies that the last finalizer is removed from an object that is being deleted", "\nspec:\n  items:\n  - name: "},
	} {
		if !failed[want.test] || !bytes.Contains(flat, []byte(want.finding)) || !bytes.Contains(flat, []byte(want.object)) {
			t.Errorf("%s does not report %q with %s", want.test, want.finding, want.object)
		}
		delete(failed, want.test)
	}
	for test := range failed {
		t.Errorf("%s fails, and that webhook has no defect", test)
	}
	if t.Failed() {
		t.Logf("%s", output)
	}
	const screen = 24
	reports, _, _ := bytes.Cut(output, []byte("\n--- ")) // the rest is the list of tests
	for finding := range bytes.SplitSeq(reports, []byte("\n=== ")) {
		if lines := bytes.Count(finding, []byte("\n")); bytes.Contains(finding, []byte("existing.go:")) && lines > screen {
			t.Errorf("a finding has %d lines:\n%s", lines, finding)
		}
	}
}

// project copies a project of testdata, with the requirements of this module. It returns the folders of this tree and
// of the project, and the program.
func project(t *testing.T, name string) (root, dir, webhookGen string) {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", name))); err != nil {
		t.Fatal(err)
	}
	requirements, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("module github.com/webhook-gen/webhook-gen/hack/peers/controllerruntime", "module example.com/app", "../../..", root).
		Replace(string(requirements))
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"go.mod": []byte(text), "go.sum": sums} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	webhookGen = filepath.Join(t.TempDir(), "webhook-gen")
	execute(t, root, "go", "build", "-o", webhookGen, "./cmd/webhook-gen")
	return root, dir, webhookGen
}

// execute runs a command in a folder and returns what it prints.
func execute(t testing.TB, dir, name string, args ...string) string {
	t.Helper()
	cmd := osexec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return string(out)
}

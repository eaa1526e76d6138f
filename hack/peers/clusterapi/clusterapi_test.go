// SPDX-License-Identifier: Apache-2.0

package clusterapi

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

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

// generated makes a module of this one's dependencies, with the folders of testdata in it, and generates
// the conversions. It logs how long that takes.
func generated(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.Replace(text, []byte("/hack/peers\n"), []byte("/hack/peers/clusterapi\n"), 1)
		text = bytes.ReplaceAll(text, []byte("../../runtime"), []byte(filepath.Join(root, "runtime")))
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(dir, os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	webhookGen := filepath.Join(t.TempDir(), "webhook-gen")
	run(t, ".", "go", "-C", filepath.Join("..", "..", ".."), "build", "-o", webhookGen, "./cmd/webhook-gen")
	start := time.Now()
	run(t, dir, webhookGen, "generate", "./v1beta1")
	t.Logf("generated in %v", time.Since(start).Round(time.Millisecond))
	return dir
}

// theirModule is the folder of a module of theirs.
func theirModule(t *testing.T, path string) string {
	t.Helper()
	return strings.TrimSpace(run(t, ".", "go", "list", "-m", "-f", "{{.Dir}}", path))
}

// TestInvariants checks the invariants of conversions for all kinds.
func TestInvariants(t *testing.T) {
	dir := generated(t)
	run(t, dir, "go", "vet", "./v1beta1")
	run(t, dir, "go", "test", "./v1beta1")
}

// TestTheirs runs Cluster API's own fuzz tests on our functions: it copies their package, and the test calls our
// functions in place of theirs. It also compares the converted objects.
func TestTheirs(t *testing.T) {
	dir := generated(t)
	theirs := filepath.Join(dir, "theirs")
	if err := os.CopyFS(theirs, os.DirFS(filepath.Join(theirModule(t, "sigs.k8s.io/cluster-api"), "core", "webhooks", "conversion"))); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(theirs, "conversion_test.go")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	const kind = `(Cluster|ClusterClass|Machine\w*)`
	calls := 0
	for _, call := range []struct{ theirs, ours string }{
		{`ConvertSpokeToHubFunc: Convert` + kind + `V1Beta1ToHub,`, "ConvertSpokeToHubFunc: toHub(ours.${1}ToHub),"},
		{`ConvertHubToSpokeFunc: Convert` + kind + `HubToV1Beta1,`, "ConvertHubToSpokeFunc: fromHub(ours.${1}FromHub),"},
	} {
		pattern := regexp.MustCompile(call.theirs)
		calls += len(pattern.FindAll(text, -1))
		text = pattern.ReplaceAll(text, []byte(call.ours))
	}
	if calls != 2*8 {
		t.Fatalf("%d of their functions are called in the test, want two for each of eight kinds", calls)
	}
	text = bytes.ReplaceAll(text, []byte("[]fuzzer.FuzzerFuncs{"), []byte("[]fuzzer.FuzzerFuncs{named, "))
	if err := os.Chmod(name, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Log(run(t, dir, "go", "test", "-timeout=30m", "-v", "-run", `^Test(Differential|TheirAnnotation)$`, "./theirs"))
	out := run(t, dir, "go", "test", "-timeout=30m", "-v", "-run", `^TestFuzzyConversion$/^for_`+kind+`_\(v1beta1\)$`, "./theirs")
	if passed := len(regexp.MustCompile(`(?m)^        --- PASS`).FindAllString(out, -1)); passed != calls {
		t.Errorf("%d of their tests pass, want %d\n%s", passed, calls, out)
	}
}

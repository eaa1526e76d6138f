// SPDX-License-Identifier: Apache-2.0

package karpenter

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestKarpenter generates karpenter's conversions from markers and runs the tests beside the markers. They check the
// invariants of conversions, and compare random objects with karpenter's own conversions.
func TestKarpenter(t *testing.T) {
	run(t, module(t), "go", "test", "./karpenter/...")
}

// deviations are karpenter's own tests that our conversions do not pass, with reasons.
var deviations = map[string]string{
	"Convert V1 to V1beta1 NodePool API should convert v1 nodepool metadata":                                                                        keepsGroup,
	"Convert V1 to V1beta1 NodePool API NodePool Spec NodeClaimTemplate NodeClassRef should not panic when the v1 nodeclassRef is not defined":      inventsNothing,
	"Convert V1beta1 to V1 NodePool API NodePool Spec NodeClaimTemplate NodeClassRef should not panic when the v1beta1 nodeclassRef is not defined": inventsNothing,
	"Convert v1 to v1beta1 NodeClaim API NodeClaim Spec NodeClassRef should not panic when the v1 nodeclassRef is not defined":                      inventsNothing,
	"Convert V1beta1 to V1 NodeClaim API NodeClaim Spec NodeClassRef should not panic when the v1beta1 nodeclassRef is not defined":                 inventsNothing,
}

const (
	keepsGroup = "the node class's group, which v1beta1 cannot represent and karpenter loses, is in our annotation, and the test wants none"

	inventsNothing = "none stays none, so that server-side apply makes no manager own a reference that it never set; the test wants an empty one"
)

// TestExpectations runs karpenter's own tests of its conversions, in a copy of its module whose methods call ours.
func TestExpectations(t *testing.T) {
	dir := module(t)
	karpenter := strings.TrimSpace(run(t, dir, "go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/karpenter"))
	if err := os.CopyFS(filepath.Join(dir, "copy"), os.DirFS(karpenter)); err != nil {
		t.Fatal(err)
	}
	types := filepath.Join(dir, "copy", "pkg", "apis", "v1")
	files, err := os.ReadDir(types)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		test, conversions := strings.HasSuffix(f.Name(), "_test.go"), strings.HasSuffix(strings.TrimSuffix(f.Name(), "_test.go"), "_conversion")
		if test && !conversions || strings.HasSuffix(f.Name(), "_conversion.go") {
			if err := os.Remove(filepath.Join(types, f.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.CopyFS(types, os.DirFS(filepath.Join("testdata", "suite"))); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "go", "mod", "edit", "-replace", "sigs.k8s.io/karpenter=./copy")

	failed, ran := specs(t, dir)
	t.Logf("%d of karpenter's %d tests pass", ran-len(failed), ran)
	if ran < 79 {
		t.Errorf("only %d tests ran", ran)
	}
	for _, name := range failed {
		if _, known := deviations[name]; !known {
			t.Errorf("fails: %s", name)
		}
	}
	for name := range deviations {
		if !slices.Contains(failed, name) {
			t.Errorf("passes, and is no deviation: %s", name)
		}
	}
}

// specs runs karpenter's tests. It returns the names of the failed tests, and the number of tests that ran.
func specs(t *testing.T, dir string) (failed []string, ran int) {
	t.Helper()
	report := filepath.Join(dir, "report.json")
	// The command fails if a test does.
	out, _ := command(dir, "go", "test", "sigs.k8s.io/karpenter/pkg/apis/v1", "-args", "--ginkgo.no-color", "--ginkgo.json-report="+report).CombinedOutput()
	text, err := os.ReadFile(report)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var suites []struct {
		SpecReports []struct {
			ContainerHierarchyTexts           []string
			LeafNodeText, LeafNodeType, State string
		}
	}
	if err := json.Unmarshal(text, &suites); err != nil {
		t.Fatal(err)
	}
	for _, s := range suites {
		for _, r := range s.SpecReports {
			if r.LeafNodeType != "It" {
				continue
			}
			if ran++; r.State != "passed" {
				failed = append(failed, strings.Join(append(r.ContainerHierarchyTexts, r.LeafNodeText), " "))
			}
		}
	}
	return failed, ran
}

// module makes a module of this one's dependencies with the markers in it, and generates the conversions.
func module(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(dir, "karpenter"), os.DirFS(filepath.Join("testdata", "karpenter"))); err != nil {
		t.Fatal(err)
	}
	requireRuntime(t, dir)
	webhookGen := filepath.Join(t.TempDir(), "webhook-gen")
	run(t, ".", "go", "-C", filepath.Join("..", "..", ".."), "build", "-o", webhookGen, "./cmd/webhook-gen")
	run(t, dir, webhookGen)
	return dir
}

// requireRuntime requires a copy of the runtime module whose go.mod requires nothing: karpenter's dependencies
// are older.
func requireRuntime(t *testing.T, dir string) {
	t.Helper()
	const path = "github.com/webhook-gen/webhook-gen/runtime"
	copied := filepath.Join(dir, "runtime")
	if err := os.CopyFS(copied, os.DirFS(filepath.Join("..", "..", "..", "runtime"))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(copied, "go.mod"), []byte("module "+path+"\n\ngo 1.24.0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "go", "mod", "edit", "-require="+path+"@v0.0.0", "-replace="+path+"=./runtime")
}

// run runs a command in a folder and returns its output.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := command(dir, name, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", filepath.Base(name), strings.Join(args, " "), err, out, &stderr)
	}
	return string(out)
}

func command(dir, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"))
	return cmd
}

// SPDX-License-Identifier: Apache-2.0

package controllerruntime

import (
	"bytes"
	"fmt"
	"math"
	"os"
	osexec "os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

// TestVendored runs the other tests of this package in a module that keeps a copy of the runtime. Those of the examples
// are left out: they start the examples' programs.
func TestVendored(t *testing.T) {
	execute(t, vendored(t), "go", "test", "-skip", "^TestExamples$", ".")
}

// BenchmarkModes compares the time of a call that the runtime module answers with the time of the same call to a copy of
// the runtime. The two programs take turns, and the best time of each counts.
func BenchmarkModes(b *testing.B) {
	const rounds, noise = 5, 0.15
	programs := [2]string{filepath.Join(b.TempDir(), "import.test"), filepath.Join(b.TempDir(), "vendor.test")}
	execute(b, ".", "go", "test", "-c", "-o", programs[0], ".")
	execute(b, vendored(b), "go", "test", "-c", "-o", programs[1], ".")
	line := regexp.MustCompile(`(?m)^BenchmarkOurs/(\S+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns/op`)
	for b.Loop() {
		best := [2]map[string]float64{{}, {}}
		for range rounds {
			for i, program := range programs {
				out := execute(b, ".", program, "-test.run=^$", "-test.bench=^BenchmarkOurs$", "-test.benchtime=0.2s")
				for _, m := range line.FindAllStringSubmatch(out, -1) {
					ns, err := strconv.ParseFloat(m[2], 64)
					if err != nil {
						b.Fatal(err)
					}
					if was, ok := best[i][m[1]]; !ok || ns < was {
						best[i][m[1]] = ns
					}
				}
			}
		}
		if len(best[0]) != len(rows(b)) || len(best[1]) != len(best[0]) {
			b.Fatalf("times of %d and %d of %d rows", len(best[0]), len(best[1]), len(rows(b)))
		}
		logs := 0.0
		var texts []string
		for name, imported := range best[0] {
			ratio := best[1][name] / imported
			logs += math.Log(ratio)
			texts = append(texts, fmt.Sprintf("%s: module %.1f µs, copy %.1f µs, copy/module %.3f", name, imported/1e3, best[1][name]/1e3, ratio))
		}
		slices.Sort(texts)
		for _, text := range texts {
			b.Log(text)
		}
		ratio := math.Exp(logs / float64(len(best[0])))
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(ratio, "copy/module")
		if math.Abs(math.Log(ratio)) > noise {
			b.Errorf("a call takes the copy %.2f times as long as the module", ratio)
		}
	}
}

// vendored returns the folder of a copy of this module in which handlers.runtime is vendor.
func vendored(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "vendored_test.go")); err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	goMod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), bytes.ReplaceAll(goMod, []byte("../../.."), []byte(root)), 0o644); err != nil {
		t.Fatal(err)
	}
	webhookGen := filepath.Join(t.TempDir(), "webhook-gen")
	execute(t, root, "go", "build", "-o", webhookGen, "./cmd/webhook-gen")
	execute(t, dir, webhookGen, "runtime", "vendor")
	left := execute(t, dir, "go", "list", "-test", "-deps", "-f", "{{.ImportPath}}", ".")
	if regexp.MustCompile(`(?m)^github\.com/webhook-gen/webhook-gen/runtime/`).MatchString(left) {
		t.Fatal("the copy of this module imports the runtime module still")
	}
	return dir
}

// execute runs a command in a folder and returns what it prints.
func execute(t testing.TB, dir, name string, args ...string) string {
	t.Helper()
	cmd := osexec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return string(out)
}

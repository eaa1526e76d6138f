// SPDX-License-Identifier: Apache-2.0

package controllerruntime

import (
	"bytes"
	"os"
	osexec "os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"
)

// TestVendored runs the other tests of this package in a module that keeps a copy of the runtime. The tests of the
// examples are left out, because they start the examples' programs.
func TestVendored(t *testing.T) {
	dir := vendored(t)
	execute(t, dir, "go", "vet", "./...")
	execute(t, dir, "go", "test", "-skip", "^TestExamples$", ".")
}

// BenchmarkModes compares the processor time that the calls of BenchmarkOurs take the runtime module and a copy of it.
// The two programs take turns, and the median time of each counts.
func BenchmarkModes(b *testing.B) {
	const rounds, calls, noise = 15, "500x", 0.1
	programs := [2]string{filepath.Join(b.TempDir(), "import.test"), filepath.Join(b.TempDir(), "vendor.test")}
	execute(b, ".", "go", "test", "-c", "-o", programs[0], ".")
	execute(b, vendored(b), "go", "test", "-c", "-o", programs[1], ".")
	for b.Loop() {
		var times [2][]time.Duration
		for round := range 2 * rounds {
			i := (round + round/2) % 2 // so that neither is always the first
			cmd := osexec.Command(programs[i], "-test.run=^$", "-test.bench=^BenchmarkOurs$", "-test.benchtime="+calls)
			out, err := cmd.CombinedOutput()
			if err != nil || bytes.Count(out, []byte("\nBenchmarkOurs/")) != len(rows(b)) {
				b.Fatalf("%v\n%s", err, out)
			}
			times[i] = append(times[i], cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		}
		slices.Sort(times[0])
		slices.Sort(times[1])
		imported, copied := times[0][rounds/2], times[1][rounds/2]
		ratio := float64(copied) / float64(imported)
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(imported.Seconds(), "module-s")
		b.ReportMetric(copied.Seconds(), "copy-s")
		b.ReportMetric(ratio, "copy/module")
		if ratio < 1-noise || ratio > 1+noise {
			b.Errorf("the copy takes %.2f times as long as the module", ratio)
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
	// The tests here need each other or the module.
	for _, name := range []string{"vendored_test.go", "existing_test.go", "imported_test.go", "adapters_test.go"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
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
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return string(out)
}

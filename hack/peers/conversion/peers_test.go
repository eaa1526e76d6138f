// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// build builds webhook-gen, and conversion-gen at the version of go.mod.
func build(t *testing.T) (webhookGen, conversionGen string) {
	t.Helper()
	dir := t.TempDir()
	webhookGen, conversionGen = filepath.Join(dir, "webhook-gen"), filepath.Join(dir, "conversion-gen")
	run(t, ".", "go", "-C", filepath.Join("..", "..", ".."), "build", "-o", webhookGen, "./cmd/webhook-gen")
	run(t, ".", "go", "build", "-o", conversionGen, "k8s.io/code-generator/cmd/conversion-gen")
	return webhookGen, conversionGen
}

// run runs a command in a folder and returns how long it took.
func run(t *testing.T, dir, name string, args ...string) time.Duration {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"))
	start := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return time.Since(start)
}

// module makes a module of cert-manager's types with the folder of testdata in it.
func module(t *testing.T, folder string) string {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mod", "sum"} {
		text, err := os.ReadFile(filepath.Join("testdata", "certmanager."+name))
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.ReplaceAll(text, []byte("../../.."), []byte(root))
		if err := os.WriteFile(filepath.Join(dir, "go."+name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(dir, folder), os.DirFS(filepath.Join("testdata", folder))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestCertManager generates cert-manager's conversions from markers and runs the test beside the markers.
func TestCertManager(t *testing.T) {
	webhookGen, _ := build(t)
	dir := module(t, "certmanager")
	run(t, dir, webhookGen)
	for _, version := range []string{"v1alpha2", "v1alpha3", "v1beta1"} {
		markers, generated := lines(t, dir, version, "doc.go"), lines(t, dir, version, "zz_generated.conversion.go")
		t.Logf("%s: %d lines with markers, %d generated, none by hand", version, markers, generated)
	}
	run(t, dir, "go", "vet", "./certmanager/...")
	run(t, dir, "go", "test", "./certmanager/...")
}

// lines counts a file's lines; of doc.go, those with markers.
func lines(t *testing.T, dir, version, name string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "certmanager", version, name))
	if err != nil {
		t.Fatal(err)
	}
	if name == "doc.go" {
		return bytes.Count(text, []byte("// +webhook"))
	}
	return bytes.Count(text, []byte("\n"))
}

// TestFaster has both generators write the conversions of one version of cert-manager's types, in turns,
// and compares the best times. conversion-gen takes the two groups as two packages in one call.
func TestFaster(t *testing.T) {
	const least = 10
	webhookGen, conversionGen := build(t)
	ours, theirs := module(t, "certmanager"), module(t, "conversiongen")
	for _, version := range []string{"v1alpha3", "v1beta1"} {
		if err := os.RemoveAll(filepath.Join(ours, "certmanager", version)); err != nil {
			t.Fatal(err)
		}
	}
	best := [2]time.Duration{time.Hour, time.Hour}
	for range 3 {
		best[0] = min(best[0], run(t, ours, webhookGen, "generate", "./certmanager/v1alpha2"))
		best[1] = min(best[1], run(t, theirs, conversionGen, "--output-file", "zz_generated.conversion.go", "./conversiongen/acme", "./conversiongen/certmanager"))
		for _, generated := range []string{filepath.Join(ours, "certmanager/v1alpha2"), filepath.Join(theirs, "conversiongen/acme"), filepath.Join(theirs, "conversiongen/certmanager")} {
			file := filepath.Join(generated, "zz_generated.conversion.go")
			if info, err := os.Stat(file); err != nil || info.Size() < 1000 {
				t.Fatal("nothing was generated", file, err)
			}
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}
	}
	ratio := float64(best[1]) / float64(best[0])
	fmt.Printf("conversions of cert-manager v1alpha2: webhook-gen %v, conversion-gen %v: %.0f times as fast\n", best[0].Round(time.Millisecond), best[1].Round(time.Millisecond), ratio)
	if ratio < least {
		t.Errorf("only %.1f times as fast as conversion-gen, want %d", ratio, least)
	}
}

// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"flag"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Timings disturb tests that run at the same time and take minutes, so they run when asked
// for by name: go test -run TestRatio -v.
func onlyByName(t *testing.T) {
	if flag.Lookup("test.run").Value.String() == "" {
		t.Skip("timings run by name: go test -run TestRatio -v")
	}
}

// TestRatioToControllerGen requires a manifest in a twentieth of controller-gen's processor time and 0.7 of its memory
// on cluster-api. It calls controller-gen in two ways: by folders, as projects do, or by import path, which spares it
// half of the time.
func TestRatioToControllerGen(t *testing.T) {
	onlyByName(t)
	m := clusterAPI()
	dir := m.copy(t)
	results := race(t, 10,
		func() *exec.Cmd { return built.generate(dir) },
		func() *exec.Cmd { return built.controller(dir, "./...") },
		func() *exec.Cmd { return built.controller(dir, m.name+"/...") },
	)
	ours := results[0]
	t.Logf("webhook-gen generate              %v", ours)
	for i, name := range []string{"controller-gen paths=./...        ", "controller-gen paths=<module>/... "} {
		theirs := results[i+1]
		faster := ratio(theirs, ours)
		memory := float64(ours.medianMemory()) / float64(theirs.medianMemory())
		t.Logf("%s%v  time %.0f times ours, our memory %.2f of theirs", name, theirs, faster, memory)
		if faster < 20 {
			t.Errorf("%s takes %.1f times as long as webhook-gen; wanted 20", name, faster)
		}
		if memory > 0.7 {
			t.Errorf("webhook-gen takes %.2f of the memory of %s; wanted 0.7", memory, name)
		}
	}
}

// TestRatioOfVerify requires that verify without changes costs little more than a generate without changes.
func TestRatioOfVerify(t *testing.T) {
	onlyByName(t)
	dir := clusterAPI().copy(t)
	if o := run(t, in(dir, exec.Command(built.webhookGen, "generate"))); o.code != 0 {
		t.Fatal(o.messages)
	}
	results := race(t, 30,
		func() *exec.Cmd { return in(dir, exec.Command(built.webhookGen, "generate")) },
		func() *exec.Cmd { return in(dir, exec.Command(built.webhookGen, "verify")) },
	)
	verify := ratio(results[1], results[0])
	t.Logf("generate  %v", results[0])
	t.Logf("verify    %v  %.2f times generate", results[1], verify)
	if verify > 1.25 {
		t.Errorf("verify takes %.2f times as long as generate; wanted 1.25", verify)
	}
}

// TestRatioOfSizes requires that ten times the types take at most ten times as long.
func TestRatioOfSizes(t *testing.T) {
	onlyByName(t)
	for _, dialect := range []struct{ name, above, doc string }{
		{"+webhook", "", "//\n// +webhook:mutating(operations: \"create\")\n// +webhook:validating(operations: \"create;update\")\n"},
		{"+kubebuilder:webhook", "// +kubebuilder:webhook:$REST,name=m$NAME.example.com\n\n// +kubebuilder:webhook:$REST,name=v$NAME.example.com,mutating=false\n\n", ""},
	} {
		t.Run(dialect.name, func(t *testing.T) {
			sizes := []int{10, 100, 1000}
			var commands []func() *exec.Cmd
			for _, n := range sizes {
				dir := filepath.Join(t.TempDir(), "m")
				writeTypes(t, dir, n, dialect.above, dialect.doc)
				commands = append(commands, func() *exec.Cmd { return built.generate(dir) })
				o := run(t, built.generate(dir))
				if webhooks := strings.Count(o.manifest, "- admissionReviewVersions:"); webhooks != 2*n {
					t.Fatalf("%d types give %d webhooks\n%s", n, webhooks, head(o.messages))
				}
			}
			results := race(t, 10, commands...)
			for i, n := range sizes {
				t.Logf("%4d types  %v", n, results[i])
				if i > 0 {
					if growth := ratio(results[i], results[i-1]); growth > 10 {
						t.Errorf("ten times the types take %.1f times as long", growth)
					}
				}
			}
		})
	}
}

// writeTypes writes a module with n types, ten to a package, and two webhooks each.
func writeTypes(t testing.TB, dir string, n int, above, doc string) {
	t.Helper()
	layOut(t, dir, nil)
	for p := range n / 10 {
		var src strings.Builder
		fmt.Fprintf(&src, "// Package v1 is an API.\n//\n// +groupName=g%d.example.com\npackage v1\n", p)
		for i := range 10 {
			name := fmt.Sprintf("Kind%dOf%d", i, p)
			fmt.Fprintf(&src, "\n%s// %s is a kind.\n%stype %s struct {\n\tA, B string\n\tC map[string]int\n}\n",
				strings.ReplaceAll(macros.Replace(above), "$NAME", strings.ToLower(name)), name, doc, name)
		}
		writeFile(t, filepath.Join(dir, fmt.Sprintf("g%d", p), "v1", "types.go"), []byte(src.String()))
	}
}

// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/pprof"
	"strconv"
	"strings"
	"testing"
)

// ofPolicies matches the files whose code is for policies and CEL expressions alone.
const ofPolicies = `generator/internal/.*/([a-z_]*polic(y|ies)[a-z_]*|expressions)\.go`

// BenchmarkPolicyShare limits the code of policies to 1 % of the processor time of `generate` in a project without
// expressions: 1000 webhooks of 500 types in 25 packages. The share is of a profile of all rounds.
func BenchmarkPolicyShare(b *testing.B) {
	const allowed = 1.0 // percent
	dir := b.TempDir()
	write := func(name, text string) {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	write("go.mod", "module example.com/app\n\ngo 1.26\n")
	write("webhook-gen.yaml", "version: 1\noutputs: [manifests, handlers]\n")
	for p := range 25 {
		var types strings.Builder
		fmt.Fprintf(&types, "// +groupName=g%d.example.com\n// +versionName=v1\npackage v1\n", p)
		for n := range 20 {
			fmt.Fprintf(&types, "\n// Widget%d is one of many.\n//\n// +webhook:mutating(operations: \"create\")\n// +webhook:validating(operations: \"create;update\")\n"+
				"type Widget%d struct {\n\tName string `json:\"name\"`\n}\n", n, n)
		}
		write(fmt.Sprintf("api/g%d/v1/types.go", p), types.String())
	}
	b.Chdir(dir)
	var out bytes.Buffer
	generate := func() {
		out.Reset()
		if code := run(context.Background(), []string{"generate"}, streams{out: &out, err: &out}); code != 0 {
			b.Fatal(out.String())
		}
	}
	generate()
	profile := filepath.Join(b.TempDir(), "cpu")
	file, err := os.Create(profile)
	if err != nil {
		b.Fatal(err)
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		generate()
	}
	pprof.StopCPUProfile()
	if err := file.Close(); err != nil {
		b.Fatal(err)
	}
	total, policies := profiled(b, profile, `command\.run`), profiled(b, profile, ofPolicies)
	share := 100 * policies / total
	b.ReportMetric(share, "%")
	if total < 2 {
		b.Logf("%.1f s are too short to judge: -benchtime 8x", total)
	} else if share > allowed {
		b.Errorf("policies take %.2f %% of %.1f s; %.0f %% are allowed", share, total, allowed)
	}
}

// profiled returns the seconds of a profile in the code that a regular expression matches, and below it.
func profiled(b *testing.B, profile, focus string) float64 {
	b.Helper()
	text, err := exec.Command("go", "tool", "pprof", "-top", "-nodecount=1000000", "-nodefraction=0", "-edgefraction=0", "-unit=ms", "-focus="+focus, profile).Output()
	if err != nil {
		b.Fatal(err)
	}
	m := regexp.MustCompile(`Showing nodes accounting for ([0-9.]+)(ms)?, `).FindSubmatch(text)
	if m == nil {
		b.Fatalf("no sum in\n%s", text)
	}
	milliseconds, err := strconv.ParseFloat(string(m[1]), 64)
	if err != nil {
		b.Fatal(err)
	}
	return milliseconds / 1000
}

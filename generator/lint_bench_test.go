// SPDX-License-Identifier: Apache-2.0

package generator

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/inspect"
)

// BenchmarkLintRatio limits the time of lint on 1000 webhooks to twice the time in which generate makes their manifest.
// It measures lint of their markers and of that manifest in one run. The best of several rounds counts, so that load on
// the machine matters less.
func BenchmarkLintRatio(b *testing.B) {
	const allowed = 2.0
	dir := manyWebhooks(b)
	config := engine.Config{Dir: dir, Outputs: []string{"manifests"}}
	first := engine.Generate(context.Background(), config)
	if d := append(first.Diagnostics, first.Write()...); len(d) > 0 {
		b.Fatalf("%v", d[0])
	}
	manifest := filepath.Join(dir, "config", "webhook", "manifests.yaml")
	best := map[string]time.Duration{}
	measure := func(what string, work func()) {
		began := time.Now()
		work()
		if took := time.Since(began); best[what] == 0 || took < best[what] {
			best[what] = took
		}
	}
	for b.Loop() {
		measure("generate", func() { engine.Generate(context.Background(), config) })
		measure("markers", func() {
			r, err := inspect.Lint(context.Background(), config, "")
			if err != nil || r.Webhooks != 1000 || len(r.Diagnostics) != 500 {
				b.Fatalf("%d webhooks, %d findings: %v", r.Webhooks, len(r.Diagnostics), err)
			}
		})
		measure("manifest", func() {
			r, err := inspect.LintManifests(dir, []string{manifest}, nil, "")
			if err != nil || r.Webhooks != 1000 || len(r.Diagnostics) != 500 {
				b.Fatalf("%d webhooks, %d findings: %v", r.Webhooks, len(r.Diagnostics), err)
			}
		})
	}
	for _, what := range []string{"markers", "manifest"} {
		ratio := float64(best[what]) / float64(best["generate"])
		b.ReportMetric(ratio, what+"/generate")
		if ratio > allowed {
			b.Errorf("lint of %s takes %.2f of the time of generate; %.0f are allowed", what, ratio, allowed)
		}
	}
}

// manyWebhooks writes a module with 500 types in 25 packages. Each type has a mutating webhook with a finding, and a
// validating one.
func manyWebhooks(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	writeFile(b, filepath.Join(dir, "go.mod"), "module example.com/app\n\ngo 1.26\n")
	for p := range 25 {
		var types strings.Builder
		fmt.Fprintf(&types, "// +groupName=g%d.example.com\n// +versionName=v1\npackage v1\n", p)
		for n := range 20 {
			fmt.Fprintf(&types, "\n// Widget%d is one of many.\n//\n// +webhook:mutating(operations: \"create\", failurePolicy: Ignore, timeoutSeconds: 11)\n"+
				"// +webhook:validating(operations: \"create;update\")\ntype Widget%d struct {\n\tName string `json:\"name\"`\n}\n", n, n)
		}
		writeFile(b, filepath.Join(dir, fmt.Sprintf("api/g%d/v1/types.go", p)), types.String())
	}
	return dir
}

package generator

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestLintIsFast holds lint on 1000 webhooks to twice the time in which generate makes their manifest, in one run: of their
// markers, and of that manifest. The best of several rounds counts, which is what a busy machine leaves alone.
func TestLintIsFast(t *testing.T) {
	const rounds, allowed = 5, 2.0
	dir := manyWebhooks(t)
	config := Config{Dir: dir, Outputs: []string{"manifests"}}
	first := Generate(context.Background(), config)
	if d := append(first.Diagnostics, first.Write()...); len(d) > 0 {
		t.Fatalf("%v", d[0])
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
	for range rounds {
		measure("generate", func() { Generate(context.Background(), config) })
		measure("markers", func() {
			if r := Lint(context.Background(), config, nil); r.Webhooks != 1000 || len(r.Diagnostics) != 500 {
				t.Fatalf("%d webhooks, %d findings", r.Webhooks, len(r.Diagnostics))
			}
		})
		measure("manifest", func() {
			r, err := LintManifests(dir, []string{manifest}, nil, nil)
			if err != nil || r.Webhooks != 1000 || len(r.Diagnostics) != 500 {
				t.Fatalf("%d webhooks, %d findings: %v", r.Webhooks, len(r.Diagnostics), err)
			}
		})
	}
	for _, what := range []string{"markers", "manifest"} {
		ratio := float64(best[what]) / float64(best["generate"])
		t.Logf("lint of 1000 webhooks' %s: %.2f of the time of generate (%v, %v)", what, ratio, best[what].Round(time.Millisecond), best["generate"].Round(time.Millisecond))
		if ratio > allowed {
			t.Errorf("lint of %s takes %.2f of the time of generate; %.0f are allowed", what, ratio, allowed)
		}
	}
}

// manyWebhooks is a module with 500 types in 25 packages, each with a mutating webhook that has a finding and a validating one.
func manyWebhooks(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "go.mod"), "module example.com/app\n\ngo 1.26\n")
	for p := range 25 {
		var b strings.Builder
		fmt.Fprintf(&b, "// +groupName=g%d.example.com\n// +versionName=v1\npackage v1\n", p)
		for n := range 20 {
			fmt.Fprintf(&b, "\n// Widget%d is one of many.\n//\n// +webhook:mutating(operations: \"create\", failurePolicy: Ignore, timeoutSeconds: 11)\n"+
				"// +webhook:validating(operations: \"create;update\")\ntype Widget%d struct {\n\tName string `json:\"name\"`\n}\n", n, n)
		}
		writeFile(t, filepath.Join(dir, fmt.Sprintf("api/g%d/v1/types.go", p)), b.String())
	}
	return dir
}

// SPDX-License-Identifier: Apache-2.0

package generator

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
)

// manyPackages writes a module with n packages, each with one marked type.
func manyPackages(tb testing.TB, n int) (dir string, patterns []string) {
	tb.Helper()
	dir = tb.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	write("go.mod", "module example.com/app\n\ngo 1.26\n")
	for i := range n {
		folder := fmt.Sprintf("api/g%d/v1", i)
		patterns = append(patterns, "./"+folder)
		write(folder+"/doc.go", fmt.Sprintf("// +groupName=g%d.example.com\npackage v1\n", i))
		write(folder+"/types.go", "package v1\n\n// +kubebuilder:object:root=true\n// +webhook:mutating(operations: \"create\")\n// +webhook:validating(operations: \"create;update\")\ntype Thing struct {\n\tSpec Spec `json:\"spec\"`\n}\n\ntype Spec struct {\n\tName string `json:\"name\"`\n}\n")
		write(folder+"/helpers.go", "package v1\n\nfunc (t *Thing) name() string { return t.Spec.Name }\n")
		write(folder+"/kubebuilder.go", fmt.Sprintf("package v1\n\n// +kubebuilder:webhook:path=/k%d,mutating=true,failurePolicy=fail,sideEffects=None,groups=a,resources=b,verbs=create,versions=v1,name=k%d.x.kb.io,admissionReviewVersions=v1\n\ntype K struct{}\n", i, i%(n/2+1)))
	}
	return dir, patterns
}

// TestSameBytes checks that output and diagnostics do not depend on the order of the patterns, the working directory or
// the number of processors.
func TestSameBytes(t *testing.T) {
	dir, patterns := manyPackages(t, 30)
	want := engine.Generate(context.Background(), engine.Config{Dir: dir})
	if len(want.Manifest()) == 0 || want.Diagnostics.HasErrors() || len(want.Diagnostics) == 0 {
		t.Fatalf("nothing to compare: %v", want.Diagnostics)
	}
	same := func(what string, c engine.Config) {
		t.Helper()
		got := engine.Generate(context.Background(), c)
		if !bytes.Equal(got.Manifest(), want.Manifest()) {
			t.Errorf("%s: another manifest", what)
		}
		if fmt.Sprint(got.Diagnostics) != fmt.Sprint(want.Diagnostics) {
			t.Errorf("%s: other findings", what)
		}
	}
	same("explicit patterns", engine.Config{Dir: dir, Patterns: patterns})
	r := rand.New(rand.NewPCG(1, 1))
	for range 5 {
		shuffled := append([]string(nil), patterns...)
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		same("shuffled patterns", engine.Config{Dir: dir, Patterns: append(shuffled, shuffled[0])})
	}
	same("another working directory", engine.Config{Dir: filepath.Join(dir, "api", "g3")})
	same("import paths", engine.Config{Dir: filepath.Join(dir, "api"), Patterns: []string{"example.com/app/..."}})
	before := runtime.GOMAXPROCS(1)
	same("one processor", engine.Config{Dir: dir})
	runtime.GOMAXPROCS(before)
	if diags := want.Write(); diags.HasErrors() {
		t.Fatal(diags)
	}
	same("over its own output", engine.Config{Dir: dir})
}

// BenchmarkGenerate shows that the cost is linear in the number of marked types.
func BenchmarkGenerate(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir, _ := manyPackages(b, n)
			b.ReportAllocs()
			for b.Loop() {
				if r := engine.Generate(context.Background(), engine.Config{Dir: dir}); len(r.Manifest()) == 0 {
					b.Fatal(r.Diagnostics)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "us/type")
		})
	}
}

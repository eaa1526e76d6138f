// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"testing"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// BenchmarkClusterAPI resolves every type in the Clusters of cluster-api's core/v1beta1 and v1beta2, with no cache:
// it reads go.mod, locates the packages, and reads and parses their files.
func BenchmarkClusterAPI(b *testing.B) {
	dir := "../../../hack/peers"
	b.ReportAllocs()
	for b.Loop() {
		result, problems := load.Load(b.Context(), load.Config{Dir: dir})
		if problems.HasErrors() {
			b.Fatal(problems)
		}
		r := New(b.Context(), result.Module)
		fields := 0
		for _, version := range []string{"v1beta1", "v1beta2"} {
			t, err := r.Named("sigs.k8s.io/cluster-api/api/core/"+version, "Cluster")
			if err != nil {
				b.Fatal(err)
			}
			fields += countFields(b, t, map[*Type]bool{})
		}
		b.ReportMetric(float64(fields), "fields")
	}
}

// countFields counts the fields of every struct in a type.
func countFields(b *testing.B, t *Type, seen map[*Type]bool) int {
	if seen[t] {
		return 0
	}
	seen[t] = true
	if err := t.Err(); err != nil {
		b.Fatal(err)
	}
	count := 0
	for _, next := range []*Type{t.Key(), t.Elem()} {
		if next != nil {
			count += countFields(b, next, seen)
		}
	}
	for _, f := range t.Fields() {
		count += 1 + countFields(b, f.Type, seen)
	}
	return count
}

// SPDX-License-Identifier: Apache-2.0

package load

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkLoad loads trees whose packages have one marked file and four others. The cost must be linear in the
// number of files.
func BenchmarkLoad(b *testing.B) {
	for _, marked := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("marked=%d", marked), func(b *testing.B) {
			benchmark(b, writeTree(b, marked), marked)
		})
	}
}

// BenchmarkLoadClusterAPI loads a real module with 18 marked files among some 900, if the module cache contains it.
func BenchmarkLoadClusterAPI(b *testing.B) {
	cmd := exec.Command("go", "mod", "download", "-json", "sigs.k8s.io/cluster-api@v1.14.2")
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOSUMDB=off")
	out, err := cmd.Output()
	if err != nil {
		b.Skip("not in the module cache")
	}
	var download struct{ Dir string }
	if err := json.Unmarshal(out, &download); err != nil {
		b.Fatal(err)
	}
	benchmark(b, download.Dir, 0)
}

func benchmark(b *testing.B, dir string, packages int) {
	b.ReportAllocs()
	for b.Loop() {
		result, problems := Load(b.Context(), Config{
			Dir: dir, Patterns: []string{"./..."}, Markers: []string{"+webhook", "+kubebuilder:webhook"},
		})
		if problems.HasErrors() || len(result.Packages) < packages {
			b.Fatal(len(result.Packages), problems)
		}
	}
}

// writeTree writes a module with the given number of packages, whose files are as large as real ones.
func writeTree(b *testing.B, packages int) string {
	var body strings.Builder
	for i := range 40 {
		fmt.Fprintf(&body, "\n// F%d adds up. It has a comment of the length that comments have.\nfunc F%d(a, b int) int {\n\tif a > b {\n\t\treturn a + b*%d\n\t}\n\treturn b\n}\n", i, i, i)
	}
	dir := write(b, "-- go.mod --\nmodule example.com/m\n\ngo 1.25\n")
	for i := range packages {
		name := fmt.Sprintf("v%d", i)
		folder := filepath.Join(dir, fmt.Sprintf("group%d", i/10), name)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			b.Fatal(err)
		}
		files := map[string]string{"types.go": "package " + name + "\n\n// +webhook:validating(operations: \"create\")\ntype T struct{}\n" + body.String()}
		for j := range 4 {
			files[fmt.Sprintf("other%d.go", j)] = "package " + name + "\n" + body.String()
		}
		for file, text := range files {
			if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	return dir
}

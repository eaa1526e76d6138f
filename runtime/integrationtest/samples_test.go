// SPDX-License-Identifier: Apache-2.0

package integrationtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocuments reads YAML files of samples.
func TestDocuments(t *testing.T) {
	order := func(name string) string {
		return "apiVersion: shop.example.com/v1\nkind: Order\nmetadata:\n  name: " + name + "\n"
	}
	for name, test := range map[string]struct {
		file, text string
		want       string // position, name and expected messages of each sample, or the error
	}{
		"one":                       {"samples/order.yaml", order("a"), "samples/order.yaml:1 a []\n"},
		"several":                   {"samples/order.yaml", order("a") + "---\n" + order("b") + "--- # the last\n" + order("c"), "samples/order.yaml:1 a []\nsamples/order.yaml:6 b []\nsamples/order.yaml:11 c []\n"},
		"Windows' ends of lines":    {"samples/order.yaml", strings.ReplaceAll(order("a")+"---\n"+order("b"), "\n", "\r\n"), "samples/order.yaml:1 a []\nsamples/order.yaml:6 b []\n"},
		"no object":                 {"samples/kustomization.yaml", "resources: [order.yaml]\n", ""},
		"an empty document":         {"samples/order.yaml", "---\n\n---\n" + order("a"), "samples/order.yaml:4 a []\n"},
		"denied":                    {"samples/denied/order.yaml", "# denied: spec.sku\n#Denied : a name\n" + order("a"), "samples/denied/order.yaml:1 a [spec.sku a name]\n"},
		"a comment without a part":  {"samples/denied/order.yaml", "# denied:\n" + order("a"), "samples/denied/order.yaml:1 a []\n"},
		"a kustomization of denied": {"samples/denied/kustomization.yaml", "kind: Kustomization\nresources: [order.yaml]\n", ""},
		"denied elsewhere":          {"samples/order.yaml", "---\n# denied: spec.sku\n" + order("a"), "samples/order.yaml:2: it must be denied: move it to a folder named denied"},
		"denied without a name":     {"samples/denied/order.yaml", "# denied: spec.sku\nkind: Order\n", "samples/denied/order.yaml:1: no object: it has no metadata.name"},
		"an object without a name":  {"samples/denied/order.yaml", "kind: Order\n", "samples/denied/order.yaml:1: no object: it has no metadata.name"},
		"no YAML":                   {"samples/order.yaml", order("a") + "---\na: [\n", "samples/order.yaml:6: error converting YAML to JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			var got strings.Builder
			all, err := documents(test.file, test.text)
			for _, s := range all {
				fmt.Fprintln(&got, s.position, s.GetName(), s.denied)
			}
			if err != nil {
				got.Reset()
				got.WriteString(err.Error())
			}
			if got.String() != test.want && (err == nil || !strings.HasPrefix(got.String(), test.want)) {
				t.Errorf("got %q, want %q", got.String(), test.want)
			}
		})
	}
}

// TestSamples reads the YAML files of folders, and of folders below them. A folder may be missing.
func TestSamples(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.yaml", "a.yml", "denied/c.yaml", "README.md"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		text := "kind: Order\nmetadata:\n  name: " + strings.ReplaceAll(name, "/", "-") + "\n"
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, s := range samples(t, []string{filepath.ToSlash(dir), filepath.ToSlash(dir) + "/none"}) {
		got = append(got, fmt.Sprint(s.GetName(), " ", s.isDenied()))
	}
	if got, want := strings.Join(got, ", "), "a.yml false, b.yaml false, denied-c.yaml true"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

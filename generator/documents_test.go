// SPDX-License-Identifier: Apache-2.0

package generator

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
	"github.com/webhook-gen/webhook-gen/generator/internal/registry"
)

// byHand begins what of a page is not made from tables.
const byHand = "\n<!-- What follows is not made from the table. -->\n"

func TestDocuments(t *testing.T) {
	documents, err := Documents()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range documents {
		path := filepath.Join("..", "docs", name)
		got, err := os.ReadFile(path)
		if i := bytes.Index(got, []byte(byHand)); i >= 0 {
			want = append(want, got[i:]...)
		}
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("docs/%s is stale: go test ./generator -run TestDocuments -update", name)
		}
	}
}

// TestExamplesInTheRegistryParse holds every marker's own example to its definition.
func TestExamplesInTheRegistryParse(t *testing.T) {
	for _, d := range registry.Markers() {
		markers, diags := marker.Parse([]marker.Line{{Text: d.Example, Pos: diag.Position{File: "example.go", Line: 1, Column: 1}}}, registry.Prefix)
		var placed []marker.Placed
		for _, m := range markers {
			placed = append(placed, marker.Placed{Marker: m, On: d.On})
		}
		decoded, more := registry.Markers().Decode(placed)
		if diags = append(diags, more...); len(diags) > 0 || len(decoded) != 1 || decoded[0].Name != d.Name {
			t.Errorf("+%s: its example %q gives %d markers and %v", d.Name, d.Example, len(decoded), diags)
		}
	}
}

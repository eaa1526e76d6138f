// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/schema"
)

// TestOf compares the schema of a type that has every kind of field and marker with the one in testdata.
func TestOf(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/order.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var want string
	for _, f := range archive.Files {
		if f.Name == "want.json" {
			want = string(f.Data)
			continue
		}
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	source, diags := load.Load(context.Background(), load.Config{Dir: dir, Markers: []string{"package"}})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	order, err := resolve.New(context.Background(), source.Module).Named("example.com/app/api/v1", "Order")
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.MarshalIndent(schema.Of(order), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)+"\n"); diff != "" {
		t.Errorf("(-want +got)\n%s\n%s", diff, got)
	}
	var rules []string
	for _, r := range schema.Rules(order) {
		rules = append(rules, filepath.Join(r.Path...)+": "+r.Expression)
	}
	if diff := cmp.Diff([]string{": has(self.spec)", "spec: self.size > 0", "spec/note: self != ''"}, rules); diff != "" {
		t.Errorf("rules (-want +got)\n%s", diff)
	}
}

// SPDX-License-Identifier: Apache-2.0

package load

import (
	"go/parser"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestSpecialFolder reads files in a folder whose name contains pattern characters.
func TestSpecialFolder(t *testing.T) {
	root := filepath.Join(t.TempDir(), "shop[1] {a,b} ^*?")
	crds := filepath.Join(root, "config", "crd[s]")
	if err := os.MkdirAll(crds, 0o700); err != nil {
		t.Skip(err) // the file system does not allow such names
	}
	for name, text := range map[string]string{
		filepath.Join(crds, "orders.yaml"):    "a: b\n",
		filepath.Join(root, "orders_test.go"): "package v1\n\nfunc TestOrders() {}\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, pattern := range []string{"config/crd[s]", "config/*/*.yaml", "config/crd[[]s]/orders.yaml"} {
		if got := Names(root, pattern); !slices.Equal(got, []string{filepath.Join(crds, "orders.yaml")}) {
			t.Errorf("%s: %q", pattern, got)
		}
	}
	if !DeclaresInTest(root, "TestOrders") {
		t.Error("the test's function is not found")
	}
}

func TestTypeName(t *testing.T) {
	for text, want := range map[string]string{"A": "A", "*b.A": "A", "*A[B]": "A", "b.A[B, C]": "A", "(A)": "A", "[]A": ""} {
		e, err := parser.ParseExpr(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := TypeName(e); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

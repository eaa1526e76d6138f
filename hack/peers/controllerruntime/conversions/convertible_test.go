// SPDX-License-Identifier: Apache-2.0

package conversions

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestConvertible compiles the generator's scenario of methods for controller-runtime and runs its generated tests.
// Then controller-runtime serves the methods. The generator's own tests cannot do this: they do not depend on
// controller-runtime.
func TestConvertible(t *testing.T) {
	scenario, err := txtar.ParseFile(filepath.Join("..", "..", "..", "..", "generator", "testdata", "conversion_convertible.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := dependencies(t)
	run(t, dir, "", "go", "mod", "edit", "-module", "example.com/app")
	for _, f := range scenario.Files {
		if f.Name == "go.mod" || strings.HasPrefix(f.Name, "want/") {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(dir, "convertible"), os.DirFS("testdata/convertible")); err != nil {
		t.Fatal(err)
	}
	generate(t, dir)
	run(t, dir, "", "go", "vet", "./...")
	run(t, dir, "", "go", "test", "./...")
}

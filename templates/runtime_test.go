// SPDX-License-Identifier: Apache-2.0

package templates

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite runtime.txtar")

// TestRuntime compares runtime.txtar with the runtime module beside this one.
func TestRuntime(t *testing.T) {
	archive := txtar.Archive{Comment: []byte("The Go files of the runtime module. Edit those, and run make generate.\n")}
	root := os.DirFS("../runtime")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && name != "." {
			if _, err := fs.Stat(root, name+"/go.mod"); err == nil {
				return fs.SkipDir // another module
			}
		}
		if err != nil || d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(root, name)
		archive.Files = append(archive.Files, txtar.File{Name: name, Data: text})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := txtar.Format(&archive)
	if again := txtar.Parse(want); len(again.Files) != len(archive.Files) {
		t.Fatal("a Go file has a line that begins a file of the archive")
	}
	if *update {
		if err := os.WriteFile("runtime.txtar", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(want, runtime) {
		t.Error("runtime.txtar differs from ../runtime: run make generate")
	}
}

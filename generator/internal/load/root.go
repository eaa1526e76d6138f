// SPDX-License-Identifier: Apache-2.0

package load

import (
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"

	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// Root returns the folder of the project around dir: the nearest one upward with a go.mod or, without a go.mod, with a
// go.work.
func Root(dir string) (string, bool) {
	for _, name := range []string{"go.mod", "go.work"} {
		for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
			if info, err := os.Stat(filepath.Join(at, name)); err == nil && !info.IsDir() {
				return at, true
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return "", false
}

// ModulePath returns the path of the module whose root is the absolute folder dir.
func ModulePath(dir string) (string, bool) {
	text, err := regular.ReadFile(filepath.Join(dir, "go.mod"))
	path := modfile.ModulePath(text)
	return path, err == nil && path != ""
}

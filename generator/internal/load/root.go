// SPDX-License-Identifier: Apache-2.0

package load

import (
	"path/filepath"

	"golang.org/x/mod/modfile"
)

// Root returns the folder of the project around dir: the nearest one upward with a go.mod or, without a go.mod, with a
// go.work.
func Root(dir string) (string, bool) {
	for _, name := range []string{"go.mod", "go.work"} {
		for at := range upward(filepath.Clean(dir)) {
			if holds(at, name) {
				return at, true
			}
		}
	}
	return "", false
}

// ModulePath returns the path of the module whose root is the absolute folder dir.
func ModulePath(dir string) (string, bool) {
	path := modfile.ModulePath(ReadText(dir, "go.mod").Content)
	return path, path != ""
}

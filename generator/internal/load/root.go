// SPDX-License-Identifier: Apache-2.0

package load

import (
	"path/filepath"

	"golang.org/x/mod/modfile"
)

// Root returns the root of the project around dir: the nearest folder upward with a go.mod or, without one, with a
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

// ModulePath returns the module path in the go.mod of the absolute folder dir.
func ModulePath(dir string) (string, bool) {
	path := modfile.ModulePath(ReadText(dir, "go.mod").Content)
	return path, path != ""
}

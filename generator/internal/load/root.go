package load

import (
	"os"
	"path/filepath"
)

// Root returns the folder that holds the project which dir stands in: the nearest one
// upward with a go.mod or, if there is none, with a go.work.
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

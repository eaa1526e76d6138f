// SPDX-License-Identifier: Apache-2.0

package load

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// listing is what matters of a folder's entries, each kind by name.
type listing struct {
	goFiles   []string // may belong to the package, by their name
	generated []string // may be of our own making, by their name
	folders   []string
	holdsGo   bool // some Go file is there, be it a test
	isModule  bool // a go.mod is there
}

// list reads a folder. Links to folders are not followed, links to files are. On an error
// the listing holds what could be read.
func list(dir string) (listing, error) {
	entries, err := os.ReadDir(dir)
	var l listing
	for _, e := range entries {
		name := e.Name()
		switch {
		case e.IsDir():
			l.folders = append(l.folders, name)
		case name == "go.mod":
			l.isModule = true
		case strings.HasSuffix(name, ".go") && isFile(dir, e):
			l.holdsGo = true
			if isCandidate(name) || strings.HasSuffix(name, "_test.go") && name[0] != '_' && name[0] != '.' && isSpecial(dir, name) {
				l.goFiles = append(l.goFiles, name)
			}
			if isGeneratedName(name) {
				l.generated = append(l.generated, name)
			}
		}
	}
	return l, err
}

// isSpecial reports whether a path has a pipe, a socket or a device. The go command would wait for one that is a test.
func isSpecial(dir, name string) bool {
	info, err := os.Stat(filepath.Join(dir, name))
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// isGeneratedName reports a name that a file of our own making may have.
func isGeneratedName(name string) bool {
	return strings.HasPrefix(name, "zz_generated.") && strings.HasSuffix(name, ".go")
}

// isFile reports whether an entry counts as a file: it is no folder, nor a link to one. A broken link counts, and so
// does a pipe or a device: that it cannot be read shall be said.
func isFile(dir string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return !e.IsDir()
	}
	info, err := os.Stat(filepath.Join(dir, e.Name()))
	return err != nil || !info.IsDir()
}

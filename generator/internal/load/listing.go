// SPDX-License-Identifier: Apache-2.0

package load

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// listing holds the relevant entries of a folder, sorted by name in each field.
type listing struct {
	goFiles   []string // may belong to the package, judging by the name
	generated []string // may be generated files, judging by the name
	ignored   []string // Go files that go build ignores, judging by the name, such as tests
	folders   []string
	holdsGo   bool // the folder has a Go file, possibly a test
	isModule  bool // the folder has a go.mod
}

// list reads a folder. It follows links to files but not to folders. With an error, it returns the readable entries.
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
			} else if !isGeneratedName(name) {
				l.ignored = append(l.ignored, name)
			}
			if isGeneratedName(name) {
				l.generated = append(l.generated, name)
			}
		}
	}
	return l, err
}

// isSpecial reports whether a path is a pipe, a socket or a device. The go command would wait for a test file of that
// kind.
func isSpecial(dir, name string) bool {
	info, err := os.Stat(filepath.Join(dir, name))
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// isGeneratedName reports whether a generated file can have the name.
func isGeneratedName(name string) bool {
	return strings.HasPrefix(name, "zz_generated.") && strings.HasSuffix(name, ".go")
}

// isFile reports whether an entry is neither a folder nor a link to one. Broken links, pipes and devices count as
// files, so that a later read reports them.
func isFile(dir string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return !e.IsDir()
	}
	info, err := os.Stat(filepath.Join(dir, e.Name()))
	return err != nil || !info.IsDir()
}

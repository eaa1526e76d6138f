// SPDX-License-Identifier: Apache-2.0

package load

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// Overlay maps absolute paths of Go files to texts that replace the disk's, so that a change can be checked before it
// is made. A file with a nil text does not exist. Other files, such as go.mod and webhook-gen.yaml, are read from
// disk.
type Overlay map[string][]byte

// readFile returns the text of a Go file.
func (o Overlay) readFile(path string) ([]byte, error) {
	if text, ok := o[path]; ok && text != nil {
		return text, nil
	}
	return regular.ReadFile(path, regular.Source)
}

// list returns a folder's listing with the overlay's files and their folders, and without its removed files. A folder
// that exists only in the overlay is no error.
func (o Overlay) list(dir string) (listing, error) {
	l, err := list(dir)
	prefix := strings.TrimSuffix(dir, string(filepath.Separator)) + string(filepath.Separator)
	for _, path := range slices.Sorted(maps.Keys(o)) {
		rel, below := strings.CutPrefix(path, prefix)
		if !below {
			continue
		}
		name, rest, deeper := strings.Cut(rel, string(filepath.Separator))
		switch {
		case o[path] == nil:
			l.goFiles = slices.DeleteFunc(l.goFiles, func(have string) bool { return have == rel })
		case deeper && rest != "":
			l.folders = insertName(l.folders, name)
		default:
			l.holdsGo = true
			if isCandidate(name) {
				l.goFiles = insertName(l.goFiles, name)
			}
		}
		if o[path] != nil && os.IsNotExist(err) {
			err = nil
		}
	}
	return l, err
}

// insertName inserts a name into a sorted list, if it is missing.
func insertName(names []string, name string) []string {
	i, found := slices.BinarySearch(names, name)
	if found {
		return names
	}
	return slices.Insert(names, i, name)
}

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

// Overlay holds the texts of files that a run shall read in place of what the disk has, by absolute
// path, so that a change can be judged before it is made. A file whose text is nil is read as gone.
// The files of an Overlay are Go files; go.mod, webhook-gen.yaml and the like are read from the disk.
type Overlay map[string][]byte

// readFile returns the text of a Go file.
func (o Overlay) readFile(path string) ([]byte, error) {
	if text, ok := o[path]; ok && text != nil {
		return text, nil
	}
	return regular.ReadFile(path, regular.Source)
}

// list returns the folder's listing with the files that the overlay adds, without the files that it removes, and with
// the folders of its files. A folder that is in the overlay alone is no error.
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
			l.folders = with(l.folders, name)
		default:
			l.holdsGo = true
			if isCandidate(name) {
				l.goFiles = with(l.goFiles, name)
			}
		}
		if o[path] != nil && os.IsNotExist(err) {
			err = nil
		}
	}
	return l, err
}

// with puts a name into a sorted list, where it is not yet there.
func with(names []string, name string) []string {
	i, found := slices.BinarySearch(names, name)
	if found {
		return names
	}
	return slices.Insert(names, i, name)
}

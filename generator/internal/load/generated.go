// SPDX-License-Identifier: Apache-2.0

package load

import (
	"io/fs"
	"path/filepath"

	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// GeneratedBelow returns the files of our own making below a folder, whether or not any pattern
// covers them. A folder that does not exist holds none.
func GeneratedBelow(dir string) []string {
	var found []string
	// What cannot be read is not ours to remove.
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if !d.IsDir() && isGeneratedName(d.Name()) {
			if text, err := regular.ReadFile(path); err == nil && isOurs(text) {
				found = append(found, path)
			}
		}
		return nil
	})
	return found
}

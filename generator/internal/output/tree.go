// SPDX-License-Identifier: Apache-2.0

package output

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/webhook-gen/webhook-gen/internal/regular"
)

var (
	errOutside = errors.New("the path leaves the module")
	errFolder  = errors.New("a folder is there")
	errSpecial = errors.New("the path is not a file")
)

// locate follows the links in an absolute path and returns the path below the root. The file need not exist. A path
// outside of the root gives errOutside.
func (c *comparison) locate(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", errOutside
	}
	actual, err := follow(filepath.Clean(path))
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(c.actual, actual)
	if err != nil || !filepath.IsLocal(rel) {
		return "", errOutside
	}
	return filepath.Join(c.root, rel), nil
}

// follow is filepath.EvalSymlinks for paths that need not exist. It also follows links without a target, because
// writing to such a link creates its target.
func follow(path string) (string, error) {
	actual, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return actual, err
	}
	parent, err := follow(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	path = filepath.Join(parent, filepath.Base(path))
	target, err := os.Readlink(path)
	if err != nil {
		return path, nil // it neither exists nor is a link
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(parent, target)
	}
	return follow(target)
}

// obstacle returns a file in the place of one of the path's folders.
func obstacle(path string) (string, bool) {
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil {
			return dir, !info.IsDir()
		}
	}
	return "", false
}

// statFile returns the FileInfo of a file, after links. It returns an error for folders and special files.
func statFile(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errFolder
	case !info.Mode().IsRegular():
		return nil, errSpecial
	}
	return info, nil
}

// readFile reads a file and its permissions. Unlike os.ReadFile, it rejects pipes, which would block.
func readFile(path string) ([]byte, fs.FileMode, error) {
	info, err := statFile(path)
	if err != nil {
		return nil, 0, err
	}
	text, err := regular.ReadFile(path, regular.Source)
	return text, info.Mode().Perm(), err
}

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
	errSpecial = errors.New("something that is not a file is there")
)

// locate follows the links in an absolute path and returns the path below the root of the file, which need not exist.
// It returns errOutside for a path that is not below the root: nothing is written there.
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

// follow is filepath.EvalSymlinks for paths whose end need not exist: links that point at
// nothing yet are followed too, for writing through them creates what they point at.
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
		return path, nil // it does not exist and is not a link
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(parent, target)
	}
	return follow(target)
}

// obstacle returns the file at a place where the path needs a folder.
func obstacle(path string) (string, bool) {
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil {
			return dir, !info.IsDir()
		}
	}
	return "", false
}

// statFile describes the file at a path, links followed. It fails if the path is not a file.
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

// readFile is os.ReadFile for files alone: reading a pipe would block. It also returns the permissions.
func readFile(path string) ([]byte, fs.FileMode, error) {
	info, err := statFile(path)
	if err != nil {
		return nil, 0, err
	}
	text, err := regular.ReadFile(path, regular.Source)
	return text, info.Mode().Perm(), err
}

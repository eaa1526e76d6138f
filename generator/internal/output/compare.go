// SPDX-License-Identifier: Apache-2.0

package output

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// Compare reads the disk below root, the module's folder, and returns the changes that make it hold the files, ordered
// by path. A file that is right already gives no change.
//
// owned are the absolute paths of existing files that the run covers: one that is not among the files is removed if it
// carries our header, and left alone otherwise.
//
// If anything prevents a change, Compare returns no changes and all errors.
func Compare(root string, files []File, owned []string) ([]Change, diag.List) {
	t, err := openTree(root)
	if err != nil {
		return nil, diag.List{trouble(root, "read", err, diag.Range{})}
	}
	c := comparison{tree: t, wanted: make(map[string]File)}
	for _, f := range files {
		c.want(f)
	}
	for _, path := range owned {
		c.own(path)
	}
	if len(c.problems) > 0 {
		return nil, c.problems
	}
	slices.SortFunc(c.changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return c.changes, nil
}

// comparison is a Compare under way.
type comparison struct {
	tree     tree
	wanted   map[string]File // by identity of the located path
	changes  []Change
	problems diag.List
}

// identity is the same for paths that are one file on some file system: of names that differ
// in case alone, a checkout on macOS or Windows keeps one.
func identity(path string) string { return strings.ToLower(path) }

// want compares one file with the disk.
func (c *comparison) want(f File) {
	if file, found := obstacle(f.Path); found {
		c.problems.Add(inTheWay(file, f.Cause, "%s is a file, and a folder of that name is needed for %s",
			filepath.Base(file), filepath.Base(f.Path)))
		return
	}
	path, err := c.tree.locate(f.Path)
	if err != nil {
		c.problems.Add(trouble(f.Path, "write", err, f.Cause))
		return
	}
	if first, twice := c.wanted[identity(path)]; twice {
		c.problems.Add(claimedTwice(path, first, f))
		return
	}
	f.Path = path
	c.wanted[identity(path)] = f

	_, err = statFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.changes = append(c.changes, Change{Path: path, Action: Create, New: f.Content, Cause: f.Cause, Note: f.Note})
	case err != nil:
		c.problems.Add(trouble(path, "read", err, f.Cause))
	case f.Owner != Once:
		c.replace(f)
	}
}

// replace compares a file that exists and is not the user's.
func (c *comparison) replace(f File) {
	old, err := regular.ReadFile(f.Path)
	if err != nil {
		c.problems.Add(trouble(f.Path, "read", err, f.Cause))
		return
	}
	content := withLineEndings(f.Content, old)
	if bytes.Equal(old, content) {
		return
	}
	switch {
	case f.Owner == Part && !bytes.Equal(old, f.Base):
		c.problems.Add(trouble(f.Path, "replace", errChanged, f.Cause))
		return
	case f.Owner != Part && !isOurs(f.Path, old):
		if f.Owner != Manifest {
			c.problems.Add(notOurs(f))
			return
		}
		if other, found := findForeign(old); found {
			c.problems.Add(notOnlyOurs(f, other))
			return
		}
	}
	c.changes = append(c.changes, Change{Path: f.Path, Action: Replace, Old: old, New: content, Cause: f.Cause, Note: f.Note})
}

// own removes an existing file that is no longer wanted, if it is ours. It leaves folders alone: charts of others have
// folders among their templates.
func (c *comparison) own(path string) {
	old, _, err := readFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errFolder), errors.Is(err, errSpecial):
		return
	case err != nil:
		c.problems.Add(trouble(path, "read", err, diag.Range{}))
		return
	case !isOurs(path, old):
		return
	}
	located, err := c.tree.locate(path)
	if err != nil {
		c.problems.Add(trouble(path, "remove", err, diag.Range{}))
		return
	}
	if f, found := c.wanted[identity(located)]; found && isSame(f.Path, located) {
		return
	}
	if isLink(path) {
		c.problems.Add(inTheWay(path, diag.Range{}, "%s is a link to a generated file that no marker needs any more", filepath.Base(path)).
			WithHint("remove the link"))
		return
	}
	c.wanted[identity(located)] = File{Path: located} // owned may name it twice
	c.changes = append(c.changes, Change{Path: located, Action: Remove, Old: old})
}

// isSame reports whether two paths that are equal but for case are one file here.
func isSame(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

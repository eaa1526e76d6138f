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

// Compare returns the changes that make the module's folder, root, contain the files. The changes are in the order of
// paths, and files that are up to date have none.
//
// owned lists the absolute paths of existing files that the run covers. An owned file that is not in files is removed
// if it has our header.
//
// If an error prevents a change, Compare returns no changes and all errors.
func Compare(root string, files []File, owned []string) ([]Change, diag.List) {
	actual, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, diag.List{trouble(root, "read", err, diag.Range{})}
	}
	c := comparison{root: root, actual: actual, wanted: make(map[string]File)}
	var problems diag.List
	for _, f := range files {
		problems.Add(c.compareFile(f)...)
	}
	for _, path := range owned {
		problems.Add(c.removeOwned(path)...)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	slices.SortFunc(c.changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return c.changes, nil
}

// comparison is the state of Compare.
type comparison struct {
	root    string          // as the user wrote it
	actual  string          // root without links
	wanted  map[string]File // by identity of the located path
	changes []Change
}

// identity returns the key of a path. Paths that differ only in case have the same key, because macOS and Windows
// treat them as one file.
func identity(path string) string { return strings.ToLower(path) }

// compareFile adds the change of one file. It returns the errors that prevent the change.
func (c *comparison) compareFile(f File) diag.List {
	if file, found := obstacle(f.Path); found {
		return diag.List{at(file, f.Cause, RuleInTheWay, "%s is a file, and a folder of that name is needed for %s",
			filepath.Base(file), filepath.Base(f.Path))}
	}
	path, err := c.locate(f.Path)
	if err != nil {
		return diag.List{trouble(f.Path, "write", err, f.Cause)}
	}
	if first, twice := c.wanted[identity(path)]; twice {
		return diag.List{claimedTwice(path, first, f)}
	}
	f.Path = path
	c.wanted[identity(path)] = f

	_, err = statFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.changes = append(c.changes, Change{Path: path, Action: Create, New: f.Content, Cause: f.Cause, Note: f.Note})
	case err != nil:
		return diag.List{trouble(path, "read", err, f.Cause)}
	case f.Owner != Once:
		return c.replace(f)
	}
	return nil
}

// replace compares an existing file with its new content.
func (c *comparison) replace(f File) diag.List {
	old, err := regular.ReadFile(f.Path, regular.Source)
	if err != nil {
		return diag.List{trouble(f.Path, "read", err, f.Cause)}
	}
	content := withLineEndings(slices.Concat(f.kept(old), f.Content), old)
	switch {
	case bytes.Equal(old, content):
		return nil
	case f.Owner == Part && !bytes.Equal(old, f.Base):
		return diag.List{trouble(f.Path, "replace", errChanged, f.Cause)}
	case f.Owner != Part && !isOurs(f.Path, old):
		if f.Owner != Manifest {
			return diag.List{notOurs(f)}
		}
		if what, line := findForeign(old); what != "" {
			return diag.List{notOnlyOurs(f, what, line)}
		}
	}
	c.changes = append(c.changes, Change{Path: f.Path, Action: Replace, Old: old, New: content, Cause: f.Cause, Note: f.Note})
	return nil
}

// kept returns the comments above the first document of a manifest without a line of ours, such as a licence that the
// user's own tools put there.
func (f File) kept(old []byte) []byte {
	if f.Owner != Manifest || !f.Bare {
		return nil
	}
	text := strings.ReplaceAll(string(old), "\r\n", "\n")
	top, _, found := strings.Cut("\n"+text, "\n---\n")
	foreign := slices.ContainsFunc(strings.Split(top, "\n"), func(line string) bool { return line != "" && line[0] != '#' })
	if !found || foreign || strings.Contains(top, YAMLHeader) {
		return nil
	}
	return []byte(strings.TrimPrefix(top+"\n", "\n"))
}

// removeOwned removes an owned file that the run does not want. It returns the errors that prevent the change.
// Folders stay: other people's charts have folders among their templates.
func (c *comparison) removeOwned(path string) diag.List {
	old, _, err := readFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errFolder), errors.Is(err, errSpecial):
		return nil
	case err != nil:
		return diag.List{trouble(path, "read", err, diag.Range{})}
	case !isOurs(path, old):
		return nil
	}
	located, err := c.locate(path)
	if err != nil {
		return diag.List{trouble(path, "remove", err, diag.Range{})}
	}
	if f, found := c.wanted[identity(located)]; found && isSame(f.Path, located) {
		return nil
	}
	if _, err := os.Readlink(path); err == nil {
		return diag.List{at(path, diag.Range{}, RuleInTheWay, "%s is a link to a generated file that no marker needs any more", filepath.Base(path)).
			WithHint("remove the link")}
	}
	c.wanted[identity(located)] = File{Path: located} // owned may contain it twice
	c.changes = append(c.changes, Change{Path: located, Action: Remove, Old: old})
	return nil
}

// isSame reports whether two paths that differ at most in case are the same file on this file system.
func isSame(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// SPDX-License-Identifier: Apache-2.0

// Package program finds the programs that webhook-gen runs: git and go. Neither of them comes from the project that
// webhook-gen reads: the author of a project does not decide what runs on the machine of its reader.
package program

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// Find returns the absolute path of a program in PATH. dir is the folder that the command works in. Find passes over
// relative entries of PATH, which name other folders wherever the command runs, and over programs inside the project
// around dir.
func Find(name, dir string) (string, error) {
	project := Project(dir)
	inside := ""
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		if !filepath.IsAbs(folder) {
			continue
		}
		path, err := exec.LookPath(filepath.Join(folder, name)) // the suffixes of Windows, and the permission to run
		if err != nil {
			continue
		}
		if !isInside(project, folder) && !isInside(project, path) {
			return path, nil
		}
		inside = path
	}
	if inside != "" {
		return "", fmt.Errorf("%s is in PATH only as %s, which is not run because it lies in the project", name, inside)
	}
	return "", fmt.Errorf("%s is not in PATH", name)
}

// Project returns the folder of the project around dir, links resolved: the outermost of the nearest folders with a
// go.mod, a go.work and a .git. Without any of them it is dir. A home folder under version control is no project.
func Project(dir string) string {
	dir = resolved(dir)
	project := dir
	home, _ := os.UserHomeDir()
	for _, name := range []string{"go.mod", "go.work", ".git"} {
		for at := dir; ; at = filepath.Dir(at) {
			if _, err := os.Lstat(filepath.Join(at, name)); err == nil {
				if len(at) < len(project) && (home == "" || !isInside(at, home)) {
					project = at
				}
				break
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return project
}

// isInside reports whether a path is a folder or lies in it. The folder has no links.
func isInside(folder, path string) bool {
	rel, err := filepath.Rel(folder, resolved(path))
	return err == nil && filepath.IsLocal(rel)
}

// resolved returns an absolute path without links, as far as it exists.
func resolved(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, os.ErrNotExist) && path != filepath.Dir(path) {
		return filepath.Join(resolved(filepath.Dir(path)), filepath.Base(path))
	}
	if err != nil {
		return path
	}
	return real
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9._/@:=+,-]+$`)

// Word returns a text as one word of a shell.
func Word(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

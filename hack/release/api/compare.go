// SPDX-License-Identifier: Apache-2.0

package api

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/exp/apidiff"
	"golang.org/x/mod/semver"
)

// Changes are the differences of two versions of an API, one line each.
type Changes struct {
	Incompatible, Compatible []string
}

// Compare returns the changes of the API from the module in one folder to the module in another.
func Compare(oldDir, newDir string) (Changes, error) {
	before, err := load(oldDir)
	if err != nil {
		return Changes{}, err
	}
	after, err := load(newDir)
	if err != nil {
		return Changes{}, err
	}
	var c Changes
	report := apidiff.ModuleChanges(
		&apidiff.Module{Path: before.module, Packages: before.packages},
		&apidiff.Module{Path: after.module, Packages: after.packages})
	for _, change := range report.Changes {
		if change.Compatible {
			c.Compatible = append(c.Compatible, change.Message)
		} else {
			c.Incompatible = append(c.Incompatible, change.Message)
		}
	}
	return c, nil
}

// LastTag returns the newest version among the tags of the module in a folder of a repository, such as runtime/v0.1.0
// for the folder runtime, or "" without such tags.
func LastTag(repository, folder string) (string, error) {
	tags, err := git(repository, "tag", "--list", folder+"/v*")
	if err != nil {
		return "", err
	}
	versions := strings.Fields(strings.ReplaceAll(string(tags), folder+"/", ""))
	versions = slices.DeleteFunc(versions, func(v string) bool { return !semver.IsValid(v) })
	if len(versions) == 0 {
		return "", nil
	}
	return folder + "/" + slices.MaxFunc(versions, semver.Compare), nil
}

// SinceTag compares the module in a folder of a repository with the same folder at a tag.
func SinceTag(repository, folder, tag string) (c Changes, err error) {
	archive, err := git(repository, "archive", "--format=tar", tag, folder)
	if err != nil {
		return Changes{}, err
	}
	tagged, err := os.MkdirTemp("", "api")
	if err != nil {
		return Changes{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tagged)) }()
	tar := exec.Command("tar", "-x", "-C", tagged)
	tar.Stdin = strings.NewReader(string(archive))
	if out, err := tar.CombinedOutput(); err != nil {
		return Changes{}, fmt.Errorf("tar: %w\n%s", err, out)
	}
	return Compare(filepath.Join(tagged, folder), filepath.Join(repository, folder))
}

func git(repository string, args ...string) ([]byte, error) {
	out, err := exec.Command("git", append([]string{"-C", repository}, args...)...).Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil, fmt.Errorf("git %s: %w\n%s", args[0], err, failed.Stderr)
	}
	return out, err
}

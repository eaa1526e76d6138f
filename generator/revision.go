package generator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// checkOut writes the files of a git revision of the repository that dir stands in below a new folder, and returns that and the
// folder in it which is dir's. The repository has an index of its own for it: neither its index nor its work tree is touched, and no
// hook runs.
func checkOut(ctx context.Context, dir, revision string) (scratch, at string, err error) {
	commit, err := git(ctx, dir, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if err != nil {
		return "", "", fmt.Errorf("%q is neither a file, nor a folder, nor a git revision", revision)
	}
	prefix, err := git(ctx, dir, nil, "rev-parse", "--show-prefix")
	if err != nil {
		return "", "", err
	}
	if scratch, err = os.MkdirTemp("", "webhook-gen-"); err != nil {
		return "", "", err
	}
	index := []string{"GIT_INDEX_FILE=" + filepath.Join(scratch, "index")}
	tree := treeOf(scratch)
	_, err = git(ctx, dir, index, "read-tree", commit)
	if err == nil {
		// From the top, because checkout-index writes what is below the folder that it runs in.
		_, err = git(ctx, filepath.Join(dir, up(prefix)), index, "checkout-index", "--all", "--prefix="+tree+string(filepath.Separator))
	}
	if err != nil {
		return "", "", errors.Join(err, os.RemoveAll(scratch))
	}
	return scratch, filepath.Join(tree, filepath.FromSlash(prefix)), nil
}

// treeOf is where, in the folder that checkOut makes, the top of the repository is.
func treeOf(scratch string) string { return filepath.Join(scratch, "tree") }

// up leads from a folder of a repository, as --show-prefix names it, to its top.
func up(prefix string) string {
	return strings.Repeat("../", strings.Count(prefix, "/"))
}

// git runs a command of git's and returns what it prints.
func git(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, "git", append([]string{"-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false"}, args...)...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	var out, problem bytes.Buffer
	c.Stdout, c.Stderr = &out, &problem
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(problem.String()))
	}
	return strings.TrimSpace(out.String()), nil
}

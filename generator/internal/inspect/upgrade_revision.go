// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/webhook-gen/webhook-gen/internal/program"
	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// checkOut writes the files of a git revision of the repository around dir below a new folder. It returns that folder
// and the folder in it that corresponds to dir. The files are the blobs of the revision: a checkout would run the
// filters that the repository's configuration names. The index and the work tree of the repository stay as they are.
func checkOut(ctx context.Context, dir, revision string) (scratch, at string, err error) {
	r := repository{dir: dir}
	if r.git, err = program.Find("git", dir); err != nil && regular.Exists(filepath.Join(program.Project(dir), ".git")) {
		return "", "", fmt.Errorf("%q is neither a file nor a folder, and it cannot be a git revision: %w", revision, err)
	}
	if err != nil {
		return "", "", fmt.Errorf("%q is neither a file, nor a folder, nor a git revision", revision)
	}
	commit, err := r.ask(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if err != nil {
		return "", "", fmt.Errorf("%q is neither a file, nor a folder, nor a git revision", revision)
	}
	prefix, err := r.ask(ctx, "rev-parse", "--show-prefix")
	if err != nil {
		return "", "", err
	}
	if scratch, err = os.MkdirTemp("", "webhook-gen-"); err != nil {
		return "", "", err
	}
	tree := treeOf(scratch)
	if err := r.write(ctx, strings.TrimSpace(commit), tree); err != nil {
		return "", "", errors.Join(err, os.RemoveAll(scratch))
	}
	return scratch, filepath.Join(tree, filepath.FromSlash(strings.TrimSuffix(prefix, "\n"))), nil
}

// treeOf returns the folder that has the top of the repository, below the folder made by checkOut.
func treeOf(scratch string) string { return filepath.Join(scratch, "tree") }

// repository is a git repository around a folder. Its configuration may be written by an attacker.
type repository struct {
	git string // the program
	dir string
}

// write writes the files of a commit below a new folder.
func (r repository) write(ctx context.Context, commit, dir string) error {
	listing, err := r.ask(ctx, "ls-tree", "-r", "-z", "--full-tree", commit)
	if err != nil {
		return err
	}
	var files []treeFile
	for entry := range strings.SplitSeq(strings.TrimSuffix(listing, "\x00"), "\x00") {
		if f, ok := parseTreeFile(entry); ok {
			files = append(files, f)
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir) //nolint:forbidigo // it writes: no name in the revision leads out of a Root
	if err != nil {
		return err
	}
	return errors.Join(r.blobs(ctx, files, func(f treeFile, text io.Reader) error { return f.write(root, text) }), root.Close())
}

// blobs reads the content of files, one after the other.
func (r repository) blobs(ctx context.Context, files []treeFile, read func(treeFile, io.Reader) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var names strings.Builder
	for _, f := range files {
		names.WriteString(f.blob + "\n")
	}
	var problem bytes.Buffer
	c := r.command(ctx, "cat-file", "--batch") // with neither --filters nor --textconv
	c.Stdin, c.Stderr = strings.NewReader(names.String()), &problem
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	if err := eachBlob(bufio.NewReaderSize(out, 1<<16), files, read); err != nil {
		cancel()
		_ = c.Wait() // its context was cancelled
		return fmt.Errorf("%w %s", err, strings.TrimSpace(problem.String()))
	}
	if err := c.Wait(); err != nil {
		return fmt.Errorf("git cat-file: %w: %s", err, strings.TrimSpace(problem.String()))
	}
	return nil
}

// eachBlob reads the output of git cat-file --batch for the files.
func eachBlob(objects *bufio.Reader, files []treeFile, read func(treeFile, io.Reader) error) error {
	for _, f := range files {
		header, err := objects.ReadString('\n') // NAME TYPE SIZE
		if err != nil {
			return fmt.Errorf("git cat-file breaks off before %s: %w", f.path, err)
		}
		words := strings.Fields(header)
		if len(words) != 3 || words[1] != "blob" {
			return fmt.Errorf("the content of %s is not in the repository; git fetch gets it", f.path)
		}
		size, err := strconv.ParseInt(words[2], 10, 64)
		if err != nil {
			return fmt.Errorf("git cat-file answers %q", header)
		}
		text := io.LimitReader(objects, size)
		if err := read(f, text); err != nil {
			return err
		}
		// Skip the unread rest of a file, and its final newline.
		if _, err := io.Copy(io.Discard, text); err != nil {
			return err
		}
		if _, err := objects.Discard(1); err != nil {
			return err
		}
	}
	return nil
}

// ask runs a git command and returns its output.
func (r repository) ask(ctx context.Context, args ...string) (string, error) {
	c := r.command(ctx, args...)
	var out, problem bytes.Buffer
	c.Stdout, c.Stderr = &out, &problem
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(problem.String()))
	}
	return out.String(), nil
}

// command returns a git command that reads the object store. It runs no program from the repository's configuration: no
// hook, no file system monitor and no pager. It also runs no program that fetches objects missing from a partial clone.
// Commands that run filters, text conversions, diff drivers or gpg must not be passed.
func (r repository) command(ctx context.Context, args ...string) *exec.Cmd {
	args = append([]string{"--no-pager", "-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false"}, args...)
	c := exec.CommandContext(ctx, r.git, args...)
	c.Dir = r.dir
	c.Env = append(os.Environ(),
		"GIT_NO_LAZY_FETCH=1", // since git 2.44
		// Before git 2.44: no protocol of this name exists, and the variable overrides the configuration.
		"GIT_ALLOW_PROTOCOL=none",
		"GIT_OPTIONAL_LOCKS=0",  // git writes nothing
		"GIT_TERMINAL_PROMPT=0") // git prompts for nothing
	return c
}

// treeFile is a file in a revision.
type treeFile struct {
	mode, blob string
	path       string // slash-separated
}

const linkMode = "120000"

// parseTreeFile reads an entry of ls-tree: MODE TYPE NAME, a tab, PATH. It leaves out submodules, and paths that git
// itself never writes to a work tree.
func parseTreeFile(entry string) (treeFile, bool) {
	attributes, name, _ := strings.Cut(entry, "\t")
	words := strings.Fields(attributes)
	if len(words) != 3 || words[1] != "blob" || !filepath.IsLocal(filepath.FromSlash(name)) || path.Clean(name) != name {
		return treeFile{}, false
	}
	isGit := func(element string) bool { return strings.EqualFold(element, ".git") }
	if slices.ContainsFunc(strings.Split(name, "/"), isGit) {
		return treeFile{}, false
	}
	return treeFile{words[0], words[2], name}, true
}

// write writes the file below root. It skips a link that leads out of the revision: in the new folder, such a link
// would name other files than in the work tree.
func (f treeFile) write(root *os.Root, text io.Reader) error {
	if err := root.MkdirAll(path.Dir(f.path), 0o755); err != nil {
		return err
	}
	if f.mode == linkMode {
		to, err := regular.ReadAll(text, regular.Settings)
		if err != nil {
			return err
		}
		target := filepath.ToSlash(string(to))
		if path.IsAbs(target) || !filepath.IsLocal(filepath.FromSlash(path.Join(path.Dir(f.path), target))) {
			return nil
		}
		if err := root.Symlink(string(to), f.path); !errors.Is(err, fs.ErrExist) {
			return err
		}
		return nil
	}
	// Names that differ only in case may be one file.
	file, err := root.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, text)
	return errors.Join(err, file.Close())
}

// SPDX-License-Identifier: Apache-2.0

package output

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/webhook-gen/webhook-gen/internal/regular"
)

var (
	errDone     = errors.New("the file is as it shall be")
	errChanged  = errors.New("something else has changed the file meanwhile")
	errReadOnly = errors.New("the file is read-only")
)

// precondition returns the permissions of the current file, or 0 if there is none. It returns an error if the change
// cannot be made, or errDone if the file is already up to date: another run may have made the same change.
func precondition(c Change) (fs.FileMode, error) {
	now, mode, err := readFile(c.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, map[Action]error{Remove: errDone, Replace: errChanged}[c.Action]
	case err != nil:
		return mode, err
	case c.Action != Remove && bytes.Equal(now, c.New):
		return mode, errDone
	case c.Action == Create || !bytes.Equal(now, c.Old):
		return mode, errChanged
	case mode&0o200 == 0:
		return mode, errReadOnly
	}
	return mode, nil
}

// step is a change in progress.
type step struct {
	Change
	mode  fs.FileMode // the old file's permissions; 0 for Create
	fresh string      // temporary file with New; empty for Remove
	aside string      // temporary name of the old file; empty for Create

	kept   bool // the old file has the name aside
	placed bool // fresh has been renamed to Path
}

func newStep(c Change, mode fs.FileMode) *step {
	s := &step{Change: c, mode: mode}
	if c.Action != Remove {
		s.fresh = temporaryName(c.Path)
	}
	if c.Action != Create {
		s.aside = temporaryName(c.Path)
	}
	return s
}

// temporaryPrefix is the prefix of temporary files. The .gitignore that `init` writes lists it.
const temporaryPrefix = ".webhook-gen-"

// temporaryName returns an unused name beside a path. The name is short enough for every file system, and neither the
// go command nor kustomize reads such a file. It contains the time, which Sweep compares: the modification time of a
// hard link would be the old file's.
func temporaryName(path string) string {
	name := temporaryPrefix + strconv.FormatInt(time.Now().Unix(), 36) + "-" + strconv.FormatUint(rand.Uint64(), 36)
	return filepath.Join(filepath.Dir(path), name)
}

// stale is the age at which Sweep removes a temporary file. Writing takes milliseconds.
const stale = time.Minute

// Sweep removes the temporary files that killed runs have left in the folders.
func Sweep(folders []string) {
	for _, dir := range folders {
		entries, _ := os.ReadDir(dir) // a missing folder has no entries
		for _, e := range entries {
			if made, ok := madeAt(e); ok && time.Since(made) > stale {
				_ = os.Remove(filepath.Join(dir, e.Name())) // a file that stays is harmless
			}
		}
	}
}

// madeAt returns the time in the name of a temporary file.
func madeAt(e fs.DirEntry) (time.Time, bool) {
	rest, ok := strings.CutPrefix(e.Name(), temporaryPrefix)
	seconds, random, hasTime := strings.Cut(rest, "-")
	if !ok || !hasTime || !e.Type().IsRegular() {
		return time.Time{}, false
	}
	_, err := strconv.ParseUint(random, 36, 64)
	made, timeErr := strconv.ParseInt(seconds, 36, 64)
	return time.Unix(made, 0), err == nil && timeErr == nil
}

// writeNew creates a file. Mode 0 is the default mode, 0644 less the umask.
func writeNew(path string, text []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, cmp.Or(mode, 0o644)) //nolint:forbidigo // it writes
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil && mode != 0 {
		err = f.Chmod(mode) // OpenFile has applied the umask
	}
	return cmp.Or(err, f.Close())
}

// place makes the change. undo reverts it.
func (s *step) place() error {
	if s.aside != "" {
		if err := s.keep(); err != nil {
			return err
		}
		s.kept = true
	}
	if s.fresh != "" {
		if err := os.Rename(s.fresh, s.Path); err != nil {
			return err
		}
		s.placed = true
	}
	return nil
}

// keep gives the old file a second name: a link or, if links are impossible, a copy. The path of a replaced file
// always exists, so a killed run loses no file.
func (s *step) keep() error {
	if s.Action == Remove {
		return os.Rename(s.Path, s.aside)
	}
	if os.Link(s.Path, s.aside) == nil {
		return nil
	}
	return s.copyAside()
}

func (s *step) copyAside() error { return writeNew(s.aside, s.Old, s.mode) }

// undo reverts place.
func (s *step) undo() error {
	switch {
	case s.kept:
		if err := os.Rename(s.aside, s.Path); err != nil {
			lost := s.aside
			s.aside = "" // the file's only copy: neither clean nor Sweep may remove it
			if kept := strings.Replace(lost, temporaryPrefix, "webhook-gen-kept-", 1); os.Rename(lost, kept) == nil {
				lost = kept
			}
			return fmt.Errorf("%w; the file as it was is %s", regular.Reason(err), lost)
		}
	case s.placed:
		return os.Remove(s.Path)
	}
	return nil
}

// clean removes the remaining temporary files.
func (s *step) clean() []error {
	var failed []error
	for _, name := range []string{s.fresh, s.aside} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) { // "" does not exist
			failed = append(failed, err)
		}
	}
	return failed
}

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

	"github.com/webhook-gen/webhook-gen/internal/regular"
)

var (
	errDone     = errors.New("the file is as it shall be")
	errChanged  = errors.New("something else has changed the file meanwhile")
	errReadOnly = errors.New("the file is read-only")
)

// precondition returns the permissions of the file as it stands, 0 if there is none. The
// error says why the change cannot be made, or need not be (errDone): another run may have
// made the same one.
func precondition(c Change) (fs.FileMode, error) {
	info, err := statFile(c.Path)
	if errors.Is(err, fs.ErrNotExist) {
		switch c.Action {
		case Create:
			return 0, nil
		case Remove:
			return 0, errDone
		}
		return 0, errChanged
	}
	if err != nil {
		return 0, err
	}
	now, err := regular.ReadFile(c.Path)
	mode := info.Mode().Perm()
	switch {
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

// step is one change under way.
type step struct {
	Change
	fresh string // temporary file that holds New; empty for Remove
	aside string // temporary name of the file as it was; empty for Create

	kept   bool // the file as it was has the name aside
	placed bool // fresh has become the file
}

func newStep(c Change) *step {
	s := &step{Change: c}
	if c.Action != Remove {
		s.fresh = temporary(c.Path)
	}
	if c.Action != Create {
		s.aside = temporary(c.Path)
	}
	return s
}

// temporary returns an unused name beside a path, short enough wherever the path is, and one
// that neither the go command nor a kustomization takes for a source.
func temporary(path string) string {
	return filepath.Join(filepath.Dir(path), ".webhook-gen-"+strconv.FormatUint(rand.Uint64(), 36))
}

// write writes the new file under its temporary name. mode 0 asks for those of a new file.
func (s *step) write(mode fs.FileMode) error {
	if s.fresh == "" {
		return nil
	}
	f, err := os.OpenFile(s.fresh, os.O_WRONLY|os.O_CREATE|os.O_EXCL, cmp.Or(mode, 0o644))
	if err != nil {
		return err
	}
	_, err = f.Write(s.New)
	if err == nil && mode != 0 {
		err = f.Chmod(mode) // opening has taken the umask off
	}
	return cmp.Or(err, f.Close())
}

// place makes the change, and can be undone.
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

// keep gives the file as it was a second name: by a link, so that the path is never without
// a file, or by renaming it where links cannot be made.
func (s *step) keep() error {
	if s.Action == Replace && os.Link(s.Path, s.aside) == nil {
		return nil
	}
	return os.Rename(s.Path, s.aside)
}

// undo takes back what place has done of the change.
func (s *step) undo() error {
	switch {
	case s.kept:
		if err := os.Rename(s.aside, s.Path); err != nil {
			lost := s.aside
			s.aside = "" // it is all that is left of the file: clean must not take it
			return fmt.Errorf("%w; the file as it was is %s", reason(err), lost)
		}
	case s.placed:
		return os.Remove(s.Path)
	}
	return nil
}

// clean removes the temporary files that are left.
func (s *step) clean() []error {
	var failed []error
	for _, name := range []string{s.fresh, s.aside} {
		if name == "" {
			continue
		}
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = append(failed, err)
		}
	}
	return failed
}

// SPDX-License-Identifier: Apache-2.0

package output

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// Write carries out all changes, or none where it reports errors.
//
// Every new file is first written in full beside the place it is meant for and then renamed
// to it, so that no reader ever sees half a file. If a rename fails, those before it are undone.
// A replaced file keeps its permissions; new files get 0644 and new folders 0755, less the
// umask. A file that no longer is what Compare has seen is not overwritten.
//
// Nothing is synced to the disk: what a power failure takes, the next run writes again.
func Write(changes []Change) diag.List {
	var t transaction
	for _, c := range changes {
		t.prepare(c)
	}
	if len(t.problems) == 0 {
		t.commit()
	}
	t.clean()
	return t.problems
}

// transaction is a Write under way.
type transaction struct {
	steps    []*step
	folders  []string // made for new files, outer before inner
	problems diag.List
}

// prepare does all of a change that can be done without touching the file.
func (t *transaction) prepare(c Change) {
	mode, err := precondition(c)
	if errors.Is(err, errDone) {
		return
	}
	if err == nil {
		s := newStep(c, mode)
		t.steps = append(t.steps, s)
		if c.Action == Create {
			err = t.makeFolder(filepath.Dir(c.Path))
		}
		if err == nil && s.fresh != "" {
			err = writeNew(s.fresh, s.New, s.mode)
		}
	}
	if err != nil {
		t.problems.Add(trouble(c.Path, c.Action.String(), err, c.Cause))
	}
}

// makeFolder makes a folder and those above it, and notes which were missing.
func (t *transaction) makeFolder(dir string) error {
	var missing []string
	for d := dir; d != filepath.Dir(d); d = filepath.Dir(d) {
		if _, err := os.Lstat(d); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = append(missing, d)
	}
	slices.Reverse(missing)
	t.folders = append(t.folders, missing...)
	return os.MkdirAll(dir, 0o755)
}

// commit puts every change in its place, or none.
func (t *transaction) commit() {
	for i, s := range t.steps {
		err := s.place()
		if err == nil {
			continue
		}
		t.problems.Add(trouble(s.Path, s.Action.String(), err, s.Cause))
		for _, s := range slices.Backward(t.steps[:i+1]) {
			if err := s.undo(); err != nil {
				t.problems.Add(trouble(s.Path, "put back", err, s.Cause))
			}
		}
		return
	}
}

// clean removes the temporary files and, where nothing was written, the folders made for it.
func (t *transaction) clean() {
	failed := len(t.problems) > 0
	for _, s := range t.steps {
		for _, err := range s.clean() {
			t.problems.Add(trouble(s.Path, "clean up beside", err, s.Cause))
		}
	}
	if failed {
		for _, dir := range slices.Backward(t.folders) {
			// A folder in which something else has put a file meanwhile is not empty, and stays.
			_ = os.Remove(dir)
		}
	}
}

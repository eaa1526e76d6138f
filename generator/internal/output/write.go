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

// Write makes all changes. If it returns errors, it has made none.
//
// Each new file is written in full beside its path and then renamed, so that readers never see half a file. If a
// rename fails, Write undoes the earlier ones. Replaced files keep their permissions. New files have the mode 0644
// and new folders 0755, less the umask. Write does not overwrite a file that has changed since Compare.
//
// Nothing is synced to the disk. After a power failure, the next run writes the files again.
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

// transaction is the state of Write.
type transaction struct {
	steps    []*step
	folders  []string // created for new files, parents first
	problems diag.List
}

// prepare checks a change and writes its temporary file, without touching the file itself.
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

// makeFolder creates a folder with its parents and records the new ones.
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

// commit makes every change, or none.
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

// clean removes the temporary files and, after an error, the new folders.
func (t *transaction) clean() {
	failed := len(t.problems) > 0
	for _, s := range t.steps {
		for _, err := range s.clean() {
			t.problems.Add(trouble(s.Path, "clean up beside", err, s.Cause))
		}
	}
	if failed {
		for _, dir := range slices.Backward(t.folders) {
			// Remove keeps a folder that has other files by now.
			_ = os.Remove(dir)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package server

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// reloaded is a value parsed from files, and parsed again when their content has changed. The content decides and not
// the time of modification. So it works for the symbolic links that the kubelet swaps in a volume, for file systems
// with coarse clocks, and where no notification reaches the process.
//
// Content that cannot be parsed leaves the value as it is. It is tried again with every look, because a certificate and
// its key may arrive one after the other. An emptied file of callers is different: it revokes all of them. That takes a
// second look that finds the file empty as well, because a writer may empty a file before it fills it.
type reloaded[T any] struct {
	name  string
	paths []string
	parse func(current *T, contents [][]byte) (*T, error)
	none  *T // the value of an empty file, or nil if that cannot be used
	files *fileReader

	value   atomic.Pointer[T]
	broken  atomic.Pointer[error] // why the newest content is not in use
	looked  atomic.Int64          // when the files were last read: a time.Duration since files.started
	reading sync.Mutex            // guards digest and emptied
	digest  []byte                // of the contents that value was parsed from
	emptied bool                  // the last look found the file empty
}

// fileReader holds the state that the reloaded values of one server share.
type fileReader struct {
	interval time.Duration
	now      func() time.Time
	log      *slog.Logger
	started  time.Time
	values   []reloading
}

// reloading is a reloaded value of any type.
type reloading interface {
	reload()
	problem() error
}

// reloadFrom reads the value for the first time, which must succeed. From then on, it updates the value when its files
// change.
func reloadFrom[T any](
	files *fileReader, name string, parse func(current *T, contents [][]byte) (*T, error), none *T, paths ...string,
) (*reloaded[T], error) {
	r := &reloaded[T]{name: name, paths: paths, parse: parse, none: none, files: files}
	if _, err := r.read(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	files.values = append(files.values, r)
	return r, nil
}

// watch looks at all files once an interval until stopped is closed.
func (f *fileReader) watch(stopped <-chan struct{}) {
	ticker := time.NewTicker(f.interval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			f.look()
		case <-stopped:
			return
		}
	}
}

// look looks at all files now.
func (f *fileReader) look() {
	for _, value := range f.values {
		value.reload()
	}
}

// get returns the value. It looks at the files itself if nobody has for two intervals, so that a process that was
// suspended wakes up with current files.
func (r *reloaded[T]) get() *T {
	overdue := r.files.now().Sub(r.files.started)-time.Duration(r.looked.Load()) > 2*r.files.interval
	if overdue && r.reading.TryLock() {
		r.look()
		r.reading.Unlock()
	}
	return r.value.Load()
}

// problem reports why the newest content is not in use, or nil.
func (r *reloaded[T]) problem() error {
	if err := r.broken.Load(); err != nil {
		if errors.Is(*err, errEmptied) {
			return fmt.Errorf("%s: %w", r.name, *err)
		}
		return fmt.Errorf("%s: the files hold something unusable, what they held before stays in use: %w", r.name, *err)
	}
	return nil
}

// errEmptied is the problem of a file of callers that has been emptied.
var errEmptied = errors.New("the file is empty, no caller is known by it")

// reload looks at the files now.
func (r *reloaded[T]) reload() {
	r.reading.Lock()
	defer r.reading.Unlock()
	r.look()
}

// look reads the files and logs the result. A problem is logged once, and not once an interval.
func (r *reloaded[T]) look() {
	changed, err := r.read()
	switch {
	case err == nil:
		r.broken.Store(nil)
	case r.broken.Load() == nil || (*r.broken.Load()).Error() != err.Error():
		r.broken.Store(&err)
		r.files.log.Error("reload failed", "reason", r.problem())
	}
	if changed {
		r.files.log.Info("reloaded", "what", r.name)
	}
}

// read replaces the value if the content of the files has changed.
func (r *reloaded[T]) read() (changed bool, err error) {
	defer func() { r.looked.Store(int64(r.files.now().Sub(r.files.started))) }()
	contents := make([][]byte, len(r.paths))
	var digest []byte
	for i, path := range r.paths {
		if contents[i], err = os.ReadFile(path); err != nil {
			return false, err
		}
		sum := sha256.Sum256(contents[i])
		digest = append(digest, sum[:]...)
	}
	if current := r.value.Load(); current != nil && r.none != nil && len(bytes.TrimSpace(contents[0])) == 0 {
		if !r.emptied {
			r.emptied = true
			return false, nil
		}
		r.digest = digest
		r.value.Store(r.none)
		return current != r.none, fmt.Errorf("%s: %w", r.paths[0], errEmptied)
	}
	r.emptied = false
	if bytes.Equal(digest, r.digest) {
		return false, nil
	}
	value, err := r.parse(r.value.Load(), contents)
	if err != nil {
		return false, fmt.Errorf("%s: %w", r.paths[0], err)
	}
	r.digest = digest
	r.value.Store(value)
	return true, nil
}

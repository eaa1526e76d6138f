// SPDX-License-Identifier: Apache-2.0

// Package lock keeps two runs from writing to a module at the same time.
package lock

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gofrs/flock"
)

// Patience is the time that Module waits for another run.
const Patience = 10 * time.Second

const (
	quiet = 200 * time.Millisecond // a run that waits no longer prints nothing
	pause = 10 * time.Millisecond  // between two attempts
)

// Module locks the module in an absolute folder for one process. Runs read the module after they have the lock, so that
// they see all files of a run before them. If another process has the lock, Module waits and prints the reason to w.
// After Patience it returns an error.
//
// The lock is on the folder itself (flock). So it needs no file that git would see, holds on a read-only disk and for
// all users, and ends with its process. Where folders cannot be locked, as on Windows and NFS, the lock is on a file in
// the user's cache folder.
func Module(ctx context.Context, folder string, w io.Writer) (release func(), err error) {
	return module(ctx, folder, w, Patience)
}

func module(ctx context.Context, folder string, w io.Writer, patience time.Duration) (release func(), err error) {
	l, locked, err := first(folder)
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", folder, err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errLate)
	defer cancel()
	for began, told := time.Now(), false; !locked; {
		select {
		case <-ctx.Done():
			_ = l.Close() // it is not locked
			if !errors.Is(context.Cause(ctx), errLate) {
				return nil, context.Cause(ctx)
			}
			return nil, fmt.Errorf("%s still writes to %s after %s, and nothing was written here: run the command again when it has ended", holder(l.Path()), folder, patience)
		case <-time.After(pause):
		}
		if !told && time.Since(began) > quiet {
			told = true
			fmt.Fprintf(w, "webhook-gen: waiting for %s, which writes to %s\n", holder(l.Path()), folder)
		}
		if locked, err = l.TryLock(); err != nil {
			return nil, fmt.Errorf("locking %s: %w", folder, err)
		}
	}
	return func() { _ = l.Close() }, nil // the end of the process unlocks, too
}

var errLate = errors.New("the other run takes too long")

// first tries to lock the folder, or else the file that stands in for it.
func first(folder string) (l *flock.Flock, locked bool, err error) {
	if runtime.GOOS != "windows" {
		l = flock.New(folder, flock.SetFlag(os.O_RDONLY))
		if locked, err = l.TryLock(); err == nil {
			return l, locked, nil
		}
		_ = l.Close() // it is not locked
	}
	file, err := fileOf(folder)
	if err != nil {
		return nil, false, err
	}
	l = flock.New(file)
	locked, err = l.TryLock()
	return l, locked, err
}

// fileOf returns the file that stands for a folder, whatever links lead there.
func fileOf(folder string) (string, error) {
	actual, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "webhook-gen", "locks")
	return filepath.Join(dir, fmt.Sprintf("%x", sha256.Sum256([]byte(actual)))), os.MkdirAll(dir, 0o700)
}

// holder describes the process that has a lock.
func holder(path string) string {
	if process := processWith(path); process > 0 {
		return fmt.Sprintf("another webhook-gen (process %d)", process)
	}
	return "another webhook-gen"
}

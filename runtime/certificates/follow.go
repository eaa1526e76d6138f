// SPDX-License-Identifier: Apache-2.0

package certificates

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

// follow calls look until it has succeeded once. Then it continues in the background, once an interval, a minute by
// default, until ctx is done. Its error is the end of ctx before the first success.
func follow(ctx context.Context, log *slog.Logger, interval time.Duration, look func(context.Context) error) error {
	for wait := time.Second; ; wait = min(2*wait, 30*time.Second) {
		err := look(ctx)
		if err == nil {
			break
		}
		log.Warn("certificates are not ready", "error", err)
		if !sleep(ctx, wait) {
			return fmt.Errorf("certificates: %w", errors.Join(context.Cause(ctx), err))
		}
	}
	go func() {
		for sleep(ctx, cmp.Or(interval, time.Minute)) {
			if err := look(ctx); err != nil {
				log.Error("certificates could not be looked after", "error", err)
			}
		}
	}()
	return nil
}

// sleep waits, and reports whether it was not interrupted.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// write replaces a file as a whole, readable for its owner only. The server reads both files again when one has
// changed, and uses them once they belong together.
func write(file string, content []byte) error {
	const mode = 0o600
	if info, err := os.Lstat(file); err == nil && info.Mode() == mode {
		if have, err := os.ReadFile(file); err == nil && bytes.Equal(have, content) {
			return nil
		}
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	fresh := file + ".new"
	if err := os.Remove(fresh); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	// An existing file keeps its mode, so it must be a new one.
	f, err := os.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(fresh, file)
}

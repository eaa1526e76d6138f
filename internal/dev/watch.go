// SPDX-License-Identifier: Apache-2.0

package dev

import (
	"context"
	"io/fs"
	"maps"
	"path/filepath"
	"strings"
	"time"
)

// snapshot returns the names and times of the files that a program is built from. It leaves out files that webhook-gen
// writes itself.
func snapshot(root string) map[string]string {
	seen := map[string]string{}
	// Ignore errors: go cannot build from an unreadable file either.
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name := filepath.Base(path)
		switch {
		case err != nil:
			return nil
		case d.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "bin"):
			return fs.SkipDir
		case d.IsDir() || strings.HasPrefix(name, "zz_generated.") || filepath.Ext(name) != ".go" && name != "go.mod" && name != "webhook-gen.yaml":
			return nil
		}
		if info, err := d.Info(); err == nil {
			seen[path] = info.ModTime().String()
		}
		return nil
	})
	return seen
}

// changed waits until the files are not as they were, and then until they stay so for a moment: an editor saves
// several. It is false where ctx ends first.
func changed(ctx context.Context, root string, before map[string]string) bool {
	const pause = 500 * time.Millisecond
	for last := before; ; {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(pause):
		}
		now := snapshot(root)
		if !maps.Equal(now, before) && maps.Equal(now, last) {
			return true
		}
		last = now
	}
}

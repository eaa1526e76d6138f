// SPDX-License-Identifier: Apache-2.0

//go:build unix

package object

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe without a writer, a device and a folder are errors, and Read does not wait for them.
func TestReadFilesAlone(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe.yaml")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{pipe, "/dev/zero", t.TempDir()} {
		if _, err := Read(file); err == nil || !strings.Contains(err.Error(), "regular file") && !strings.Contains(err.Error(), "is a directory") {
			t.Errorf("%s: %v", file, err)
		}
	}
}

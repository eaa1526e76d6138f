// SPDX-License-Identifier: Apache-2.0

//go:build unix

package program

import (
	"errors"
	"go/build"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// TestCheckSources puts a pipe in the place of a file of each kind that go/build reads, and of others. A pipe that
// CheckSources passes over must not keep go/build waiting.
func TestCheckSources(t *testing.T) {
	refused := 0
	for extension := range strings.FieldsSeq(".go .c .cc .cpp .cxx .m .mm .h .hh .hpp .hxx .f .F .for .f90 .s .S .sx .swig .swigcxx .syso .txt .sock .mod .o .py .a") {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "go.mod"), "module example.com/x\n\ngo 1.26\n")
		write(t, filepath.Join(dir, "x.go"), "package x\n")
		if err := syscall.Mkfifo(filepath.Join(dir, "pipe"+extension), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := CheckSources(dir); errors.Is(err, regular.ErrNotRegular) {
			refused++
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() {
			_, err := build.ImportDir(dir, 0)
			done <- err
		}()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("%s: %v", extension, err)
			}
		case <-time.After(10 * time.Second):
			t.Errorf("%s: go/build waits for the writer", extension)
			if f, err := os.OpenFile(filepath.Join(dir, "pipe"+extension), os.O_RDWR, 0); err == nil {
				_ = f.Close() // go/build reads the end
			}
		}
	}
	if refused < 10 {
		t.Errorf("%d kinds of files are refused", refused)
	}
}

// SPDX-License-Identifier: Apache-2.0

// Package regular reads regular files only, up to a size. A pipe keeps its reader waiting, a device has no end, and a
// sparse file may be larger than the memory. Every file that the program reads by its name is read here.
package regular

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// ErrNotRegular means that a path names a pipe, a socket, a device, or a file that the kernel makes up, as in /proc.
var ErrNotRegular = errors.New("not a regular file")

// ErrBrokenLink means that a path names a link to a file that does not exist. It is not fs.ErrNotExist: whoever made
// the link wants the file to be read.
var ErrBrokenLink = errors.New("a link to a file that does not exist")

// ErrTooLarge means that a file is larger than any file of its kind.
var ErrTooLarge = errors.New("the file is too large")

// Size is the maximum size of the files of a kind, in bytes.
type Size int64

// The kinds of files.
const (
	// Settings are files that people write as a whole: settings, headers, certificates, go.mod.
	Settings Size = 4 << 20
	// Source are Go files. Some contain data.
	Source Size = 64 << 20
	// Manifest are files of Kubernetes objects, all definitions of a project among them.
	Manifest Size = 64 << 20
)

// check returns an error about a file that is larger.
func (s Size) check(size int64) error {
	if size <= int64(s) {
		return nil
	}
	return fmt.Errorf("%w: it has more than %d MiB", ErrTooLarge, s>>20)
}

// Open is os.Open for regular files and links to them. It does not wait for the writer of a pipe.
func Open(path string, most Size) (*os.File, error) {
	f, _, err := open(path, most)
	return f, err
}

func open(path string, most Size) (*os.File, fs.FileInfo, error) {
	return opened(path, most, os.Stat, os.OpenFile)
}

// opened opens a file by functions of package os or of an os.Root.
func opened(path string, most Size, stat func(string) (fs.FileInfo, error), openFile func(string, int, fs.FileMode) (*os.File, error)) (*os.File, fs.FileInfo, error) {
	fail := func(err error) (*os.File, fs.FileInfo, error) {
		return nil, nil, &fs.PathError{Op: "open", Path: path, Err: Reason(err)}
	}
	info, err := stat(path) // opening a device may have an effect
	if errors.Is(err, fs.ErrNotExist) && Exists(path) {
		err = ErrBrokenLink
	}
	if err == nil {
		err = check(info, most)
	}
	if err != nil {
		return fail(err)
	}
	f, err := openFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return fail(err)
	}
	if info, err = f.Stat(); err == nil { // another file may have the name now
		err = check(info, most)
	}
	if err == nil && isVirtual(f) {
		err = ErrNotRegular
	}
	if err != nil {
		_ = f.Close() // nothing was written
		return fail(err)
	}
	return f, info, nil
}

func check(info fs.FileInfo, most Size) error {
	switch {
	case info.IsDir():
		return syscall.EISDIR
	case !info.Mode().IsRegular():
		return ErrNotRegular
	}
	return most.check(info.Size())
}

// Check returns an error if a path has something that ReadFile refuses. A path without a file is no error. Programs
// that read the file by themselves are called after it.
func Check(path string, most Size) error {
	f, err := Open(path, most)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = f.Close()
	}
	return err
}

// ReadFile is os.ReadFile for regular files and links to them.
func ReadFile(path string, most Size) ([]byte, error) {
	f, info, err := open(path, most)
	if err != nil {
		return nil, err
	}
	return read(f, info, most)
}

// ReadBelow is ReadFile for a local path below a folder. It follows no link that leaves the folder.
func ReadBelow(folder, path string, most Size) ([]byte, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, info, err := opened(filepath.FromSlash(path), most, root.Stat, root.OpenFile)
	if err != nil {
		return nil, err
	}
	return read(f, info, most)
}

func read(f *os.File, info fs.FileInfo, most Size) ([]byte, error) {
	defer f.Close()
	var text bytes.Buffer
	text.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := text.ReadFrom(io.LimitReader(f, int64(most)+1)); err != nil {
		return nil, err
	}
	if err := most.check(int64(text.Len())); err != nil { // it grows
		return nil, &fs.PathError{Op: "read", Path: f.Name(), Err: err}
	}
	return text.Bytes(), nil
}

// ReadArgument is ReadFile for a path on the command line, where shells pass pipes on purpose: as /dev/stdin, and as
// /dev/fd/63 for <(command).
func ReadArgument(path string, most Size) ([]byte, error) {
	if path != "/dev/stdin" && !strings.HasPrefix(path, "/dev/fd/") && !strings.HasPrefix(path, "/proc/self/fd/") {
		return ReadFile(path, most)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadAll(f, most)
}

// ReadAll is io.ReadAll for up to as many bytes.
func ReadAll(from io.Reader, most Size) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(from, int64(most)+1))
	if err == nil {
		err = most.check(int64(len(text)))
	}
	if err != nil {
		return nil, err
	}
	return text, nil
}

// Exists reports whether a path has a file of any kind. It does not follow links.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Reason returns the cause of an error about a file, without the operation and the path.
func Reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}

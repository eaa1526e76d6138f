// SPDX-License-Identifier: Apache-2.0

// Package regular reads regular files only. A pipe keeps its reader waiting, and a device has no end.
package regular

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// ErrNotRegular means that a path names a pipe, a socket or a device.
var ErrNotRegular = errors.New("not a regular file")

// ErrBrokenLink means that a path names a link to a file that does not exist. It is not fs.ErrNotExist: whoever made
// the link wants the file to be read.
var ErrBrokenLink = errors.New("a link to a file that does not exist")

// Open is os.Open for regular files and links to them. It does not wait for the writer of a pipe.
func Open(path string) (*os.File, error) {
	f, _, err := open(path)
	return f, err
}

func open(path string) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ENXIO) { // of a socket
		err = ErrNotRegular
	}
	if errors.Is(err, fs.ErrNotExist) && Exists(path) {
		err = ErrBrokenLink
	}
	var info fs.FileInfo
	if err == nil {
		info, err = f.Stat()
	}
	switch {
	case err != nil:
	case info.IsDir():
		err = syscall.EISDIR
	case !info.Mode().IsRegular():
		err = ErrNotRegular
	default:
		return f, info, nil
	}
	if f != nil {
		_ = f.Close() // nothing was written
	}
	return nil, nil, &fs.PathError{Op: "open", Path: path, Err: Reason(err)}
}

// ReadFile is os.ReadFile for regular files and links to them.
func ReadFile(path string) ([]byte, error) {
	f, info, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var text bytes.Buffer
	text.Grow(int(min(info.Size(), 1<<30)) + bytes.MinRead)
	if _, err := text.ReadFrom(f); err != nil {
		return nil, err
	}
	return text.Bytes(), nil
}

// ReadArgument is ReadFile for a path on the command line, where shells pass pipes on purpose: as /dev/stdin, and as
// /dev/fd/63 for <(command).
func ReadArgument(path string) ([]byte, error) {
	if path == "/dev/stdin" || strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/self/fd/") {
		return os.ReadFile(path)
	}
	return ReadFile(path)
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

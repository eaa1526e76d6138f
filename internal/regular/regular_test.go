// SPDX-License-Identifier: Apache-2.0

//go:build unix

package regular

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestReadFile(t *testing.T) {
	const most = 2 << 20
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{"file": "text", "empty": "", "large": strings.Repeat("0123456789", 1<<17)} {
		if err := os.WriteFile(at(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadFile(at(name), most); err != nil || string(got) != text {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	if err := syscall.Mkfifo(at("pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	socket, err := net.Listen("unix", at("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	for link, to := range map[string]string{"device": "/dev/zero", "terminal": "/dev/tty", "link": "file", "to-pipe": "pipe", "broken": "gone", "kernel": "/proc/kmsg", "status": "/proc/self/status"} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := ReadFile(at("link"), most); err != nil || string(got) != "text" {
		t.Errorf("a link: %q, %v", got, err)
	}
	for name, size := range map[string]int64{"sparse": 40 << 30, "a byte more": most + 1} {
		if err := errors.Join(os.WriteFile(at(name), nil, 0o644), os.Truncate(at(name), size)); err != nil {
			t.Fatal(err)
		}
	}
	wants := map[string]error{
		"pipe": ErrNotRegular, "to-pipe": ErrNotRegular, "socket": ErrNotRegular, "device": ErrNotRegular, "terminal": ErrNotRegular, ".": syscall.EISDIR, "missing": fs.ErrNotExist, "broken": ErrBrokenLink, "sparse": ErrTooLarge, "a byte more": ErrTooLarge,
	}
	if runtime.GOOS == "linux" {
		wants["kernel"], wants["status"] = ErrNotRegular, ErrNotRegular
	}
	for name, want := range wants {
		done := make(chan error, 1)
		go func() {
			_, err := ReadFile(at(name), most)
			done <- err
		}()
		select {
		case err := <-done:
			if name == "kernel" && errors.Is(err, fs.ErrPermission) {
				continue // only root opens it
			}
			if _, ok := errors.AsType[*fs.PathError](err); !ok || !errors.Is(err, want) {
				t.Errorf("%s: %v", name, err)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: the reader waits", name)
		}
	}
}

// A pipe of the shell's is read, and no other.
func TestReadArgument(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	if _, err := write.WriteString("text"); err != nil {
		t.Fatal(err)
	}
	write.Close()
	if got, err := ReadArgument("/dev/fd/"+strconv.Itoa(int(read.Fd())), Settings); err != nil || string(got) != "text" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := ReadArgument("/dev/zero", Settings); !errors.Is(err, ErrNotRegular) {
		t.Error(err)
	}
}

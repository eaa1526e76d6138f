// SPDX-License-Identifier: Apache-2.0

package output

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// asNobody runs a test without root's rights, which override every permission.
func asNobody(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	if os.Geteuid() != 0 {
		test(t)
		return
	}
	const nobody = 65534
	runtime.LockOSThread() // file access is a right of the thread
	defer runtime.UnlockOSThread()
	if err := syscall.Setfsuid(nobody); err != nil {
		t.Skip(err)
	}
	defer func() { _ = syscall.Setfsuid(0) }()
	test(t)
}

func TestWriteReadOnlyFolder(t *testing.T) {
	asNobody(t, func(t *testing.T) {
		p := newProject(t)
		for _, name := range []string{".", "config", "gone"} {
			if err := os.Chmod(p.path(name), 0o555); err != nil {
				t.Fatal(err)
			}
			defer os.Chmod(p.path(name), 0o755)
		}
		p.mustFail(t, "aa/new/zz_generated.webhook.go: error: cannot create zz_generated.webhook.go: permission denied [O5]\n"+
			"config/manifests.yaml: error: cannot replace manifests.yaml: permission denied [O5]\n")
	})
}

// Removing needs no temporary file, so it fails after all other changes.
func TestWriteUndoesForReadOnlyFolder(t *testing.T) {
	asNobody(t, func(t *testing.T) {
		p := newProject(t)
		if err := os.Chmod(p.path("gone"), 0o555); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(p.path("gone"), 0o755)
		p.mustFail(t, "gone/zz_generated.webhook.go: error: cannot remove zz_generated.webhook.go: permission denied [O5]\n")
	})
}

func TestCompareUnreadable(t *testing.T) {
	asNobody(t, func(t *testing.T) {
		p := newProject(t)
		file, folder, user := p.path("config/manifests.yaml"), p.path("gone"), p.path("order_webhook.go")
		if err := errors.Join(os.Chmod(file, 0), os.Chmod(folder, 0), os.Chmod(user, 0)); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(folder, 0o755)
		_, problems := Compare(p.root, []File{
			{Path: file, Owner: Manifest},
			{Path: p.path("gone/zz_generated.webhook.go")},
			{Path: user, Owner: Once}, // Compare does not read it
		}, nil)
		want := "config/manifests.yaml: error: cannot read manifests.yaml: permission denied [O5]\n" +
			"gone/zz_generated.webhook.go: error: cannot write zz_generated.webhook.go: permission denied [O5]\n"
		if got := printed(t, p.root, problems); got != want {
			t.Errorf("problems:\n%s\nwant:\n%s", got, want)
		}
	})
}

// TestWriteDiskFull imitates a full disk with a limit on the size of files, so that a write stops halfway. The limit
// holds for the whole process, so the test runs in its own.
func TestWriteDiskFull(t *testing.T) {
	const limited = "WRITE_DISK_FULL"
	if os.Getenv(limited) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestWriteDiskFull$", "-test.v")
		cmd.Env = append(os.Environ(), limited+"=1")
		out, err := cmd.CombinedOutput()
		if err != nil || !bytes.Contains(out, []byte("--- PASS: TestWriteDiskFull")) {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	p := newProject(t, File{Path: "large.go", Content: []byte(strings.Repeat("x", 1<<16))})
	signal.Ignore(syscall.SIGXFSZ)
	const size = 1 << 12
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: size}); err != nil {
		t.Fatal(err)
	}
	p.mustFail(t, "large.go: error: cannot create large.go: file too large [O6]\n")
}

// If a file cannot get another link, it is renamed and put back.
func TestWriteUndoesWithoutLinks(t *testing.T) {
	if testing.Short() {
		t.Skip("makes tens of thousands of links")
	}
	p := newProject(t, File{Path: "zz", Content: []byte("a")}, File{Path: "zz/zz", Content: []byte("b")})
	names := t.TempDir()
	const most = 66_000 // ext4 allows 65000
	for i := range most {
		err := os.Link(p.path("config/manifests.yaml"), filepath.Join(names, strconv.Itoa(i)))
		if errors.Is(err, syscall.EMLINK) {
			break
		}
		if err != nil {
			t.Skip(err)
		}
		if i == most-1 {
			t.Skip("this file system allows more links")
		}
	}
	p.mustFail(t, "zz: error: cannot create zz: file exists [O6]\n")
}

// SPDX-License-Identifier: Apache-2.0

//go:build unix

package command

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/webhook-gen/webhook-gen/internal/lock"
)

// newShop starts a project with three kinds in one package.
func newShop(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	source, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	commands := [][]string{{"init", "--module", "example.com/shop"}}
	for _, kind := range shopKinds {
		commands = append(commands, []string{"create", "api", "--group", "shop", "--version", "v1", "--kind", kind})
	}
	for _, args := range commands {
		if out, code := inProcess(dir, append(args, "--skip-tidy", "--source", source)...); code != 0 {
			t.Fatalf("%s: %d\n%s", strings.Join(args, " "), code, out)
		}
	}
	return dir
}

var shopKinds = []string{"Order", "Customer", "Invoice"}

// shopCommands are commands that can run in any order: each result needs the other ones.
func shopCommands() (all [][]string) {
	for _, kind := range shopKinds {
		all = append(all, []string{"create", "webhook", "--group", "shop", "--version", "v1", "--kind", kind, "--validating", "--mutating", "--skip-tidy"})
	}
	return append(all, []string{"generate"})
}

// TestOneWriter runs commands one after the other and all at once. The project is the same.
func TestOneWriter(t *testing.T) {
	if testing.Short() {
		t.Skip("runs processes")
	}
	start := newShop(t)
	copied := func() string {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(start)); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	sequential := copied()
	for _, args := range shopCommands() {
		if out, code := inProcess(sequential, args...); code != 0 {
			t.Fatalf("%v: %d\n%s", args, code, out)
		}
	}
	want := tree(t, sequential)
	const rounds = 12
	for range rounds {
		dir := copied()
		var running []*exec.Cmd
		for _, args := range shopCommands() {
			c := process(dir, args...)
			c.Stdout, c.Stderr = new(bytes.Buffer), new(bytes.Buffer)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			running = append(running, c)
		}
		for _, c := range running {
			if err := c.Wait(); err != nil {
				t.Errorf("%v: %v\n%s%s", c.Args[1:], err, c.Stdout, c.Stderr)
			}
		}
		if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
			t.Fatalf("commands at once have another result (-sequential +at once):\n%s", diff)
		}
	}
}

// tree returns the texts of the files below a folder.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path) // it is below
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestWaits locks a module. A command that writes waits, says for which process, and ends with the exit code of
// trouble. So does verify before it reports files, which the other command may be writing. Other commands that write
// nothing do not wait.
func TestWaits(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for ten seconds")
	}
	p := newHostile(t, nil)
	release, err := lock.Module(t.Context(), p.dir, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	below := filepath.Join(p.dir, "below")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Mkdir(below, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(p.dir, link); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"lint"}, {"generate", "--dry-run"}, {"generate", "--output", "-"}, {"graph"}} {
		began := time.Now()
		if out, _ := inProcess(p.dir, args...); strings.Contains(out, "waiting") || time.Since(began) > lock.Patience {
			t.Errorf("%v waits:\n%s", args, out)
		}
	}
	done := make(chan [2]string)
	runs := []struct {
		dir  string
		args []string
	}{
		{p.dir, []string{"verify"}}, {below, []string{"generate"}}, {link, []string{"generate"}}, {p.dir, []string{"import"}},
		{p.dir, []string{"create", "api", "--group", "shop", "--version", "v1", "--kind", "Item"}},
		{p.dir, []string{"delete", "webhook", "--group", "shop", "--version", "v1", "--kind", "Order"}},
		{p.dir, []string{"init"}},
	}
	for _, r := range runs {
		go func() {
			out, code := inProcess(r.dir, r.args...)
			done <- [2]string{strings.Join(r.args, " ") + ": " + strconv.Itoa(code), out}
		}()
	}
	for range runs {
		result := <-done
		if !strings.HasSuffix(result[0], ": 2") || !strings.Contains(result[1], "waiting for another webhook-gen") || !strings.Contains(result[1], "still writes to ") {
			t.Errorf("%s\n%s", result[0], result[1])
		}
		if want := "(process " + strconv.Itoa(os.Getpid()) + ")"; runtime.GOOS == "linux" && !strings.Contains(result[1], want) {
			t.Errorf("%s does not name %s\n%s", result[0], want, result[1])
		}
	}
}

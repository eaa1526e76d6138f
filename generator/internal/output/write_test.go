// SPDX-License-Identifier: Apache-2.0

package output

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// project is a module on disk whose run creates, replaces and removes a file.
type project struct {
	root    string
	changes []Change
}

func newProject(t *testing.T, more ...File) project {
	t.Helper()
	p := project{root: t.TempDir()}
	write(t, p.path("config/manifests.yaml"), YAMLHeader+"\n")
	write(t, p.path("gone/zz_generated.webhook.go"), older)
	write(t, p.path("order_webhook.go"), "package a\n")
	files := []File{
		{Path: p.path("aa/new/zz_generated.webhook.go"), Content: []byte(newer)},
		{Path: p.path("config/manifests.yaml"), Content: []byte(YAMLHeader + "\n---\n"), Owner: Manifest},
		{Path: p.path("order_webhook.go"), Content: []byte("package b\n"), Owner: Once},
	}
	for _, f := range more {
		f.Path = p.path(f.Path)
		files = append(files, f)
	}
	changes, problems := Compare(p.root, files, []string{p.path("gone/zz_generated.webhook.go")})
	if problems != nil {
		t.Fatal(problems)
	}
	if len(changes) != 3+len(more) {
		t.Fatalf("changes %v", changes)
	}
	p.changes = changes
	return p
}

func (p project) path(name string) string { return filepath.Join(p.root, filepath.FromSlash(name)) }

// mustFail checks that Write fails and changes nothing on disk, including temporary files and folders.
func (p project) mustFail(t *testing.T, problems string) {
	t.Helper()
	before := snapshot(t, p.root)
	if got := printed(t, p.root, Write(p.changes)); got != problems {
		t.Errorf("problems:\n%s\nwant:\n%s", got, problems)
	}
	if diff := cmp.Diff(before, snapshot(t, p.root)); diff != "" {
		t.Errorf("the disk is not as it was (-before +after):\n%s", diff)
	}
}

func TestWrite(t *testing.T) {
	p := newProject(t)
	if err := os.Chmod(p.path("config/manifests.yaml"), 0o606); err != nil {
		t.Fatal(err)
	}
	want := snapshot(t, p.root)
	folder, file := want["config"].Mode, want["order_webhook.go"].Mode // 0755 and 0644, less the umask
	if problems := Write(p.changes); problems != nil {
		t.Fatal(problems)
	}
	want["aa"] = entryOnDisk{Mode: folder}
	want["aa/new"] = entryOnDisk{Mode: folder}
	want["aa/new/zz_generated.webhook.go"] = entryOnDisk{Mode: file, Text: newer}
	want["config/manifests.yaml"] = entryOnDisk{Mode: 0o606, Text: YAMLHeader + "\n---\n"}
	delete(want, "gone/zz_generated.webhook.go")
	if diff := cmp.Diff(want, snapshot(t, p.root)); diff != "" {
		t.Errorf("disk (-want +got):\n%s", diff)
	}
}

// TestWriteUndoes makes the last change fail after all others: another change needs a folder with the name of its
// file.
func TestWriteUndoes(t *testing.T) {
	p := newProject(t, File{Path: "zz", Content: []byte("a")}, File{Path: "zz/zz", Content: []byte("b")})
	p.mustFail(t, "zz: error: cannot create zz: file exists [O6]\n")
}

func TestWriteReadOnlyFile(t *testing.T) {
	p := newProject(t)
	for _, name := range []string{"config/manifests.yaml", "gone/zz_generated.webhook.go"} {
		if err := os.Chmod(p.path(name), 0o444); err != nil {
			t.Fatal(err)
		}
	}
	p.mustFail(t, "config/manifests.yaml: error: cannot replace manifests.yaml: the file is read-only [O5]\n"+
		"gone/zz_generated.webhook.go: error: cannot remove zz_generated.webhook.go: the file is read-only [O5]\n")
}

// TestWriteMeanwhile checks that Write does not overwrite a file that has changed since Compare.
func TestWriteMeanwhile(t *testing.T) {
	const (
		created  = "aa/new/zz_generated.webhook.go"
		replaced = "config/manifests.yaml"
		removed  = "gone/zz_generated.webhook.go"
	)
	report := func(name string) string {
		return name + ": error: " + filepath.Base(name) + " was changed by something else meanwhile [O7]\n    run webhook-gen again\n"
	}
	tests := map[string]struct {
		meanwhile func(p project) error
		problems  string
	}{
		"file appears": {
			func(p project) error {
				_ = os.MkdirAll(filepath.Dir(p.path(created)), 0o755)
				return os.WriteFile(p.path(created), []byte("package mine\n"), 0o644)
			}, report(created),
		},
		"file changes": {
			func(p project) error { return os.WriteFile(p.path(replaced), []byte("kind: Service\n"), 0o644) },
			report(replaced),
		},
		"file to remove changes": {
			func(p project) error { return os.WriteFile(p.path(removed), []byte("package mine\n"), 0o644) },
			report(removed),
		},
		"file goes": {
			func(p project) error { return os.Remove(p.path(replaced)) },
			report(replaced),
		},
		"folder appears": {
			func(p project) error { return os.MkdirAll(p.path(created), 0o755) },
			created + ": error: zz_generated.webhook.go is a folder, and a file of that name is needed [O4]\n",
		},
		"file appears in place of a folder": {
			func(p project) error { return os.WriteFile(p.path("aa"), nil, 0o644) },
			created + ": error: cannot create zz_generated.webhook.go: not a directory [O6]\n",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := newProject(t)
			if err := test.meanwhile(p); err != nil {
				t.Fatal(err)
			}
			p.mustFail(t, test.problems)
		})
	}
}

// Two simultaneous runs on the same input, as with make -j, do not make each other fail.
func TestWriteTwice(t *testing.T) {
	p := newProject(t)
	if problems := Write(p.changes); problems != nil {
		t.Fatal(problems)
	}
	before := snapshot(t, p.root)
	if problems := Write(p.changes); problems != nil {
		t.Errorf("writing again: %v", problems)
	}
	if diff := cmp.Diff(before, snapshot(t, p.root)); diff != "" {
		t.Errorf("writing again changes the disk:\n%s", diff)
	}
}

// A file name of maximal length leaves no room for a longer temporary name.
func TestWriteLongName(t *testing.T) {
	name := strings.Repeat("x", 252) + ".go"
	p := newProject(t, File{Path: name, Content: []byte(newer)})
	if problems := Write(p.changes); problems != nil {
		t.Fatal(problems)
	}
	if got, _ := os.ReadFile(p.path(name)); string(got) != newer {
		t.Errorf("got %q", got)
	}
}

// If undoing fails, the original file stays and the error contains its name.
func TestUndoKeepsWhatItCannotPutBack(t *testing.T) {
	p := newProject(t)
	tx := transaction{}
	for _, c := range p.changes {
		if c.Action == Replace {
			tx.prepare(c)
		}
	}
	s := tx.steps[0]
	if err := s.place(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(s.Path); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(s.Path, "in-the-way"), "")
	err := s.undo()
	kept, _ := filepath.Glob(filepath.Join(filepath.Dir(s.Path), "webhook-gen-kept-*"))
	if err == nil || len(kept) != 1 || !strings.Contains(err.Error(), kept[0]) {
		t.Fatalf("undo does not name %q: %v", kept, err)
	}
	if failed := s.clean(); failed != nil {
		t.Error(failed)
	}
	if got, err := os.ReadFile(kept[0]); string(got) != string(s.Old) {
		t.Errorf("what is left is %q, %v", got, err)
	}
}

// The next run removes the temporary files of a killed run. It keeps those of a running one and the user's files.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	at := func(age time.Duration) string {
		return temporaryPrefix + strconv.FormatInt(time.Now().Add(-age).Unix(), 36) + "-1x2y3z"
	}
	left := filepath.Base(temporaryName(filepath.Join(dir, "order.go")))
	killed := at(2 * time.Minute)
	files := []string{killed, left, at(-time.Hour), ".webhook-gen-notes", ".webhook-gen-a-b.yaml", "webhook-gen-kept-" + killed, "order.go"}
	for _, name := range files {
		write(t, filepath.Join(dir, name), "x")
	}
	if err := os.Mkdir(filepath.Join(dir, at(time.Hour)), 0o755); err != nil {
		t.Fatal(err)
	}
	want := snapshot(t, dir)
	delete(want, killed)
	Sweep([]string{dir, filepath.Join(dir, "missing")})
	if diff := cmp.Diff(want, snapshot(t, dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Without links, the old file is copied, and undoing puts the copy back.
func TestCopyAside(t *testing.T) {
	dir := t.TempDir()
	s := newStep(Change{Path: filepath.Join(dir, "a"), Action: Replace, Old: []byte("old"), New: []byte("new")}, 0o600)
	write(t, s.Path, "old")
	if err := os.Chmod(s.Path, 0o600); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, dir)
	if err := s.copyAside(); err != nil {
		t.Fatal(err)
	}
	s.kept = true
	write(t, s.Path, "new")
	if err := s.undo(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
		t.Error(diff)
	}
}

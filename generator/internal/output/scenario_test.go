// SPDX-License-Identifier: Apache-2.0

package output

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

var update = flag.Bool("update", false, "rewrite what the scenarios expect")

// TestScenarios runs each testdata/*.txtar as a scenario. disk/ is the module's folder, and want/ has the run's
// files: zz_generated.* are Generated, *.yaml is a Manifest, the rest are Once. diff or problems is the expected
// result. All files on disk are owned. Write, git apply and patch apply the diff, and all three must leave the same
// disk.
func TestScenarios(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := run(t, archive)
			if *update {
				setExpected(archive, got)
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(expected(archive), got); diff != "" {
				t.Errorf("outcome (-want +got):\n%s", diff)
			}
		})
	}
}

// outcome is the expected result of a scenario; one of the two is empty.
type outcome struct{ Diff, Problems string }

func run(t *testing.T, archive *txtar.Archive) outcome {
	root := t.TempDir()
	files, owned := unpack(t, archive, root)
	before := snapshot(t, root)

	changes, problems := Compare(root, files, owned)
	if after := snapshot(t, root); cmp.Diff(before, after) != "" {
		t.Errorf("Compare changed the disk:\n%s", cmp.Diff(before, after))
	}
	var got outcome
	if len(problems) > 0 {
		if changes != nil {
			t.Errorf("problems, and yet changes: %v", changes)
		}
		got.Problems = printed(t, root, problems)
		return got
	}
	var diff bytes.Buffer
	if err := Diff(&diff, root, changes); err != nil {
		t.Fatal(err)
	}
	got.Diff = diff.String()

	if problems := Write(changes); problems != nil {
		t.Fatalf("Write: %v", problems)
	}
	written := snapshot(t, root)
	for _, f := range files {
		if f.Owner != Once && written[rel(t, root, f.Path)].Text != string(f.Content) {
			t.Errorf("%s was not written", f.Path)
		}
	}
	for _, tool := range [][]string{{"git", "apply", "-"}, {"patch", "-p1", "--quiet"}} {
		if got.Diff == "" || !isInstalled(tool[0]) {
			continue
		}
		dir := t.TempDir()
		unpack(t, archive, dir)
		apply(t, dir, got.Diff, tool[0], tool[1:]...)
		if diff := cmp.Diff(texts(written), texts(snapshot(t, dir))); diff != "" {
			t.Errorf("%s leaves another disk than Write (-Write +%s):\n%s", tool[0], tool[0], diff)
		}
	}
	if changes, problems := Compare(root, files, owned); len(changes)+len(problems) > 0 {
		t.Errorf("the second run has work left: %v %v", changes, problems)
	}
	return got
}

// texts returns a snapshot without permissions, because tools give new files different ones.
func texts(disk map[string]entryOnDisk) map[string]string {
	out := make(map[string]string)
	for name, e := range disk {
		out[name] = e.Mode.Type().String() + e.Text
	}
	return out
}

// isInstalled reports whether a tool is installed. Without the tool, the test skips its part.
func isInstalled(tool string) bool {
	_, err := exec.LookPath(tool)
	return err == nil
}

// apply applies a diff with a tool.
func apply(t *testing.T, dir, diff, tool string, args ...string) {
	t.Helper()
	cmd := exec.Command(tool, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	cmd.Stdin = strings.NewReader(diff)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", tool, err, out)
	}
}

// unpack writes the disk of a scenario and returns the run's files and the owned paths. Line n of api.go is the cause
// of file n.
func unpack(t *testing.T, archive *txtar.Archive, root string) (files []File, owned []string) {
	for _, f := range archive.Files {
		if name, ok := strings.CutPrefix(f.Name, "disk/"); ok {
			path := filepath.Join(root, name)
			write(t, path, string(f.Data))
			owned = append(owned, path)
		}
		if name, ok := strings.CutPrefix(f.Name, "want/"); ok {
			at := diag.Position{File: filepath.Join(root, "api.go"), Line: len(files) + 1, Column: 1}
			files = append(files, File{Path: root + "/" + name, Content: f.Data, Owner: ownerOf(name), Cause: diag.Range{Pos: at}})
		}
	}
	return files, owned
}

func ownerOf(name string) Ownership {
	switch base := filepath.Base(name); {
	case strings.HasPrefix(base, "zz_generated."):
		return Generated
	case strings.HasSuffix(base, ".yaml"):
		return Manifest
	}
	return Once
}

func expected(archive *txtar.Archive) outcome {
	var want outcome
	for _, f := range archive.Files {
		switch f.Name {
		case "diff":
			want.Diff = string(f.Data)
		case "problems":
			want.Problems = string(f.Data)
		}
	}
	return want
}

func setExpected(archive *txtar.Archive, got outcome) {
	var kept []txtar.File
	for _, f := range archive.Files {
		if f.Name != "diff" && f.Name != "problems" {
			kept = append(kept, f)
		}
	}
	if got.Problems != "" {
		kept = append(kept, txtar.File{Name: "problems", Data: []byte(got.Problems)})
	} else {
		kept = append(kept, txtar.File{Name: "diff", Data: []byte(got.Diff)})
	}
	archive.Files = kept
}

func printed(t *testing.T, root string, problems diag.List) string {
	var out bytes.Buffer
	if err := diag.Print(&out, "text", root, problems, nil); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

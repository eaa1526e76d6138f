// SPDX-License-Identifier: Apache-2.0

package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// TestMistakes makes the mistakes of testdata/mistakes/mistakes.txtar, each in a fresh copy of the project in the
// archive's files below project/. Every other file of the archive is a mistake: edits, commands as TestScripts runs
// them, and behind the line "output:" what the commands print. The edits are
//
//	in FILE: OLD => NEW
//	without FILE
func TestMistakes(t *testing.T) {
	file, err := filepath.Abs("testdata/mistakes/mistakes.txtar")
	if err != nil {
		t.Fatal(err)
	}
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	project := map[string]string{}
	mistakes := 0
	for i, f := range archive.Files {
		if name, ok := strings.CutPrefix(f.Name, "project/"); ok {
			project[name] = string(f.Data)
			continue
		}
		mistakes++
		t.Run(f.Name, func(t *testing.T) {
			input, want, _ := strings.Cut(string(f.Data), "output:\n")
			dir := t.TempDir()
			for name, text := range edited(t, project, input) {
				path := filepath.Join(dir, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			got := transcript(t, dir, []byte(input))
			if *update {
				archive.Files[i].Data = []byte(input + "output:\n" + got)
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got; go test ./generator/command -update rewrites)\n%s", diff)
			}
			if !strings.Contains(got, "\nexit code ") && !strings.Contains(got, ": warning: ") && !strings.Contains(got, "no longer enforced: ") && !strings.Contains(got, "  decide whether ") {
				t.Error("nobody is told of the mistake")
			}
		})
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if mistakes < 40 {
		t.Errorf("%d mistakes", mistakes)
	}
}

// edited returns the project's files after the edits.
func edited(t *testing.T, project map[string]string, edits string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for name, text := range project {
		files[name] = text
	}
	for line := range strings.Lines(edits) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "without "); ok {
			delete(files, name)
			continue
		}
		change, ok := strings.CutPrefix(line, "in ")
		if !ok {
			continue
		}
		name, change, _ := strings.Cut(change, ": ")
		from, to, ok := strings.Cut(change, " => ")
		if !ok || !strings.Contains(files[name], from) {
			t.Fatalf("no edit: %s", line)
		}
		files[name] = strings.Replace(files[name], from, strings.ReplaceAll(to, `\n`, "\n"), 1)
	}
	return files
}

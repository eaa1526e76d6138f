// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/webhook-gen/webhook-gen/generator/internal/project"
)

var update = flag.Bool("update", false, "rewrite the transcripts")

// TestScripts runs the commands of testdata/*.txtar. Lines of the comment that begin with "$ " are commands. The test
// runs them one after the other in a folder with the archive's files: webhook-gen, cat FILE, ls, rm FILE, cp FROM TO,
// edit FILE: OLD => NEW, each with or without > FILE behind it. "transcript" is their output, with standard error
// behind a "! ", and the exit code unless it is 0.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		file, err := filepath.Abs(file) // the commands run elsewhere
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			var want string
			input := archive.Files[:0:0]
			for _, f := range archive.Files {
				if f.Name == "transcript" {
					want = string(f.Data)
					continue
				}
				input = append(input, f)
				path := filepath.Join(dir, f.Name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, f.Data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			got := transcript(t, dir, archive.Comment)
			if *update {
				archive.Files = append(input, txtar.File{Name: "transcript", Data: []byte(got)})
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got; go test ./generator/command -update rewrites)\n%s", diff)
			}
		})
	}
}

// recorded is a go command that does nothing: transcripts show which commands run. hack/delivery runs the real one.
func recorded(context.Context, string, ...string) (string, error) { return "", nil }

func transcript(t *testing.T, dir string, comment []byte) string {
	t.Chdir(dir)
	bin := t.TempDir() // without what a developer has installed
	for _, name := range []string{"go", "git"} {
		if path, err := exec.LookPath(name); err == nil {
			if err := os.Symlink(path, filepath.Join(bin, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Setenv("PATH", bin)
	t.Setenv("GOENV", "off") // and of what they have set for the go command
	t.Setenv("GOFLAGS", "")
	var out strings.Builder
	for line := range strings.Lines(string(comment)) {
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ ")
		if !ok {
			continue
		}
		fmt.Fprintf(&out, "$ %s\n", command)
		command, file, redirected := strings.Cut(command, " > ")
		words := strings.Fields(command)
		var stdout, stderr bytes.Buffer
		code := 0
		switch words[0] {
		case "webhook-gen":
			code = run(context.Background(), words[1:], streams{out: &stdout, err: &stderr, origin: project.Origin{Version: "v0.1.0"}, goCommand: recorded})
		case "cat":
			text, err := os.ReadFile(words[1])
			if err != nil {
				t.Fatal(err)
			}
			stdout.Write(text)
		case "ls":
			err := fs.WalkDir(os.DirFS("."), ".", func(path string, d fs.DirEntry, err error) error {
				if err == nil && !d.IsDir() {
					fmt.Fprintln(&stdout, path)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		case "cp":
			text, err := os.ReadFile(words[1])
			if err == nil {
				err = os.WriteFile(words[2], text, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		case "export":
			name, value, _ := strings.Cut(words[1], "=")
			t.Setenv(name, value)
		case "edit": // FILE: OLD => NEW
			file, change, _ := strings.Cut(strings.TrimPrefix(command, "edit "), ": ")
			old, now, _ := strings.Cut(change, " => ")
			text, err := os.ReadFile(file)
			if err != nil || !bytes.Contains(text, []byte(old)) || old == "" {
				t.Fatalf("no edit: %s %v", command, err)
			}
			if err := os.WriteFile(file, bytes.ReplaceAll(text, []byte(old), []byte(strings.ReplaceAll(now, `\n`, "\n"))), 0o644); err != nil {
				t.Fatal(err)
			}
		case "rm":
			if err := os.Remove(words[1]); err != nil {
				t.Fatal(err)
			}
		default:
			t.Fatalf("unknown command %q", words[0])
		}
		if redirected {
			if err := os.WriteFile(file, stdout.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			stdout.Reset()
		}
		out.Write(stdout.Bytes())
		for l := range strings.Lines(stderr.String()) {
			out.WriteString("! " + l)
		}
		if code != 0 {
			fmt.Fprintf(&out, "exit code %d\n", code)
		}
	}
	return strings.ReplaceAll(out.String(), dir, "$DIR")
}

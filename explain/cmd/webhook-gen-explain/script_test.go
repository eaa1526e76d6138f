// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the transcripts")

// TestMain is this command where the test calls itself by the command's name, which saves linking that as well.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "webhook-gen-explain" {
		main()
	}
	os.Exit(m.Run())
}

// TestScripts runs the commands of testdata/*.txtar in the way of the scripts of webhook-gen's own command: lines of
// the comment that begin with "$ webhook-gen ", in a folder with the archive's files. This command lies beside
// webhook-gen. "transcript" is their output, with standard error behind a "! ", and the exit code unless it is 0.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	binaries := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(binaries, "webhook-gen-explain")); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-o", binaries+"/", "./cmd/webhook-gen")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, file := range files {
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
			got := transcript(t, filepath.Join(binaries, "webhook-gen"), dir, archive.Comment)
			if *update {
				archive.Files = append(input, txtar.File{Name: "transcript", Data: []byte(got)})
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got; go test ./cmd/webhook-gen-explain -update rewrites)\n%s", diff)
			}
		})
	}
}

func transcript(t *testing.T, program, dir string, comment []byte) string {
	var out strings.Builder
	for line := range strings.Lines(string(comment)) {
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ ")
		if !ok {
			continue
		}
		arguments, ok := strings.CutPrefix(command, "webhook-gen ")
		if !ok {
			t.Fatalf("unknown command %q", command)
		}
		fmt.Fprintf(&out, "$ %s\n", command)
		c := exec.Command(program, strings.Fields(arguments)...)
		c.Dir = dir
		var stdout, stderr bytes.Buffer
		c.Stdout, c.Stderr = &stdout, &stderr
		err := c.Run()
		out.Write(stdout.Bytes())
		for l := range strings.Lines(stderr.String()) {
			out.WriteString("! " + l)
		}
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			fmt.Fprintf(&out, "exit code %d\n", exit.ExitCode())
		} else if err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

// TestHandshake refuses to answer for another release of webhook-gen, before flags are read that only the other one
// knows.
func TestHandshake(t *testing.T) {
	for _, test := range []struct {
		release, caller string
		refused         bool
	}{
		{"v1.2.3", "v1.2.3", false}, {"v1.2.3", "v1.3.0", true}, {"v1.3.0-rc.1", "v1.3.0", true}, {"", "v1.2.3", false}, {"v1.2.3", "", false}, {"", "", false},
	} {
		rest, err := handshake([]string{"--for=" + test.caller, "request", "--unknown"}, test.release)
		if (err != nil) != test.refused {
			t.Errorf("%+v: %v", test, err)
		}
		if err == nil && !slices.Equal(rest, []string{"request", "--unknown"}) {
			t.Errorf("%+v: left are %q", test, rest)
		}
	}
	if rest, err := handshake([]string{"request", "--for=v1"}, "v1.2.3"); err != nil || len(rest) != 2 {
		t.Errorf("without a caller: %q, %v", rest, err)
	}
}

// TestPage holds the answer that docs/guides/explain.md shows to a script.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/guides/explain.md")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("testdata/project.txtar")
	if err != nil {
		t.Fatal(err)
	}
	_, shown, _ := strings.Cut(string(page), "```text\n")
	shown, _, ok := strings.Cut(shown, "```\n")
	if !ok || !strings.Contains(string(script), shown) {
		t.Errorf("testdata/project.txtar does not print\n%s", shown)
	}
}

// TestInstallable checks that `go install` accepts go.mod.
func TestInstallable(t *testing.T) {
	text, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		switch words := strings.Fields(line); {
		case len(words) == 0:
		case words[0] == "replace", words[0] == "exclude", words[0] == "github.com/webhook-gen/webhook-gen":
			t.Errorf("go.mod has %s", line)
		}
	}
}

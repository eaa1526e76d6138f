// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"bytes"
	"context"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
)

// TestFailures compares what the tests of projects with mistakes print. The output fits a screen, has no log of calls
// that are meant to fail, and each failure is at a line of the user's.
func TestFailures(t *testing.T) {
	skipIfShort(t)
	const file, base, want = "testdata/failures.txtar", "base/", "want"
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range archive.Files {
		if name, _, _ := strings.Cut(f.Name, "/"); name+"/" != base && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	w := newWorkspace(t)
	for _, name := range names {
		files := below(archive, base)
		for _, own := range below(archive, name+"/") {
			files = slices.DeleteFunc(files, func(f txtar.File) bool { return f.Name == own.Name })
			files = append(files, own)
		}
		files = slices.DeleteFunc(files, func(f txtar.File) bool { return f.Name == want })
		dir, _ := w.add(name, files)
		result := engine.Generate(context.Background(), engine.Config{Dir: dir})
		if failed := append(result.Diagnostics, result.Write()...); failed.HasErrors() {
			t.Fatalf("%s: %v", name, failed)
		}
		w.use(name)
	}
	for i, f := range archive.Files {
		name, rest := path.Split(f.Name)
		if rest != want {
			continue
		}
		got, err := w.goCommand("test", "-vet=off", "example.com/"+strings.ReplaceAll(strings.TrimSuffix(name, "/"), "_", "-")+"/...")
		if err == nil {
			t.Errorf("the tests of %s pass", name)
		}
		printable(t, name, got)
		got = numbers.ReplaceAllString(times.ReplaceAllString(got, "0s"), "for N of")
		if name == "panics/" {
			comparePage(t, got)
		}
		if *update {
			archive.Files[i].Data = []byte(got)
		} else if got != string(f.Data) {
			t.Errorf("%s prints\n%s\nwant\n%s", name, got, f.Data)
		}
	}
	if text := txtar.Format(archive); *update {
		if err := os.WriteFile(file, bytes.TrimLeft(text, "\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// comparePage compares the example in the page on tests with an output.
func comparePage(t *testing.T, output string) {
	t.Helper()
	const page, begin, end = "../../docs/guides/testing.md", "<!-- failure -->\n", "<!-- end of failure -->"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), begin)
	_, after, ok := strings.Cut(rest, end)
	if !ok {
		t.Fatalf("%s has no section %s", page, begin)
	}
	example := regexp.MustCompile(`(?m)^(\?.*|FAIL.*)\n`).ReplaceAllString(output, "")
	example = strings.NewReplacer("(0s)", "(0.21s)", "for N of", "for 1 of").Replace(example)
	now := before + begin + "\n```\n" + example + "```\n\n" + end + after
	switch {
	case *update:
		if err := os.WriteFile(page, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
	case now != string(text):
		t.Errorf("%s is stale: go test ./generator/compile -run TestFailures -update", page)
	}
}

// times are the durations in the output of the go command.
var times = regexp.MustCompile(`\d+\.\d+s`)

// numbers are the numbers of random objects that break a rule. The order of a map hides some of them.
var numbers = regexp.MustCompile(`for \d+ of`)

// atLine is the position that begins a failure.
var atLine = regexp.MustCompile(`^\s+(\S+):\d+: `)

// printable checks the output of a project's tests.
func printable(t *testing.T, name, output string) {
	t.Helper()
	const lines, size = 60, 5 << 10
	if got := strings.Count(output, "\n"); got > lines || len(output) > size {
		t.Errorf("%s prints %d lines and %d bytes, want at most %d and %d:\n%s", name, got, len(output), lines, size, output)
	}
	for _, text := range []string{" ERROR ", "goroutine ", "zz_generated", "0x"} {
		if strings.Contains(output, text) {
			t.Errorf("%s prints %q:\n%s", name, text, output)
		}
	}
	at := 0
	for line := range strings.Lines(output) {
		if found := atLine.FindStringSubmatch(line); found != nil {
			at++
			if base := path.Base(found[1]); !strings.HasPrefix(base, "order") && !strings.HasPrefix(base, "coupon") {
				t.Errorf("%s has a failure at %s, which is no file of the user's", name, found[1])
			}
		}
	}
	if at == 0 {
		t.Errorf("%s prints no position:\n%s", name, output)
	}
}

// below returns the files of an archive below a folder.
func below(archive *txtar.Archive, folder string) []txtar.File {
	var files []txtar.File
	for _, f := range archive.Files {
		if name, ok := strings.CutPrefix(f.Name, folder); ok {
			files = append(files, txtar.File{Name: name, Data: f.Data})
		}
	}
	return files
}

// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPages runs the pages of the manual that have blocks of "console". A heading of the second level begins in an
// empty folder. A block with a file name behind its language writes that file. The commands in a block of "console"
// print the text below them, with both streams mixed as in a terminal. TestEveryCommand lists the tests that run blocks
// of "sh".
func TestPages(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	for _, page := range pages {
		page, err := filepath.Abs(page) // the commands run elsewhere
		if err != nil {
			t.Fatal(err)
		}
		was, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(was, []byte("\n```console\n")) {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(page), ".md"), func(t *testing.T) {
			var now []string
			for _, section := range strings.Split(string(was), "\n## ") {
				now = append(now, followSection(t, section))
			}
			is := strings.Join(now, "\n## ")
			if *update {
				if err := os.WriteFile(page, []byte(is), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(was), is); diff != "" {
				t.Errorf("(-want +got; go test ./generator/command -update rewrites)\n%s", diff)
			}
		})
	}
}

// followSection returns the section with the current output of its commands.
func followSection(t *testing.T, section string) string {
	dir := t.TempDir()
	// The submatches are the rest of the opening fence, and the content.
	fence := regexp.MustCompile("(?ms)^```([^\n]*)\n(.*?)^```$")
	return fence.ReplaceAllStringFunc(section, func(block string) string {
		parts := fence.FindStringSubmatch(block)
		language, file, _ := strings.Cut(parts[1], " ")
		switch {
		case language == "console":
			printed := transcript(t, dir, []byte(parts[2]))
			return "```console\n" + strings.ReplaceAll(printed, "\n! ", "\n") + "```"
		case language == "sh" || file == "":
			return block
		}
		path := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(parts[2]), 0o644); err != nil {
			t.Fatal(err)
		}
		return block
	})
}

// SPDX-License-Identifier: Apache-2.0

package command

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLinks follows the links within the repository: each leads to a file, and to a heading of it if it has an anchor.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	foreign := regexp.MustCompile(`^[a-z]+:`)
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "hack/peers/*/*.md", "integration/*.md", "examples/*/*.md"} {
		files, err := filepath.Glob(filepath.Join("../..", pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("no pages %s: %v", pattern, err)
		}
		for _, file := range files {
			for line := range strings.Lines(proseOf(t, file)) {
				for _, m := range link.FindAllStringSubmatch(span.ReplaceAllString(line, ""), -1) {
					path, anchor, _ := strings.Cut(m[1], "#")
					target := file
					if path != "" {
						target = filepath.Join(filepath.Dir(file), path)
					}
					if !foreign.MatchString(m[1]) && !leads(t, target, anchor) {
						t.Errorf("%s: the link %s leads nowhere", file, m[1])
					}
				}
			}
		}
	}
}

// proseOf returns a page without its blocks of code.
func proseOf(t *testing.T, file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var prose strings.Builder
	fenced := false
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			fenced = !fenced
		case !fenced:
			prose.WriteString(line)
		}
	}
	return prose.String()
}

// leads reports whether there is a file or folder, and a heading with the anchor in it.
func leads(t *testing.T, target, anchor string) bool {
	if _, err := os.Stat(target); err != nil || anchor == "" {
		return err == nil
	}
	omitted := regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	for line := range strings.Lines(proseOf(t, target)) {
		title := strings.TrimLeft(line, "#")
		if title == line {
			continue
		}
		plain := omitted.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
		if strings.ReplaceAll(plain, " ", "-") == anchor {
			return true
		}
	}
	return false
}

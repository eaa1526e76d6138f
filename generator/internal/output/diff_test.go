// SPDX-License-Identifier: Apache-2.0

package output

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// git and patch must apply the diff between every pair of these texts.
func TestDiffCanBeApplied(t *testing.T) {
	texts := []string{
		"",
		"a",
		"a\n",
		"a\nb",
		"a\nb\n",
		"\n",
		"a\r\nb\r\n",
		"b\r\na",
		"-- a\n++ b\n@@ c\n\\ d\n",
		"ä\u2028ö\n",
		strings.Repeat("same\n", 20) + "end",
		"start\n" + strings.Repeat("same\n", 20),
	}
	tools := map[string][]string{
		"git":   {"apply", "--whitespace=nowarn", "-"},
		"patch": {"-p1", "--quiet", "--binary"},
	}
	for tool, args := range tools {
		t.Run(tool, func(t *testing.T) {
			if !isInstalled(tool) {
				t.Skip("not installed")
			}
			for _, old := range texts {
				dir := t.TempDir()
				var changes []Change
				want := make(map[string]string)
				for i, text := range texts {
					if text == old {
						continue
					}
					path := filepath.Join(dir, string(rune('a'+i)))
					write(t, path, old)
					changes = append(changes, Change{Path: path, Action: Replace, Old: []byte(old), New: []byte(text)})
					want[path] = text
				}
				var diff bytes.Buffer
				if err := Diff(&diff, dir, changes); err != nil {
					t.Fatal(err)
				}
				apply(t, dir, diff.String(), tool, args...)
				for path, text := range want {
					got, err := os.ReadFile(path)
					if text == "" && tool == "patch" && err != nil {
						continue // patch mistakes an empty file for a removed one
					}
					if err != nil || string(got) != text {
						t.Errorf("from %q to %q: %s makes %q, %v\n%s", old, text, tool, got, err, diff.String())
					}
				}
			}
		})
	}
}

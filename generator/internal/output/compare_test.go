// SPDX-License-Identifier: Apache-2.0

package output

import (
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

const (
	older = GoHeader + "\n\npackage a\n"
	newer = GoHeader + "\n\npackage a\n\nfunc f() {}\n"
)

func TestLineEndings(t *testing.T) {
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	tests := map[string]struct{ disk, want, written string }{
		"equal but for CRLF":       {crlf(older), older, crlf(older)},
		"CRLF stays CRLF":          {crlf(older), newer, crlf(newer)},
		"one line with CRLF":       {older + "// a\r\n", newer, newer},
		"LF":                       {older, newer, newer},
		"no line at all":           {GoHeader, newer, newer},
		"a conflict above it":      {"<<<<<<< HEAD\n" + older + "=======\n", newer, newer},
		"CRLF in the new text too": {crlf(older), crlf(newer), crlf(newer)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			path := filepath.Join(root, "zz_generated.webhook.go")
			write(t, path, test.disk)
			files := []File{{Path: path, Content: []byte(test.want)}}
			changes, problems := Compare(root, files, nil)
			if problems != nil || len(changes) > 1 || (len(changes) == 0) != (test.disk == test.written) {
				t.Fatalf("changes %v, problems %v", changes, problems)
			}
			if problems := Write(changes); problems != nil {
				t.Fatal(problems)
			}
			if got, _ := os.ReadFile(path); string(got) != test.written {
				t.Errorf("got %q, want %q", got, test.written)
			}
			if changes, _ := Compare(root, files, nil); len(changes) > 0 {
				t.Errorf("the second run has work left: %v", changes)
			}
		})
	}
}

// Compare follows links inside the module.
func TestLinks(t *testing.T) {
	tests := map[string]struct {
		links    map[string]string // below base, from name to target
		disk     map[string]string // below base
		root     string            // below base; "m" if empty
		want     string            // the file to generate, below base
		owned    string
		written  map[string]string // all files in base afterwards except disk and links
		removed  []string
		problems string
	}{
		"to a file in the module": {
			links:   map[string]string{"m/zz_generated.webhook.go": "gen/a.go"},
			disk:    map[string]string{"m/gen/a.go": older},
			want:    "m/zz_generated.webhook.go",
			written: map[string]string{"m/gen/a.go": newer},
		},
		"to nothing yet": {
			links:   map[string]string{"m/zz_generated.webhook.go": "gen/a.go"},
			want:    "m/zz_generated.webhook.go",
			written: map[string]string{"m/gen/a.go": newer},
		},
		"over links": {
			links:   map[string]string{"m/zz_generated.webhook.go": "api/a.go", "m/api": "api2", "m/api2/a.go": "../b.go"},
			disk:    map[string]string{"m/api2/doc.go": "package a\n"},
			want:    "m/zz_generated.webhook.go",
			written: map[string]string{"m/b.go": newer},
		},
		"a folder in the module": {
			links:   map[string]string{"m/api": "apis/v1"},
			disk:    map[string]string{"m/apis/v1/a.go": older},
			want:    "m/api/a.go",
			written: map[string]string{"m/apis/v1/a.go": newer},
		},
		"a folder that leads to nothing yet": {
			links:   map[string]string{"m/api": "apis/v1"},
			want:    "m/api/a.go",
			written: map[string]string{"m/apis/v1/a.go": newer},
		},
		"the root itself": {
			links:   map[string]string{"link": "m"},
			disk:    map[string]string{"m/a.go": older},
			root:    "link",
			want:    "link/a.go",
			written: map[string]string{"m/a.go": newer},
		},
		"to a file outside": {
			links:    map[string]string{"m/a.go": "../elsewhere/a.go"},
			disk:     map[string]string{"elsewhere/a.go": older},
			want:     "m/a.go",
			problems: "m/a.go: error: cannot write a.go: its place is outside the module [O1]\n",
		},
		"to nothing outside": {
			links:    map[string]string{"m/a.go": "../elsewhere/a.go"},
			want:     "m/a.go",
			problems: "m/a.go: error: cannot write a.go: its place is outside the module [O1]\n",
		},
		"a folder outside": {
			links:    map[string]string{"m/api": "../elsewhere"},
			disk:     map[string]string{"elsewhere/a.go": older},
			want:     "m/api/a.go",
			problems: "m/api/a.go: error: cannot write a.go: its place is outside the module [O1]\n",
		},
		"a folder whose name begins as the module's": {
			links:    map[string]string{"m/api": "../m2"},
			disk:     map[string]string{"m2/a.go": older},
			want:     "m/api/a.go",
			problems: "m/api/a.go: error: cannot write a.go: its place is outside the module [O1]\n",
		},
		"in a circle": {
			links:    map[string]string{"m/a.go": "b.go", "m/b.go": "a.go"},
			want:     "m/a.go",
			problems: "m/a.go: error: cannot write a.go: EvalSymlinks: too many links [O6]\n",
		},
		"orphan through a folder": {
			links:   map[string]string{"m/api": "apis/v1"},
			disk:    map[string]string{"m/apis/v1/a.go": older},
			owned:   "m/api/a.go",
			removed: []string{"m/apis/v1/a.go"},
		},
		"orphan in a folder outside": {
			links:    map[string]string{"m/api": "../elsewhere"},
			disk:     map[string]string{"elsewhere/a.go": older},
			owned:    "m/api/a.go",
			problems: "m/api/a.go: error: cannot remove a.go: its place is outside the module [O1]\n",
		},
		"orphan that is a link": {
			links: map[string]string{"m/a.go": "gen/a.go"},
			disk:  map[string]string{"m/gen/a.go": older},
			owned: "m/a.go",
			problems: "m/a.go: error: a.go is a link to a generated file that no marker needs any more [O4]\n" +
				"    remove the link\n",
		},
		"link to what is wanted": {
			links:   map[string]string{"m/b.go": "a.go"},
			disk:    map[string]string{"m/a.go": older},
			want:    "m/a.go",
			owned:   "m/b.go",
			written: map[string]string{"m/a.go": newer},
		},
		"a folder where a file of ours could be": {
			disk:  map[string]string{"m/charts/shop/templates/webhook/service.yaml": "kind: Service\n"},
			owned: "m/charts/shop/templates/webhook",
		},
		"link to a file of the user's": {
			links: map[string]string{"m/b.go": "a.go"},
			disk:  map[string]string{"m/a.go": "package a\n"},
			owned: "m/b.go",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			below := func(name string) string { return filepath.Join(base, filepath.FromSlash(name)) }
			write(t, below("m/go.mod"), "")
			for name, text := range test.disk {
				write(t, below(name), text)
			}
			for name, target := range test.links {
				if err := os.MkdirAll(filepath.Dir(below(name)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(target, below(name)); err != nil {
					t.Skip(err) // Windows may forbid it
				}
			}
			if test.root == "" {
				test.root = "m"
			}
			var files []File
			var owned []string
			if test.want != "" {
				files = []File{{Path: below(test.want), Content: []byte(newer)}}
			}
			if test.owned != "" {
				owned = []string{below(test.owned)}
			}
			want := snapshot(t, base)
			changes, problems := Compare(below(test.root), files, owned)
			if got := printed(t, base, problems); got != test.problems {
				t.Errorf("problems:\n%s\nwant:\n%s", got, test.problems)
			}
			if problems := Write(changes); problems != nil {
				t.Fatal(problems)
			}
			for name, text := range test.written {
				want[name] = entryOnDisk{Mode: want["m/go.mod"].Mode, Text: text}
				for dir := path.Dir(name); want[dir].Mode == 0; dir = path.Dir(dir) {
					want[dir] = entryOnDisk{Mode: want["m"].Mode}
				}
			}
			for _, name := range test.removed {
				delete(want, name)
			}
			if diff := cmp.Diff(want, snapshot(t, base)); diff != "" {
				t.Errorf("disk (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCompareIsOrdered(t *testing.T) {
	root := t.TempDir()
	var files []File
	for _, name := range []string{"c.go", "a/b.go", "b.go"} {
		files = append(files, File{Path: filepath.Join(root, name)})
	}
	forward, _ := Compare(root, files, nil)
	slices.Reverse(files)
	backward, _ := Compare(root, files, nil)
	if diff := cmp.Diff(forward, backward); diff != "" || len(forward) != 3 {
		t.Errorf("%d changes, by order of files (-forward +backward):\n%s", len(forward), diff)
	}
}

// An orphan may be listed twice, or may no longer exist.
func TestCompareRemovesOnce(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "a.go")
	write(t, path, older)
	changes, problems := Compare(root, nil, []string{path, path, filepath.Join(root, "gone.go")})
	if problems != nil || len(changes) != 1 || changes[0].Action != Remove {
		t.Errorf("changes %v, problems %v", changes, problems)
	}
}

// On a case-sensitive file system, a file that differs from a wanted one only in case is an orphan. On others, it is
// the wanted file.
func TestCompareOrphanByCase(t *testing.T) {
	root := t.TempDir()
	upper, lower := filepath.Join(root, "Order.go"), filepath.Join(root, "order.go")
	write(t, lower, newer)
	write(t, upper, newer)
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	changes, problems := Compare(root, []File{{Path: lower, Content: []byte(newer)}}, []string{upper})
	if problems != nil || len(changes) != len(entries)-1 {
		t.Errorf("%d files, changes %v, problems %v", len(entries), changes, problems)
	}
}

func TestCompareOddPaths(t *testing.T) {
	root := t.TempDir()
	tests := map[string]struct{ path, rule string }{
		"relative":      {"a.go", RuleOutside},
		"the root":      {root, RuleInTheWay},
		"too long":      {filepath.Join(root, strings.Repeat("x", 300)+".go"), RuleDisk},
		"holding a NUL": {filepath.Join(root, "a\x00.go"), RuleDisk},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			changes, problems := Compare(root, []File{{Path: test.path}}, nil)
			if len(changes) > 0 || len(problems) != 1 || problems[0].Rule != test.rule {
				t.Errorf("changes %v, problems %v, want one of %s", changes, problems, test.rule)
			}
		})
	}
	t.Run("root missing", func(t *testing.T) {
		if _, problems := Compare(filepath.Join(root, "gone"), nil, nil); len(problems) != 1 || problems[0].Rule != RuleDisk {
			t.Errorf("problems %v", problems)
		}
	})
	t.Run("device", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("no /dev")
		}
		if _, problems := Compare("/", []File{{Path: os.DevNull}}, nil); len(problems) != 1 || problems[0].Rule != RuleInTheWay {
			t.Errorf("problems %v", problems)
		}
	})
}

// A file that is up to date keeps its modification time, even if the run writes other files.
func TestEqualFilesAreNotTouched(t *testing.T) {
	root := t.TempDir()
	equal, old := filepath.Join(root, "equal.go"), filepath.Join(root, "old.go")
	write(t, equal, newer)
	write(t, old, older)
	past := time.Now().Add(-time.Hour).Truncate(time.Second)
	if err := os.Chtimes(equal, past, past); err != nil {
		t.Fatal(err)
	}
	changes, problems := Compare(root, []File{{Path: equal, Content: []byte(newer)}, {Path: old, Content: []byte(newer)}}, nil)
	if problems != nil || len(changes) != 1 {
		t.Fatalf("changes %v, problems %v", changes, problems)
	}
	if problems := Write(changes); problems != nil {
		t.Fatal(problems)
	}
	if info, err := os.Stat(equal); err != nil || !info.ModTime().Equal(past) {
		t.Errorf("modified at %v, want %v (%v)", info.ModTime(), past, err)
	}
}

func TestRulesAreUnique(t *testing.T) {
	seen := make(map[string]diag.Rule)
	for _, r := range Rules() {
		if _, twice := seen[r.ID]; twice || r.Title == "" {
			t.Errorf("rule %+v is not documented once", r)
		}
		seen[r.ID] = r
	}
}

// A Part is replaced if its file still has the content that the new text is based on.
func TestComparePart(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "crd.yaml")
	write(t, path, "theirs\n")
	part := File{Path: path, Content: []byte("theirs and ours\n"), Base: []byte("theirs\n"), Owner: Part, Note: "why"}
	changes, problems := Compare(root, []File{part}, nil)
	if problems != nil || len(changes) != 1 || changes[0].Action != Replace || changes[0].Note != "why" {
		t.Errorf("changes %v, problems %v", changes, problems)
	}
	write(t, path, "theirs, changed\n")
	changes, problems = Compare(root, []File{part}, nil)
	if len(changes) > 0 || len(problems) != 1 || problems[0].Rule != RuleChanged {
		t.Errorf("meanwhile changed: changes %v, problems %v", changes, problems)
	}
}

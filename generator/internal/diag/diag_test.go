// SPDX-License-Identifier: Apache-2.0

package diag

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	words := []string{"create", "update", "delete", "connect", "timeoutSeconds"}
	for word, want := range map[string]string{
		"creat": "create", "udpate": "update", "timeoutseconds": "timeoutSeconds", "timeout": "", "patch": "", "": "", "x": "",
	} {
		if got, _ := Nearest(word, words); got != want {
			t.Errorf("%q is near %q, want %q", word, got, want)
		}
	}
}

// TestSortedLeavesTheList checks that Sorted does not change the caller's list.
func TestSortedLeavesTheList(t *testing.T) {
	twice := Warningf(Range{Pos: Position{File: "a", Line: 1, Column: 1}}, "W", "x")
	list := List{Warningf(Range{Pos: Position{File: "b", Line: 1, Column: 1}}, "W", "x"), twice, twice}
	if sorted := list.Sorted(); len(sorted) != 2 || sorted.HasErrors() {
		t.Errorf("sorted: %v", sorted)
	}
	if list.HasErrors() || list[0].Pos.File != "b" || list[2].Message != "x" {
		t.Errorf("after sorting, the list is %v", list)
	}
}

func TestSort(t *testing.T) {
	at := func(file string, line, column int) Range {
		return Range{Pos: Position{File: file, Line: line, Column: column}}
	}
	list := List{
		Errorf(at("b", 1, 1), "R1", "x"), Errorf(at("a", 2, 1), "R1", "x"), Errorf(at("a", 1, 9), "R2", "x"),
		Errorf(at("a", 1, 9), "R1", "y"), Errorf(at("a", 1, 9), "R1", "x"), Errorf(at("a", 1, 9), "R1", "x"),
	}.Sorted()
	var got []string
	for _, d := range list {
		got = append(got, d.Pos.File+" "+d.Rule+d.Message)
	}
	if s := strings.Join(got, ", "); s != "a R1x, a R1y, a R2x, a R1x, b R1x" {
		t.Errorf("order: %s", s)
	}
	if list.HasErrors() != true || (List{Warningf(Range{}, "W", "x")}).HasErrors() || !(List{Warningf(Range{}, "W", "x")}).Promote().HasErrors() {
		t.Error("errors and warnings are mixed up")
	}
	if advice := (List{{Severity: Note}}); advice.HasErrors() || advice.Promote().HasErrors() {
		t.Error("advice stops a run")
	}
}

func TestPrint(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a", "b.go")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("package b\r\n\t// +x(äö: 1)\r\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	at := Range{Pos: Position{file, 2, 5}, End: Position{file, 2, 8}}
	list := List{
		Errorf(at, "M1", "odd: %d%%", 1).WithHint("do\nthis").WithRelated(Range{Pos: Position{file, 1, 1}}, "there"),
		Warningf(Range{}, "", "no place"),
		Errorf(Range{Pos: Position{File: filepath.Join(dir, "gone.go"), Line: 7, Column: 1}}, "L3", "unreadable"),
	}
	for format, want := range map[string]string{
		"text": "a/b.go:2:5: error: odd: 1% [M1]\n    // +x(äö: 1)\n       ^~~\n    do\nthis\n    a/b.go:1:1: there\n" +
			"warning: no place\ngone.go:7:1: error: unreadable [L3]\n",
		"github": "::error file=a/b.go,line=2,col=5,endLine=2,endColumn=8,title=webhook-gen M1::odd: 1%25%0Ado%0Athis%0Aa/b.go:1:1: there\n" +
			"::warning title=webhook-gen::no place\n::error file=gone.go,line=7,col=1,title=webhook-gen L3::unreadable\n",
	} {
		var out bytes.Buffer
		if err := Print(&out, format, dir, list, nil); err != nil || out.String() != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", format, err, out.String(), want)
		}
	}
	if err := Print(&bytes.Buffer{}, "xml", dir, nil, nil); err == nil {
		t.Error("an unknown format is taken")
	}
}

// TestSortedKeepsErrors checks that of an error and a warning with the same text, the error remains.
func TestSortedKeepsErrors(t *testing.T) {
	failed := Errorf(InFile("a.go"), "X1", "text")
	warned := failed
	warned.Severity = Warning
	for _, list := range []List{{failed, warned}, {warned, failed}, {warned, failed, warned}} {
		if sorted := list.Sorted(); len(sorted) != 1 || !sorted.HasErrors() {
			t.Errorf("%v becomes %v", list, sorted)
		}
	}
}

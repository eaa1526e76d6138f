// SPDX-License-Identifier: Apache-2.0

package diag

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestTerminal checks that only the severity and the caret have a colour.
func TestTerminal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.go")
	if err := os.WriteFile(file, []byte("package a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	at := Range{Pos: Position{File: file, Line: 1, Column: 9}, End: Position{File: file, Line: 1, Column: 10}}
	var out bytes.Buffer
	if err := Print(&out, Terminal, filepath.Dir(file), List{Errorf(at, "L4", "wrong"), Warningf(Range{}, "", "odd")}, nil); err != nil {
		t.Fatal(err)
	}
	want := "a.go:1:9: \x1b[1;31merror:\x1b[0m wrong [L4]\n    package a\n            \x1b[1;31m^\x1b[0m\n\x1b[1;33mwarning:\x1b[0m odd\n"
	if got := out.String(); got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// TestVisible prints names and lines that command a terminal, turn the direction of text, or begin another line.
func TestVisible(t *testing.T) {
	const hostile = "\x1b[2J\u202e\u2066\r\u009b\a"
	file := filepath.Join(t.TempDir(), "a"+hostile+"\n::error::b.go")
	if err := os.WriteFile(file, []byte("package a //"+hostile+"\tä 語\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	at := Range{Pos: Position{File: file, Line: 1, Column: 9}}
	var out bytes.Buffer
	list := List{Errorf(at, "L4", "wrong %s", hostile).WithHint("write\n    %s", hostile).WithRelated(at, "here %s", hostile)}
	if err := Print(&out, "text", filepath.Dir(file), list, nil); err != nil {
		t.Fatal(err)
	}
	const shown = `\x1b[2J\u202e\u2066\r\u009b\a`
	want := "a" + shown + `\n::error::b.go:1:9: error: wrong ` + shown + " [L4]\n    package a //" + shown + "\tä 語\n            ^\n    write\n    " + shown +
		"\n    a" + shown + `\n::error::b.go:1:9: here ` + shown + "\n"
	if got := out.String(); got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
}

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

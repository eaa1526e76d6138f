// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"os"
	"strings"
	"testing"
)

// Set to write the table in hack/peers/figures.md.
var update = flag.Bool("update", false, "write the table in the page")

// TestShares holds the hooks to a tenth of all originals, and to a quarter of each.
func TestShares(t *testing.T) {
	const tenth, quarter = 10, 4
	all, err := count(ports())
	if err != nil {
		t.Fatal(err)
	}
	hooked, before := 0, 0
	for _, c := range all {
		hooked, before = hooked+c.hooked, before+c.before
		if c.hooked*quarter > c.before {
			t.Errorf("%s: %d lines of hooks are more than a quarter of %d", c.name, c.hooked, c.before)
		}
		if c.hooked > 0 && c.why == "" {
			t.Errorf("%s: what do the hooks do?", c.name)
		}
	}
	if hooked*tenth > before {
		t.Errorf("%d lines of hooks are more than a tenth of %d", hooked, before)
	}
	page(t, table(all))
}

// page compares the table in the page, or writes it.
func page(t *testing.T, want string) {
	t.Helper()
	const page, begin, end = root + "/hack/peers/figures.md", "<!-- ports -->\n\n", "\n<!-- end of ports -->"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(text), begin)
	got, after, ends := strings.Cut(rest, end)
	if !begins || !ends {
		t.Fatalf("%s has no place for the table", page)
	}
	if *update {
		if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got != want {
		t.Errorf("the table of ports in %s is stale, go test -update rewrites it:\n%s", page, want)
	}
}

func TestCode(t *testing.T) {
	const text = "package p // p\n\n/* a\ncomment */\nvar s = `two\nlines`\n\n// no code\nfunc f() {\n}\n"
	if got := code([]byte(text)); got != 5 {
		t.Errorf("%d lines with code, want 5", got)
	}
}

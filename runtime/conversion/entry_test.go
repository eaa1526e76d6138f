// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"maps"
	"testing"
)

func TestEntries(t *testing.T) {
	for name, tc := range map[string]struct {
		entries map[string]string
		move    func(*map[string]string)
		want    map[string]string
	}{
		"a value":                {nil, func(m *map[string]string) { ToEntry(m, "k", true) }, map[string]string{"k": "true"}},
		"a value over another":   {map[string]string{"k": "1"}, func(m *map[string]string) { ToEntry(m, "k", 2) }, map[string]string{"k": "2"}},
		"zero":                   {map[string]string{"k": "x"}, func(m *map[string]string) { ToEntry(m, "k", "") }, map[string]string{"k": "x"}},
		"another key":            {map[string]string{"k": ""}, func(m *map[string]string) { MoveEntry(m, m, "k", "new") }, map[string]string{"new": ""}},
		"a key that is taken":    {map[string]string{"k": "1", "new": "2"}, func(m *map[string]string) { MoveEntry(m, m, "k", "new") }, map[string]string{"k": "1", "new": "2"}},
		"a key that is not here": {nil, func(m *map[string]string) { MoveEntry(m, m, "k", "new") }, nil},
	} {
		tc.move(&tc.entries)
		if !maps.Equal(tc.entries, tc.want) {
			t.Errorf("%s: %v", name, tc.entries)
		}
	}
}

// TestFromEntry checks that an entry moves only if writing the field gives the same entry again.
func TestFromEntry(t *testing.T) {
	for text, want := range map[string]int{"7": 7, "-1": -1, "007": 0, "0": 0, "seven": 0, "": 0} {
		entries := map[string]string{"k": text}
		var n int
		if FromEntry(&n, &entries, "k", ParseInteger); n != want {
			t.Errorf("%q: %d", text, n)
		}
		if n != 0 && entries != nil {
			t.Errorf("%q: it is still there", text)
		}
		if ToEntry(&entries, "k", n); entries["k"] != text {
			t.Errorf("%q becomes %q", text, entries["k"])
		}
	}
	type word string
	entries := map[string]string{"k": "a", "other": "b"}
	var w word
	if FromEntry(&w, &entries, "k", ParseText); w != "a" || len(entries) != 1 {
		t.Errorf("%q, %v", w, entries)
	}
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../.."

// TestDrawings compares the files with what the command writes.
func TestDrawings(t *testing.T) {
	for name, d := range drawings() {
		want := d.svg()
		got, err := os.ReadFile(filepath.Join(root, "docs", "drawings", name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("docs/drawings/%s is stale, run go run ./hack/drawings: %v", name, err)
		}
		decoder := xml.NewDecoder(bytes.NewReader(want))
		for {
			if _, err := decoder.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		for _, a := range d.arrows {
			if d.box(a.from).name == "" || d.box(a.to).name == "" {
				t.Errorf("%s: an arrow from %q to %q", name, a.from, a.to)
			}
		}
		for _, b := range d.boxes {
			if len(b.lines) > 3 {
				t.Errorf("%s: %d lines do not fit into %s", name, len(b.lines), b.name)
			}
			for _, line := range b.lines {
				if len(line) > 27 {
					t.Errorf("%s: %q is too long for its box", name, line)
				}
			}
		}
	}
}

// TestLine requires a phase in the drawing for each package of the line in CONTRIBUTING.
func TestLine(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	var phases []string
	for _, b := range line().boxes {
		if b.ours {
			phases = append(phases, b.name)
		}
	}
	if want := strings.Join(phases, " -> "); !strings.Contains(string(text), want) {
		t.Errorf("CONTRIBUTING.md has no line %s", want)
	}
}

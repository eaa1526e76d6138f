// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
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
	}
}

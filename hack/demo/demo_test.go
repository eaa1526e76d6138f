// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"strings"
	"testing"
)

// TestReadme compares the first screen of README.md with what make demo writes and prints.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range demands {
		if text := d.title + "\n    " + d.answer + "\n"; !strings.Contains(string(readme), text) {
			t.Errorf("README.md does not have\n%s", text)
		}
	}
	var written strings.Builder
	for _, file := range []string{"api/v1/order_types.go", "internal/webhook/v1/order_webhook.go"} {
		text, err := files.ReadFile("testdata/shop/" + file)
		if err != nil {
			t.Fatal(err)
		}
		written.Write(text)
	}
	blocks := strings.Split(string(readme), "```go\n")[1:]
	if len(blocks) == 0 {
		t.Fatal("README.md has no Go code")
	}
	for _, block := range blocks {
		code, _, _ := strings.Cut(block, "```")
		for _, part := range strings.Split(code, "\n\n") {
			if !strings.Contains(written.String(), part) {
				t.Errorf("README.md has, and make demo does not write\n%s", part)
			}
		}
	}
}

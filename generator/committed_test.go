// SPDX-License-Identifier: Apache-2.0

package generator

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
)

// TestCommittedLines counts the generated Go files and lines of one kind with one webhook, tests included. The limit is
// 3 files and 250 lines.
func TestCommittedLines(t *testing.T) {
	const mostFiles, mostLines = 3, 250
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "go.mod"), "module example.com/app\n\ngo 1.26\n")
	writeFile(t, filepath.Join(dir, "api/v1/order.go"),
		"// +groupName=shop.example.com\npackage v1\n\n// +webhook:validating(operations: \"create;update\")\ntype Order struct {\n\tSize int `json:\"size\"`\n}\n")
	result := engine.Generate(context.Background(), engine.Config{Dir: dir})
	if failed := append(result.Diagnostics, result.Write()...); failed.HasErrors() {
		t.Fatal(failed)
	}
	tree := map[string]string{}
	readTree(t, dir, tree)
	files, lines := 0, 0
	for _, name := range sortedKeys(tree) {
		if strings.HasPrefix(filepath.Base(name), "zz_generated.") && strings.HasSuffix(name, ".go") {
			files, lines = files+1, lines+strings.Count(tree[name], "\n")
		}
	}
	t.Logf("one kind with one webhook: %d generated Go files, %d lines", files, lines)
	if files == 0 || files > mostFiles || lines > mostLines {
		t.Errorf("%d generated Go files with %d lines, want at most %d and %d", files, lines, mostFiles, mostLines)
	}
}

// SPDX-License-Identifier: Apache-2.0

package generator

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
)

// TestCommittedLines counts the generated files and lines of one kind with one webhook, tests included. It does so with
// the imported runtime and with a copy of it. With the import, the limit is 3 generated Go files and 250 lines.
func TestCommittedLines(t *testing.T) {
	const mostFiles, mostLines = 3, 250
	for _, runtime := range []string{"import", "vendor"} {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "go.mod"), "module example.com/app\n\ngo 1.26\n")
		writeFile(t, filepath.Join(dir, "webhook-gen.yaml"), "version: 1\nhandlers: {runtime: "+runtime+"}\n")
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
		t.Logf("one kind with one webhook, handlers.runtime %s: %d generated Go files, %d lines", runtime, files, lines)
		if files == 0 || runtime == "import" && (files > mostFiles || lines > mostLines) {
			t.Errorf("handlers.runtime %s: %d generated Go files with %d lines, want at most %d and %d", runtime, files, lines, mostFiles, mostLines)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestFirstPolicy puts the first example of docs/guides/policies.md on a kind from create api. No finding is about it.
// Without its guards each finding prints a guarded expression, which takes its place without a finding.
func TestFirstPolicy(t *testing.T) {
	page, err := os.ReadFile("../../docs/guides/policies.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(page), "```go\n")
	example, _, _ = strings.Cut(example, "type ")
	tree, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	call := func(words ...string) (printed string, code int) {
		var out bytes.Buffer
		code = run(t.Context(), append(words, "-C", dir), streams{out: &out, err: &out})
		return out.String(), code
	}
	for _, words := range [][]string{{"init", "--module", "example.com/shop"}, {"create", "api", "--group", "shop", "--version", "v1", "--kind", "Order"}} {
		if out, code := call(append(words, "--skip-tidy", "--source", tree)...); code != 0 {
			t.Fatal(out)
		}
	}
	file := filepath.Join(dir, "api", "v1", "order_types.go")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	generate := func(markers string) (string, int) {
		t.Helper()
		if err := os.WriteFile(file, []byte(strings.Replace(string(text), "type Order struct", markers+"type Order struct", 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		return call("generate", "--strict")
	}
	if out, code := generate(example); code != 0 || strings.Contains(out, "[") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	remedy := regexp.MustCompile("write `(.*)`, or")
	for _, expression := range []string{"has(object.spec.lines) && size(object.spec.lines) > 0", "oldObject == null || object.spec.sku == oldObject.spec.sku", "object.metadata.labels['a'] == 'b'"} {
		for range 4 { // as many findings as the expression may have, one after the other
			out, code := generate("// +webhook:policy:validating(operations: \"create;update\")\n// +webhook:policy:validation(message: \"no\")=`" + expression + "`\n")
			if code == 0 {
				break
			}
			found := remedy.FindStringSubmatch(out)
			if found == nil {
				t.Fatalf("no guarded expression:\n%s", out)
			}
			expression = found[1]
		}
		if out, code := generate("// +webhook:policy:validating(operations: \"create;update\")\n// +webhook:policy:validation(message: \"no\")=`" + expression + "`\n"); code != 0 {
			t.Errorf("%s\n%s", expression, out)
		}
	}
}

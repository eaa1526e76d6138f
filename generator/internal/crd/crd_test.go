// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

const orders = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: orders.shop.example.com}
spec:
  versions:
  - {name: v1}
`

func conversion(stanza string) Conversion {
	at := diag.Range{Pos: diag.Position{File: "/app/api.go", Line: 1, Column: 1}}
	return Conversion{Range: at, Name: "orders.shop.example.com", Versions: []string{"v1"}, Stanza: []byte(stanza)}
}

// merged returns one file after Merge.
func merged(t *testing.T, text string, conversions ...Conversion) (string, diag.List) {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "crd.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	files, problems := Merge(Options{Files: load.Texts(root, "*.yaml"), Patterns: []string{"*.yaml"}, Whole: true}, conversions)
	if len(problems) > 0 || len(files) == 0 {
		return text, problems
	}
	if string(files[0].Base) != text {
		t.Errorf("made from %q, want %q", files[0].Base, text)
	}
	return string(files[0].Content), nil
}

// TestLineEndings checks that line endings stay the same, also for a last line without one.
func TestLineEndings(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"LF":   {orders, strings.Replace(orders, "spec:\n", "spec:\n  conversion: "+output.YAMLHeader+"\n    strategy: Webhook\n", 1)},
		"CRLF": {crlf(orders), crlf(strings.Replace(orders, "spec:\n", "spec:\n  conversion: "+output.YAMLHeader+"\n    strategy: Webhook\n", 1))},
		"without the last": {strings.TrimSuffix(orders, "\n"),
			strings.TrimSuffix(strings.Replace(orders, "spec:\n", "spec:\n  conversion: "+output.YAMLHeader+"\n    strategy: Webhook\n", 1), "\n")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, problems := merged(t, test.text, conversion("strategy: Webhook\n"))
			if diff := cmp.Diff(test.want, got); diff != "" || problems != nil {
				t.Errorf("problems %v (-want +got):\n%s", problems, diff)
			}
			back, problems := merged(t, got)
			if diff := cmp.Diff(test.text, back); diff != "" || problems != nil {
				t.Errorf("and back: problems %v (-want +got):\n%s", problems, diff)
			}
		})
	}
}

func crlf(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

// FuzzMerge inserts a stanza into any file and removes it again. The file must be the same to the byte, and a file that
// cannot be restored must be refused.
func FuzzMerge(f *testing.F) {
	f.Add(orders)
	f.Add(crlf(orders))
	f.Add("# a comment\n---\n" + orders + "  # of the end\n\n---\nkind: List\n")
	f.Add("a: &a\n- 1\n--- # two\n" + strings.Replace(orders, "spec:", "\"spec\" : &spec # three", 1))
	f.Add(strings.Replace(orders, "spec:", "spec: !!map", 1) + "  \"conversion\": {strategy: None}\n")
	f.Add(strings.Replace(orders, "  versions:", "  ? conversion\n  : strategy: None\n  versions:", 1))
	f.Add(strings.Replace(orders, "  - {", "     - {", 1) + "     # deep\n\n...\n" + orders)
	f.Add(strings.Replace(orders, "spec:\n", "spec:\n  conversion: "+output.YAMLHeader+"\n    webhook:\n      clientConfig: {caBundle: Zm9v}\n", 1))
	f.Add(strings.Replace(orders, "spec:\n", "spec:\r# three\n", 1))
	f.Fuzz(func(t *testing.T, text string) {
		clean, problems := merged(t, text)
		if problems != nil || bytes.Contains([]byte(clean), []byte(output.YAMLHeader)) {
			return
		}
		with, problems := merged(t, clean, conversion("strategy: Webhook\nwebhook:\n  clientConfig: {}\n"))
		if problems != nil || with == clean {
			return
		}
		if again, problems := merged(t, with, conversion("strategy: Webhook\nwebhook:\n  clientConfig: {}\n")); again != with || problems != nil {
			t.Fatalf("a second time, problems %v:\n%s", problems, cmp.Diff(with, again))
		}
		back, problems := merged(t, with)
		if back != clean || problems != nil {
			t.Fatalf("there and back, problems %v (-want +got):\n%s", problems, cmp.Diff(clean, back))
		}
	})
}

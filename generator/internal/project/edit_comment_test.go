// SPDX-License-Identifier: Apache-2.0

package project

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/semantics"
)

func TestAddMarkers(t *testing.T) {
	for name, test := range map[string]struct{ before, after string }{
		"no comment": {
			"package v1\n\ntype Order struct{}\n",
			"package v1\n\n// +webhook:a\n// +webhook:b\ntype Order struct{}\n",
		},
		"prose": {
			"package v1\n\n// Order is one.\ntype Order struct{}\n",
			"package v1\n\n// Order is one.\n//\n// +webhook:a\n// +webhook:b\ntype Order struct{}\n",
		},
		"other markers": {
			"package v1\n\n// Order is one.\n//\n// +genclient\ntype Order struct{}\n",
			"package v1\n\n// Order is one.\n//\n// +genclient\n// +webhook:a\n// +webhook:b\ntype Order struct{}\n",
		},
		"in parentheses, CRLF": {
			"package v1\r\n\r\ntype (\r\n\t// Order is one.\r\n\tOrder struct{}\r\n)\r\n",
			"package v1\r\n\r\ntype (\r\n\t// Order is one.\r\n\t//\r\n\t// +webhook:a\r\n\t// +webhook:b\r\n\tOrder struct{}\r\n)\r\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			line := 1 + strings.Count(test.before[:strings.Index(test.before, "Order struct")], "\n")
			got := addMarkers([]byte(test.before), semantics.APIType{Line: line}, "webhook:a", "webhook:b")
			if diff := cmp.Diff(test.after, string(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if _, err := parser.ParseFile(token.NewFileSet(), "", got, 0); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestRemoveMarkers(t *testing.T) {
	lines := func(from, to int) diag.Range {
		return diag.Range{Pos: diag.Position{Line: from}, End: diag.Position{Line: to}}
	}
	for name, test := range map[string]struct {
		before, after string
		at            []diag.Range
	}{
		"the only one": {"// Order is one.\n//\n// +webhook:a\ntype Order struct{}\n", "// Order is one.\ntype Order struct{}\n", []diag.Range{lines(3, 3)}},
		"the first": {
			"// Order is one.\n//\n// +webhook:a\n// +webhook:b\ntype Order struct{}\n",
			"// Order is one.\n//\n// +webhook:b\ntype Order struct{}\n", []diag.Range{lines(3, 3)},
		},
		"over two lines, and the last": {
			"// Order is one.\n//\n// +webhook:a(x: 1,\n// y: 2)\n// +webhook:b\ntype Order struct{}\n",
			"// Order is one.\ntype Order struct{}\n", []diag.Range{lines(3, 4), lines(5, 5)},
		},
		"prose behind it": {
			"// Order is one.\n//\n// +webhook:a\n//\n// More of it.\ntype Order struct{}\n",
			"// Order is one.\n//\n// More of it.\ntype Order struct{}\n", []diag.Range{lines(3, 3)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := removeMarkers([]byte(test.before), test.at)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.after, string(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	if _, err := removeMarkers([]byte("/*\n+webhook:a\n*/\ntype Order struct{}\n"), []diag.Range{lines(2, 2)}); err == nil {
		t.Error("a marker in a block comment was taken for one on a line")
	}
}

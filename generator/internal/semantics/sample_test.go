// SPDX-License-Identifier: Apache-2.0

package semantics

import (
	"go/ast"
	"testing"
)

// TestLiteral compares sample values with the markers that they must satisfy.
func TestLiteral(t *testing.T) {
	const of = "// +kubebuilder:validation:"
	for _, test := range []struct {
		basic, want string
		markers     []string
	}{
		{"string", `"sample"`, nil},
		{"string", `"Fast"`, []string{of + "Enum=Fast;Slow"}},
		{"string", `"Fast"`, []string{of + "Enum:={Fast,Slow}"}},
		{"string", `"a b"`, []string{of + `Enum={"a b",c}`}},
		{"int32", "3", []string{of + "Enum=3;5"}},
		{"int32", "1", []string{of + "Minimum=-2"}},
		{"int64", "7", []string{of + "Minimum:=7"}},
		{"int64", "8", []string{of + "Minimum=7", of + "ExclusiveMinimum=true"}},
		{"uint8", "4", []string{"// +k8s:minimum=4"}},
	} {
		group := &ast.CommentGroup{}
		for _, text := range test.markers {
			group.List = append(group.List, &ast.Comment{Text: text})
		}
		if got, ok := literal(test.basic, []*ast.CommentGroup{group}); !ok || got != test.want {
			t.Errorf("%s %v: %s, %v, want %s", test.basic, test.markers, got, ok, test.want)
		}
	}
}

// TestFieldName compares field names in rules with those of encoding/json.
func TestFieldName(t *testing.T) {
	name := func(text string) *ast.Ident { return ast.NewIdent(text) }
	generic := &ast.IndexExpr{X: &ast.SelectorExpr{X: name("shared"), Sel: name("Options")}, Index: name("Order")}
	for want, field := range map[string]*ast.Field{
		"Options": {Type: &ast.StarExpr{X: generic}},
		"size":    {Type: generic, Tag: &ast.BasicLit{Value: "`json:\"size,omitempty\"`"}},
		"Note":    {Names: []*ast.Ident{name("Note")}, Type: name("string")},
	} {
		if got := jsonName(field); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

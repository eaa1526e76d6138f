// SPDX-License-Identifier: Apache-2.0

package celcheck

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// sources are the parsed files of API types, which may be of other packages than the validators.
type sources map[string]sourceFile // by name

// sourceFile is a file with its own positions; its tree is nil if the file cannot be read.
type sourceFile struct {
	fset *token.FileSet
	tree *ast.File
}

func (s sources) read(name string) sourceFile {
	f, known := s[name]
	if !known {
		f.fset = token.NewFileSet()
		f.tree, _ = parser.ParseFile(f.fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		s[name] = f
	}
	return f
}

// isOptional reports a marker by which the schema does not require a field, though JSON does not omit it: a client that
// sends YAML may leave it out.
func isOptional(marker string) bool {
	return marker == "+optional" || marker == "+k8s:optional" || marker == "+kubebuilder:validation:Optional"
}

// markers returns the markers of a field of a struct.
func (s sources) markers(at token.Position, f *types.Var) (all []string) {
	file := s.read(at.Filename)
	if file.tree == nil {
		return nil
	}
	ast.Inspect(file.tree, func(n ast.Node) bool {
		field, ok := n.(*ast.Field)
		if ok && field.Doc != nil && slices.ContainsFunc(field.Names, func(name *ast.Ident) bool {
			return name.Name == f.Name() && file.fset.Position(name.Pos()).Line == at.Line
		}) {
			for _, c := range field.Doc.List {
				all = append(all, strings.TrimSpace(strings.TrimPrefix(c.Text, "//")))
			}
		}
		return true
	})
	return all
}

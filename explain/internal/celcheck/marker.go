// SPDX-License-Identifier: Apache-2.0

package celcheck

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// sources are the parsed files of API types, which may be of other packages than the validators.
type sources struct {
	files    map[string]sourceFile // by name
	optional map[string]bool       // what optionalPackage has found, by folder
}

// sourceFile is a file with its own positions; its tree is nil if the file cannot be read.
type sourceFile struct {
	fset *token.FileSet
	tree *ast.File
}

func (s sources) read(name string) sourceFile {
	f, known := s.files[name]
	if !known {
		f.fset = token.NewFileSet()
		f.tree, _ = parser.ParseFile(f.fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		s.files[name] = f
	}
	return f
}

const optionalMarker = "+kubebuilder:validation:Optional"

// isOptional reports whether the schema does not require a field with these markers, though JSON does not omit it: a
// client that sends YAML may leave it out.
func (s sources) isOptional(file string, markers []string) bool {
	has := func(names ...string) bool {
		return slices.ContainsFunc(markers, func(m string) bool { return slices.Contains(names, m) })
	}
	return has("+optional", "+k8s:optional", optionalMarker) ||
		s.optionalPackage(filepath.Dir(file)) && !has("+required", "+k8s:required", "+kubebuilder:validation:Required")
}

// optionalPackage reports whether the package in a folder has the marker that makes fields optional by default.
// controller-gen reads it outside of declarations and their doc comments.
func (s sources) optionalPackage(dir string) bool {
	optional, known := s.optional[dir]
	if known {
		return optional
	}
	entries, _ := os.ReadDir(dir) // the go command reports a folder that cannot be read
	for _, entry := range entries {
		name := filepath.Join(dir, entry.Name())
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(text, []byte(optionalMarker)) {
			continue
		}
		file := s.read(name)
		if file.tree == nil {
			continue
		}
		for _, g := range file.tree.Comments {
			declared := slices.ContainsFunc(file.tree.Decls, func(d ast.Decl) bool {
				doc := (*ast.CommentGroup)(nil)
				switch d := d.(type) {
				case *ast.FuncDecl:
					doc = d.Doc
				case *ast.GenDecl:
					doc = d.Doc
				}
				return g == doc || d.Pos() <= g.Pos() && g.Pos() < d.End()
			})
			optional = optional || !declared && slices.Contains(lines(g), optionalMarker)
		}
	}
	s.optional[dir] = optional
	return optional
}

// lines returns the lines of a comment.
func lines(g *ast.CommentGroup) (all []string) {
	for _, c := range g.List {
		all = append(all, strings.TrimSpace(strings.TrimPrefix(c.Text, "//")))
	}
	return all
}

// markers returns the markers of a field of a struct.
func (s sources) markers(at token.Position, f *types.Var) (all []string) {
	file := s.read(at.Filename)
	if file.tree == nil {
		return nil
	}
	for n := range ast.Preorder(file.tree) {
		field, ok := n.(*ast.Field)
		if ok && field.Doc != nil && slices.ContainsFunc(field.Names, func(name *ast.Ident) bool {
			return name.Name == f.Name() && file.fset.Position(name.Pos()).Line == at.Line
		}) {
			all = append(all, lines(field.Doc)...)
		}
	}
	return all
}

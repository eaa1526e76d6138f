// SPDX-License-Identifier: Apache-2.0

package api

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
)

// Undocumented returns the exported names of the module in a folder that have no comment, each with its position. The
// comment of a function, method or type must begin with its name. A constant, variable or field may share the comment
// above its group or line.
func Undocumented(dir string) ([]string, error) {
	var found undocumented
	err := filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "internal" || entry.Name() == "testdata"):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		found.files = token.NewFileSet()
		tree, err := parser.ParseFile(found.files, file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, declaration := range tree.Decls {
			found.declaration(declaration)
		}
		return nil
	})
	return found.names, err
}

// undocumented collects names without a comment, file after file.
type undocumented struct {
	files *token.FileSet
	names []string
}

func (u *undocumented) add(name *ast.Ident, shown string) {
	u.names = append(u.names, fmt.Sprintf("%s: %s", u.files.Position(name.Pos()), shown))
}

func (u *undocumented) declaration(declaration ast.Decl) {
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		of := ""
		if d.Recv != nil {
			if of = receiver(d.Recv.List[0].Type); !ast.IsExported(of) {
				return
			}
			of += "."
		}
		if d.Name.IsExported() && !begins(d.Doc, d.Name.Name) {
			u.add(d.Name, of+d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					if !begins(s.Doc, s.Name.Name) && !begins(d.Doc, s.Name.Name) {
						u.add(s.Name, s.Name.Name)
					}
					u.members(s)
				}
			case *ast.ValueSpec:
				u.group(s.Names, "", s.Doc, s.Comment, d.Doc)
			}
		}
	}
}

// members looks at the fields of a struct and the methods of an interface.
func (u *undocumented) members(s *ast.TypeSpec) {
	var list *ast.FieldList
	switch t := s.Type.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list = t.Methods
	default:
		return
	}
	var above *ast.CommentGroup // of the field before, if no blank line is between
	line := 0
	for _, f := range list.List {
		if u.files.Position(f.Pos()).Line != line+1 {
			above = nil
		}
		if f.Doc != nil {
			above = f.Doc
		}
		u.group(f.Names, s.Name.Name+".", f.Doc, f.Comment, above)
		line = u.files.Position(f.End()).Line
	}
}

// group adds the exported names if all comments are absent.
func (u *undocumented) group(names []*ast.Ident, of string, comments ...*ast.CommentGroup) {
	for _, comment := range comments {
		if comment.Text() != "" {
			return
		}
	}
	for _, name := range names {
		if name.IsExported() {
			u.add(name, of+name.Name)
		}
	}
}

// begins reports whether a comment begins with a name, or with an article and the name.
func begins(comment *ast.CommentGroup, name string) bool {
	words := strings.Fields(comment.Text())
	for len(words) > 0 && (words[0] == "A" || words[0] == "An" || words[0] == "The" || words[0] == "Deprecated:") {
		words = words[1:]
	}
	return len(words) > 0 && strings.TrimSuffix(strings.TrimRight(words[0], ",.:;"), "'s") == name
}

// receiver is the name of the type of a receiver.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

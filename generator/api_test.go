// SPDX-License-Identifier: Apache-2.0

package generator

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestAPI checks the exported names of the packages that other modules may import: each has a comment that begins with
// the name, and none exposes a type of an internal package.
func TestAPI(t *testing.T) {
	for _, folder := range []string{".", "command"} {
		set, internal := token.NewFileSet(), map[string]bool{}
		var files []*ast.File
		paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			tree, err := parser.ParseFile(set, path, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range tree.Imports {
				if imported := strings.Trim(i.Path.Value, `"`); strings.Contains(imported, "/internal/") {
					internal[filepath.Base(imported)] = true
				}
			}
			files = append(files, tree)
		}
		pkg, err := doc.NewFromFiles(set, files, folder)
		if err != nil {
			t.Fatal(err)
		}
		check := func(name, text string, decl ast.Node) {
			if !strings.HasPrefix(text, name+" ") {
				t.Errorf("%s: %s has no comment that begins with its name", folder, name)
			}
			ast.Inspect(decl, func(n ast.Node) bool { // the documentation's tree has exported fields alone, and no bodies
				if s, ok := n.(*ast.SelectorExpr); ok && internal[s.X.(*ast.Ident).Name] {
					t.Errorf("%s: %s exposes %s.%s", folder, name, s.X, s.Sel)
				}
				return true
			})
		}
		funcs := pkg.Funcs
		for _, typ := range pkg.Types {
			check(typ.Name, typ.Doc, typ.Decl)
			funcs = append(append(funcs, typ.Funcs...), typ.Methods...)
			for _, value := range typ.Consts {
				for _, spec := range value.Decl.Specs {
					spec := spec.(*ast.ValueSpec)
					check(spec.Names[0].Name, spec.Doc.Text(), spec)
				}
			}
		}
		for _, f := range funcs {
			check(f.Name, f.Doc, f.Decl)
		}
		if len(funcs) == 0 {
			t.Errorf("%s exports no function", folder)
		}
		if len(pkg.Consts)+len(pkg.Vars) > 0 {
			t.Errorf("%s: a constant or variable of no type of its own", folder)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package load

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strconv"
)

// Imported returns the import path of a package name in a file; "" if the file imports none. A package of another
// module has the name that its path ends in.
func (m *Module) Imported(f *ast.File, name string) string {
	for _, i := range f.Imports {
		imported, _ := strconv.Unquote(i.Path.Value) // the parser has accepted it
		own, _ := m.PackageName(imported)
		if i.Name != nil {
			own = i.Name.Name
		}
		if cmp.Or(own, path.Base(imported)) == name {
			return imported
		}
	}
	return ""
}

// ImportsOf returns the import paths of a Go file, or nil if it does not parse.
func ImportsOf(text []byte) (paths []string) {
	f, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ImportsOnly)
	if err != nil {
		return nil
	}
	for _, i := range f.Imports {
		if path, err := strconv.Unquote(i.Path.Value); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

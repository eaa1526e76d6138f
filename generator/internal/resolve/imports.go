// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"go/ast"
	"path"
	"strconv"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// imports is what the packages that a file imports are called there.
type imports struct {
	named   map[string]string // to import paths; names that the file sets or that are known by now
	unnamed []string          // import paths of packages that go by the name of their package clause
	dotted  []string          // import paths of packages whose names are the file's own
}

// importsOf returns the imports of a file.
func (r *Resolver) importsOf(f *load.File) *imports {
	if i := r.imports[f]; i != nil {
		return i
	}
	i := &imports{named: make(map[string]string)}
	for _, spec := range f.AST.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		switch {
		case err != nil:
		case spec.Name == nil:
			i.unnamed = append(i.unnamed, importPath)
		case spec.Name.Name == ".":
			i.dotted = append(i.dotted, importPath)
		case spec.Name.Name != "_":
			i.named[spec.Name.Name] = importPath
		}
	}
	r.imports[f] = i
	return i
}

// importPath returns the path of the package that the file calls by that name.
func (r *Resolver) importPath(at environment, name string) (string, bool) {
	i := r.importsOf(at.file)
	importPath, known := i.named[name]
	if !known {
		if importPath, known = r.unnamedImport(at, name); known {
			i.named[name] = importPath
		}
	}
	return inside(at.scope, importPath), known
}

// imported returns the package of a qualified name; nil if it has no source or cannot be found.
func (r *Resolver) imported(at environment, e *ast.SelectorExpr) *scope {
	x, ok := e.X.(*ast.Ident)
	if !ok {
		return nil
	}
	importPath, ok := r.importPath(at, x.Name)
	if !ok || importPath == "unsafe" || importPath == "C" {
		return nil
	}
	s, _ := r.open(importPath)
	return s
}

// unnamedImport finds the import whose package clause gives the name. It tries the paths that end in the name first,
// then the paths that contain it, then all. A package that cannot be found is taken for the right one if its path ends
// in the name.
func (r *Resolver) unnamedImport(at environment, name string) (string, bool) {
	unnamed := r.importsOf(at.file).unnamed
	unfound := ""
	for _, likely := range []func(importPath string) bool{
		func(p string) bool { return path.Base(p) == name },
		func(p string) bool { return path.Base(p) != name && strings.Contains(p, name) },
		func(p string) bool { return !strings.Contains(p, name) },
	} {
		for _, importPath := range unnamed {
			if !likely(importPath) {
				continue
			}
			if importPath == "unsafe" || importPath == "C" {
				if importPath == name {
					return importPath, true
				}
				continue
			}
			switch s, err := r.open(inside(at.scope, importPath)); {
			case err == nil && s.pkg.Name == name:
				return importPath, true
			case err != nil && unfound == "" && assumedName(importPath) == name:
				unfound = importPath
			}
		}
		if unfound != "" {
			return unfound, true
		}
	}
	return "", false
}

// assumedName is what a package is most likely called that cannot be found: the last element of
// its path that is no major version.
func assumedName(importPath string) string {
	base := path.Base(importPath)
	if number, ok := strings.CutPrefix(base, "v"); ok && strings.Contains(importPath, "/") {
		if n, err := strconv.Atoi(number); err == nil && n >= 2 {
			return path.Base(path.Dir(importPath))
		}
	}
	return base
}

// inside returns what an import path means inside a package: the standard library has
// golang.org/x packages of its own, in a vendor folder.
func inside(s *scope, importPath string) string {
	if s.pkg.Module.Path == "std" && strings.HasPrefix(importPath, "golang.org/x/") {
		return "vendor/" + importPath
	}
	return importPath
}

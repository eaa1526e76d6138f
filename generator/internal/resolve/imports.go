// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"go/ast"
	"path"
	"strconv"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// imports maps the package names of a file to import paths.
type imports struct {
	named   map[string]string // import paths by name: names in the import declarations, and names resolved so far
	unnamed []string          // import paths without a name in the declaration
	dotted  []string          // import paths of dot imports
}

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

// importPath returns the import path of a package name in the file.
func (r *Resolver) importPath(at environment, name string) (string, bool) {
	i := r.importsOf(at.file)
	importPath, ok := i.named[name]
	if !ok {
		if importPath, ok = r.unnamedImport(at, name); ok {
			i.named[name] = importPath
		}
	}
	return vendoredPath(at.scope, importPath), ok
}

// imported returns the package of a qualified name, or nil if it has no source or cannot be found.
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

// unnamedImport returns the import whose package clause has the name. It tries paths that end in the name first, then
// paths that contain it, then the others. A package that cannot be found is assumed to have the name if its path ends
// in it.
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
			switch s, err := r.open(vendoredPath(at.scope, importPath)); {
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

// assumedName returns the likely name of a missing package: the last element of its path that is not a major version.
func assumedName(importPath string) string {
	base := path.Base(importPath)
	if number, ok := strings.CutPrefix(base, "v"); ok && strings.Contains(importPath, "/") {
		if n, err := strconv.Atoi(number); err == nil && n >= 2 {
			return path.Base(path.Dir(importPath))
		}
	}
	return base
}

// vendoredPath returns the import path of a package as seen from s. The standard library vendors its own golang.org/x
// packages.
func vendoredPath(s *scope, importPath string) string {
	if s.pkg.Module.Path == "std" && strings.HasPrefix(importPath, "golang.org/x/") {
		return "vendor/" + importPath
	}
	return importPath
}

// SPDX-License-Identifier: Apache-2.0

package output

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// Orphans returns a warning for each of the user's Go files that uses a name which the generated files no longer
// declare. The user has removed a marker, or the type with the marker.
func Orphans(changes []Change) diag.List {
	lost := map[string]sets.Set[string]{} // names that are no longer declared, by folder
	for _, c := range changes {
		if dir := filepath.Dir(c.Path); isGeneratedGo(c.Path) && c.Action != Create {
			lost[dir] = lost[dir].Union(sets.New(declared(c.Old)...))
		}
	}
	for _, c := range changes {
		if dir := filepath.Dir(c.Path); len(lost[dir]) > 0 {
			lost[dir].Delete(declared(c.New)...)
		}
	}
	var orphans diag.List
	for _, dir := range slices.Sorted(maps.Keys(lost)) {
		if len(lost[dir]) > 0 {
			orphans.Add(orphansIn(dir, lost[dir], changes)...)
		}
	}
	return orphans
}

// orphansIn reports the first lost name in each file of a folder.
func orphansIn(dir string, lost sets.Set[string], changes []Change) diag.List {
	files, set := map[string]*ast.File{}, token.NewFileSet()
	for _, f := range load.Texts(dir, "*.go") {
		path, text := f.Path, f.Content
		if i := slices.IndexFunc(changes, func(c Change) bool { return c.Path == path }); i >= 0 {
			text = changes[i].New
		}
		lost.Delete(declared(text)...)
		if file, err := parser.ParseFile(set, path, text, parser.SkipObjectResolution); err == nil && !isGeneratedGo(path) {
			files[path] = file
		}
	}
	var orphans diag.List
	methods := methodsIn(dir, changes)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		for id := range packageNames(files[path]) {
			if lost.Has(id.Name) {
				at := diag.Range{Pos: diag.At(set.Position(id.Pos())), End: diag.At(set.Position(id.End()))}
				if typ, ok := methods[id.Name]; ok {
					orphans.Add(diag.Warningf(at, RuleOrphan, "%s is a method of %s now", id.Name, typ).
						WithHint("call it as a method: %s", methodCall(dir, changes, typ, id.Name)))
					break
				}
				orphans.Add(diag.Warningf(at, RuleOrphan, "this file needs %s, which no marker declares any more", id.Name).
					WithHint("if the webhook has gone, remove the file or what needs the name; else put its marker, or the type with the marker, back"))
				break
			}
		}
	}
	return orphans
}

// methodCall returns the expression of a method, with the constructor of its type if there is one.
func methodCall(dir string, changes []Change, typ, method string) string {
	for _, c := range changes {
		if filepath.Dir(c.Path) == dir && slices.Contains(declared(c.New), "New"+typ) {
			return fmt.Sprintf("New%s(...).%s", typ, method)
		}
	}
	return fmt.Sprintf("%s{}.%s", typ, method)
}

func isGeneratedGo(path string) bool {
	name := filepath.Base(path)
	return strings.HasPrefix(name, "zz_generated.") && strings.HasSuffix(name, ".go")
}

// declared returns the package-level names of a Go file.
func declared(text []byte) []string {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	return load.Declared(file)
}

// packageNames yields the identifiers that may refer to package-level names, in source order.
func packageNames(file *ast.File) iter.Seq[*ast.Ident] {
	return func(yield func(*ast.Ident) bool) {
		others := map[*ast.Ident]bool{} // members' names
		for n := range ast.Preorder(file) {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				others[n.Sel] = true
			case *ast.Field:
				for _, name := range n.Names {
					others[name] = true
				}
			case *ast.FuncDecl:
				others[n.Name] = true
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok {
					others[key] = true
				}
			case *ast.Ident:
				if !others[n] && !yield(n) {
					return
				}
			}
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package output

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// handler matches the methods of validators and defaulters.
var handler = regexp.MustCompile(`^(Default|Validate)[A-Za-z0-9]*(Create|Update|Delete|Connect)$`)

// Renamed reports new validators and defaulters that allow everything although an orphan has their methods: its type
// was renamed, or its package moved. It returns the errors, and the orphans without those of the same types.
func Renamed(root string, changes []Change, orphans diag.List) (errors, others diag.List) {
	others = slices.Clone(orphans)
	for _, c := range changes {
		if c.Action != Create || filepath.Ext(c.Path) != ".go" || isGeneratedGo(c.Path) || strings.HasSuffix(c.Path, "_test.go") {
			continue
		}
		for now, methods := range handlers(c.New) {
			for i, o := range others {
				old, ok := orphanLike(o.Pos.File, changes, now, methods, filepath.Dir(o.Pos.File) == filepath.Dir(c.Path))
				if !ok {
					continue
				}
				errors.Add(renamed(root, o, c, old, now))
				dir, prefix := filepath.Dir(o.Pos.File), strings.TrimSuffix(filepath.Base(o.Pos.File), ".go")
				others = slices.DeleteFunc(slices.Delete(others, i, i+1), func(d diag.Diagnostic) bool { // its test
					return filepath.Dir(d.Pos.File) == dir && strings.HasPrefix(filepath.Base(d.Pos.File), prefix)
				})
				break
			}
		}
	}
	return errors, others
}

// renamed is the finding about a file whose code belongs to another type or package now.
func renamed(root string, orphan diag.Diagnostic, stub Change, old, now string) diag.Diagnostic {
	rel := func(path string) string {
		if rel, err := filepath.Rel(root, path); err == nil {
			return filepath.ToSlash(rel)
		}
		return path
	}
	from, to := rel(orphan.Pos.File), rel(stub.Path)
	was, is := strings.TrimSuffix(old, "Webhook"), strings.TrimSuffix(now, "Webhook")
	if old == now {
		return diag.Errorf(orphan.Range, RuleRenamed, "%s is for a package that has moved: %s would be a second %s, and allow everything", old, to, now).
			WithHint("move the code, then run webhook-gen: mv %s %s, and change its package clause and imports", from, to)
	}
	edit := fmt.Sprintf("sed -i 's/%s/%s/g' %s", was, is, from)
	if test := strings.TrimSuffix(orphan.Pos.File, ".go") + "_test.go"; load.ReadText(test).Err == nil {
		edit += " " + rel(test)
	}
	return diag.Errorf(orphan.Range, RuleRenamed, "%s was renamed to %s, and its validator or defaulter was not: %s would allow everything", was, is, to).
		WithHint("rename the code, too, then run webhook-gen: %s; mv %s %s", edit, from, to)
}

// orphanLike returns the type in a file of the user that has the same methods as another one. In another package, it
// has the same name.
func orphanLike(path string, changes []Change, name string, methods []string, samePackage bool) (string, bool) {
	if strings.HasSuffix(path, "_test.go") || slices.ContainsFunc(changes, func(c Change) bool { return c.Path == path }) {
		return "", false
	}
	for old, have := range handlers(load.ReadText(path).Content) {
		if slices.Equal(have, methods) && (samePackage || old == name) {
			return old, true
		}
	}
	return "", false
}

// handlers returns the methods of validators and defaulters in the text of a Go file, sorted, by their types.
func handlers(text []byte) map[string][]string {
	types := map[string][]string{}
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && load.Receiver(f) != "" && handler.MatchString(f.Name.Name) {
			types[load.Receiver(f)] = append(types[load.Receiver(f)], f.Name.Name)
		}
	}
	for _, methods := range types {
		slices.Sort(methods)
	}
	return types
}

// methodsIn returns the types of the methods that the new generated files of a folder declare, by the methods' names.
func methodsIn(dir string, changes []Change) map[string]string {
	types := map[string]string{}
	for _, c := range changes {
		if filepath.Dir(c.Path) != dir || !isGeneratedGo(c.Path) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), "", c.New, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && load.Receiver(f) != "" {
				types[f.Name.Name] = load.Receiver(f)
			}
		}
	}
	return types
}

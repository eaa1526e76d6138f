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

// Renamed reports types that were renamed, packages that moved, and validators that no webhook finds any more. Such a
// type has a new stub, which would allow everything, while the old type still has the user's methods but no webhook.
// used lists the validators and defaulters of webhooks by folder. errors has an error for each stub. others are the
// orphans outside of the renamed files.
func Renamed(root string, changes []Change, used map[string][]string, orphans diag.List) (errors, others diag.List) {
	others = slices.Clone(orphans)
	folders := foldersWithLostHandlers(changes)
	for _, c := range changes {
		if c.Action != Create || filepath.Ext(c.Path) != ".go" || isGeneratedGo(c.Path) || strings.HasSuffix(c.Path, "_test.go") {
			continue
		}
		for now, stub := range handlers(c.New) {
			path, old, ok := findRenamed(now, stub, filepath.Dir(c.Path), folders, changes, used)
			if !ok {
				continue
			}
			errors.Add(renamed(root, path, c, old, now, handlers(load.ReadText(path).Content)[old].kind == stub.kind))
			prefix := strings.TrimSuffix(path, ".go")
			others = slices.DeleteFunc(others, func(d diag.Diagnostic) bool { // the file and its test
				return d.Pos.File == path || d.Pos.File == prefix+"_test.go"
			})
		}
	}
	return errors, others
}

// foldersWithLostHandlers returns the folders whose generated files no longer declare a validator's or defaulter's
// interface.
func foldersWithLostHandlers(changes []Change) (folders []string) {
	declares := func(text []byte) (names []string) {
		return slices.DeleteFunc(declared(text), func(name string) bool {
			return !strings.HasSuffix(name, "Validator") && !strings.HasSuffix(name, "Defaulter")
		})
	}
	for _, c := range changes {
		if !isGeneratedGo(c.Path) || c.Action == Create || slices.Contains(folders, filepath.Dir(c.Path)) {
			continue
		}
		now := declares(c.New)
		if slices.ContainsFunc(declares(c.Old), func(name string) bool { return !slices.Contains(now, name) }) {
			folders = append(folders, filepath.Dir(c.Path))
		}
	}
	return folders
}

// findRenamed returns a type of the user that has the same methods as the new type and no webhook: in the new type's
// folder a type for the same kind, or one with the same name in a file that go build leaves out; in the folders any
// type that has, in a folder other than the new type's, the same name.
func findRenamed(name string, stub handled, folder string, folders []string, changes []Change, used map[string][]string) (path, old string, ok bool) {
	for _, dir := range slices.Concat(folders, []string{folder}) {
		for _, f := range load.Texts(dir, "*.go") {
			if isGeneratedGo(f.Path) || slices.ContainsFunc(changes, func(c Change) bool { return c.Path == f.Path }) {
				continue
			}
			for old, have := range handlers(f.Content) {
				isUnread := dir == folder && old == name // else there would be no stub
				isFree := !slices.Contains(used[dir], old) && !strings.HasSuffix(f.Path, "_test.go") &&
					(dir == folder && have.kind != "" && have.kind == stub.kind || slices.Contains(folders, dir) && (dir == folder || old == name))
				if slices.Equal(have.methods, stub.methods) && (isUnread || isFree) {
					return f.Path, old, true
				}
			}
		}
	}
	return "", "", false
}

// renamed returns the error about a file whose type was renamed or whose package moved. If isOfKind, the validator or
// defaulter is for the same kind as the stub.
func renamed(root, path string, stub Change, old, now string, isOfKind bool) diag.Diagnostic {
	rel := func(path string) string {
		if rel, err := filepath.Rel(root, path); err == nil {
			return filepath.ToSlash(rel)
		}
		return path
	}
	at, from, to := diag.InFile(path), rel(path), rel(stub.Path)
	was, is := strings.TrimSuffix(old, "Webhook"), strings.TrimSuffix(now, "Webhook")
	switch {
	case old == now && filepath.Dir(path) == filepath.Dir(stub.Path):
		return diag.Errorf(at, RuleRenamed, "%s is in a file that go build leaves out: %s would be a second %s, and allow everything", old, to, now).
			WithHint("give the file a name that does not end with _test or a platform, and remove its build constraint")
	case old == now:
		return diag.Errorf(at, RuleRenamed, "%s is for a package that has moved: %s would be a second %s, and allow everything", old, to, now).
			WithHint("move the code, then run webhook-gen: mv %s %s, and change its package clause and imports", from, to)
	case isOfKind:
		return diag.Errorf(at, RuleRenamed, "no webhook calls %s, because it is not called %s: %s would allow everything", old, now, to).
			WithHint("give it the name, then run webhook-gen: sed -i 's/%s/%s/g' %s", old, now, from)
	}
	edit := fmt.Sprintf("sed -i 's/%s/%s/g' %s", was, is, from)
	if test := strings.TrimSuffix(path, ".go") + "_test.go"; load.ReadText(test).Err == nil {
		edit += " " + rel(test)
	}
	return diag.Errorf(at, RuleRenamed, "%s was renamed to %s, and its validator or defaulter was not: %s would allow everything", was, is, to).
		WithHint("rename the code, too, then run webhook-gen: %s; mv %s %s", edit, from, to)
}

// handled has the sorted methods of a validator or defaulter, and the name of the type in their requests.
type handled struct {
	methods []string
	kind    string
}

// handlers returns the validators and defaulters of a Go file by type.
func handlers(text []byte) map[string]handled {
	types := map[string]handled{}
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && load.Receiver(f) != "" && handler.MatchString(f.Name.Name) {
			h := types[load.Receiver(f)]
			h.methods, h.kind = append(h.methods, f.Name.Name), requested(f)
			types[load.Receiver(f)] = h
		}
	}
	for _, h := range types {
		slices.Sort(h.methods)
	}
	return types
}

// requested returns the name of the type argument of a method's request, such as Order in CreateRequest[v1.Order].
func requested(f *ast.FuncDecl) (kind string) {
	ast.Inspect(f.Type.Params, func(n ast.Node) bool {
		if index, ok := n.(*ast.IndexExpr); ok {
			switch of := index.Index.(type) {
			case *ast.Ident:
				kind = of.Name
			case *ast.SelectorExpr:
				kind = of.Sel.Name
			}
		}
		return kind == ""
	})
	return kind
}

// methodsIn returns the receivers of the methods in a folder's new generated files, by method.
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

// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"context"
	"go/ast"
	"slices"
	"strconv"

	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// registers reports whether the code of a module registers a handler at a path: in a call such as
// mux.Handle("/mutate", h), also by a constant of the same package. Generated files do not count, nor do tests.
func registers(ctx context.Context, run engine.Run, path string) bool {
	literals := []string{strconv.Quote(path), "`" + path + "`"}
	found, _ := load.Load(ctx, load.Config{Dir: run.Root, Patterns: []string{"./..."}, Tags: run.Tags, Markers: literals})
	for _, p := range found.Packages {
		names := map[string]bool{}
		for _, f := range p.Files {
			for n := range ast.Preorder(f.AST) {
				spec, ok := n.(*ast.ValueSpec)
				for i := 0; ok && i < min(len(spec.Names), len(spec.Values)); i++ {
					if isLiteral(spec.Values[i], literals) {
						names[spec.Names[i].Name] = true
					}
				}
			}
		}
		isPath := func(e ast.Expr) bool {
			name, ok := e.(*ast.Ident)
			return isLiteral(e, literals) || ok && names[name.Name]
		}
		for _, f := range p.Files {
			for n := range ast.Preorder(f.AST) {
				call, ok := n.(*ast.CallExpr)
				if ok && isRegistration(call.Fun) && slices.ContainsFunc(call.Args, isPath) {
					return true
				}
			}
		}
	}
	return false
}

func isLiteral(e ast.Expr, literals []string) bool {
	literal, ok := e.(*ast.BasicLit)
	return ok && slices.Contains(literals, literal.Value)
}

// isRegistration reports whether a function registers handlers, by its name in net/http and controller-runtime.
func isRegistration(function ast.Expr) bool {
	name := ""
	switch f := function.(type) {
	case *ast.SelectorExpr:
		name = f.Sel.Name
	case *ast.Ident:
		name = f.Name
	}
	return slices.Contains([]string{"Handle", "HandleFunc", "Register", "WithCustomPath", "WithValidatorCustomPath", "WithDefaulterCustomPath"}, name)
}

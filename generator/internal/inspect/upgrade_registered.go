// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"cmp"
	"context"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// registers reports whether the code of a module registers a handler at a path: in a call such as
// mux.Handle("POST /mutate", h), also by a constant of the module, or by the builder of controller-runtime. Generated
// files do not count, nor do tests.
func registers(ctx context.Context, run engine.Run, path string) bool {
	found, _ := load.Load(ctx, load.Config{Dir: run.Root, Patterns: []string{"./..."}, Tags: run.Tags, Markers: []string{path}})
	names := map[string]bool{}
	files := func(yield func(*load.File) bool) {
		for _, p := range found.Packages {
			for _, f := range p.Files {
				if !yield(f) {
					return
				}
			}
		}
	}
	for f := range files {
		for n := range ast.Preorder(f.AST) {
			spec, ok := n.(*ast.ValueSpec)
			for i := 0; ok && i < min(len(spec.Names), len(spec.Values)); i++ {
				if isPattern(spec.Values[i], path) {
					names[spec.Names[i].Name] = true
				}
			}
		}
	}
	if len(names) > 0 { // files that use a constant need not have its text
		for name := range names {
			using, _ := load.Load(ctx, load.Config{Dir: run.Root, Patterns: []string{"./..."}, Tags: run.Tags, Markers: []string{name}})
			found.Packages = append(found.Packages, using.Packages...)
		}
	}
	isPath := func(e ast.Expr) bool {
		return names[load.TypeName(e)] || isPattern(e, path)
	}
	for f := range files {
		for n := range ast.Preorder(f.AST) {
			call, ok := n.(*ast.CallExpr)
			if ok && isRegistration(call.Fun) && slices.ContainsFunc(call.Args, isPath) {
				return true
			}
		}
	}
	return builds(ctx, run, path)
}

// builds reports whether controller-runtime's builder serves a path: /VERB-GROUP-VERSION-KIND for the kind of a type
// that it gets, with a validator or a defaulter (sigs.k8s.io/controller-runtime/pkg/builder, generatePath).
func builds(ctx context.Context, run engine.Run, path string) bool {
	const builder = "NewWebhookManagedBy"
	adds := "WithValidator"
	if strings.HasPrefix(path, "/mutate-") {
		adds = "WithDefaulter"
	}
	found, _ := load.Load(ctx, load.Config{Dir: run.Root, Patterns: []string{"./..."}, Tags: run.Tags, Markers: []string{builder}})
	for _, p := range found.Packages {
		for _, f := range p.Files {
			var called []string
			ofKind := false
			for n := range ast.Preorder(f.AST) {
				switch n := n.(type) {
				case *ast.CallExpr:
					called = append(called, load.TypeName(n.Fun))
				case *ast.CompositeLit:
					kind := load.TypeName(n.Type)
					ofKind = ofKind || kind != "" && strings.HasSuffix(path, "-"+strings.ToLower(kind))
				}
			}
			if ofKind && slices.Contains(called, builder) && (slices.Contains(called, adds) || slices.Contains(called, strings.Replace(adds, "With", "WithCustom", 1))) {
				return true
			}
		}
	}
	return false
}

// isPattern reports whether an expression is a pattern of net/http for a path: [METHOD ][HOST]/PATH.
func isPattern(e ast.Expr, path string) bool {
	literal, ok := e.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return false
	}
	text, err := strconv.Unquote(literal.Value)
	_, after, _ := strings.Cut(text, " ")
	pattern := cmp.Or(strings.TrimSpace(after), text)
	start := strings.IndexByte(pattern, '/')
	return err == nil && start >= 0 && pattern[start:] == path
}

// isRegistration reports whether a function registers handlers, by its name in net/http and controller-runtime.
func isRegistration(function ast.Expr) bool {
	return slices.Contains([]string{"Handle", "HandleFunc", "Register", "WithCustomPath", "WithValidatorCustomPath", "WithDefaulterCustomPath"}, load.TypeName(function))
}

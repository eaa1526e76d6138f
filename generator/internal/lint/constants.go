// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"context"
	"go/ast"
	"slices"
	"strconv"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// Constant is a text that the code of a validator or defaulter passes to an API server unchanged.
type Constant struct {
	diag.Range
	Use     Use
	Text    string
	Webhook *model.Webhook
}

// Use is what becomes of a constant.
type Use int

const (
	// Warning is an argument of the generated requests' Warn.
	Warning Use = iota
	// AuditKey is the first argument of their AuditAnnotation.
	AuditKey
	// RuntimeWarning is an element of controller-runtime's admission.Warnings.
	RuntimeWarning
)

// Constants reads the packages that contain the validators and defaulters of a project. It looks at the syntax alone,
// and finds the value of a literal, of a constant, and of several of them with + between.
func Constants(ctx context.Context, module *load.Module, p *model.Project) (all []Constant) {
	read, values := map[string]bool{}, resolve.New(ctx, module)
	for _, w := range p.Webhooks() {
		path := codePath(w)
		if read[path] {
			continue
		}
		read[path] = true
		if pkg := packageAt(ctx, module, path); pkg != nil {
			all = append(all, implementations{pkg, values, p.Webhooks(), w}.constants()...)
		}
	}
	return all
}

// codePath returns the import path of a webhook's validator or defaulter.
func codePath(w *model.Webhook) string {
	if w.Handler != nil {
		return w.Handler.Package.Path
	}
	return w.Package
}

// packageAt returns a package of the module; nil if nothing is written yet.
func packageAt(ctx context.Context, module *load.Module, path string) *load.Package {
	if module == nil {
		return nil
	}
	if _, ok := module.PackageName(path); !ok {
		return nil
	}
	pkg, _ := module.Locate(ctx, path) // nil with an error
	return pkg
}

// implementations are the validators and defaulters in one package.
type implementations struct {
	*load.Package
	values   *resolve.Resolver
	webhooks []*model.Webhook
	some     *model.Webhook // one of this package
}

func (p implementations) constants() (all []Constant) {
	for f, fn := range p.Functions("Warn(", "AuditAnnotation(", "Warnings{") {
		if fn.Body == nil {
			continue
		}
		w, requests := p.webhookOf(fn), requestsIn(f.AST, fn)
		add := func(use Use, expressions ...ast.Expr) {
			for _, e := range expressions {
				if text, ok := p.values.Constant(p.Package, f, e); ok {
					all = append(all, Constant{f.Range(e.Pos(), e.End()), use, text, w})
				}
			}
		}
		for n := range ast.Preorder(fn.Body) {
			switch n := n.(type) {
			case *ast.CallExpr:
				method, ok := n.Fun.(*ast.SelectorExpr)
				switch {
				case !ok || !isNamed(method.X, requests):
				case method.Sel.Name == "Warn":
					add(Warning, n.Args...)
				case method.Sel.Name == "AuditAnnotation" && len(n.Args) == 2:
					add(AuditKey, n.Args[0])
				}
			case *ast.CompositeLit:
				if isOf(f.AST, n.Type, "sigs.k8s.io/controller-runtime/pkg/webhook/admission", "Warnings") {
					add(RuntimeWarning, n.Elts...)
				}
			}
		}
	}
	return all
}

// webhookOf returns the webhook that the function handles, or one of the package's if the function belongs to none in
// particular.
func (p implementations) webhookOf(fn *ast.FuncDecl) *model.Webhook {
	for _, w := range p.webhooks {
		if h := w.Handler; h != nil && h.Package.Path == p.Path &&
			slices.ContainsFunc(h.Operations, func(o string) bool { return h.Method(w.Mutating, o) == fn.Name.Name }) && load.Receiver(fn) == h.Implementation {
			return w
		}
	}
	return p.some
}

// requestsIn are the parameters of a function that are requests of the generated package admission.
func requestsIn(file *ast.File, fn *ast.FuncDecl) (names []string) {
	for _, field := range fn.Type.Params.List {
		star, ok := field.Type.(*ast.StarExpr)
		if !ok {
			continue
		}
		t := star.X
		if generic, ok := t.(*ast.IndexExpr); ok {
			t = generic.X
		}
		if isOf(file, t, "/admission", "Request", "CreateRequest", "UpdateRequest", "DeleteRequest", "ConnectRequest", "RawRequest") {
			for _, id := range field.Names {
				names = append(names, id.Name)
			}
		}
	}
	return names
}

func isNamed(e ast.Expr, names []string) bool {
	id, ok := e.(*ast.Ident)
	return ok && slices.Contains(names, id.Name)
}

// isOf reports a type with one of the names, of a package whose path has the suffix.
func isOf(file *ast.File, t ast.Expr, suffix string, names ...string) bool {
	selector, ok := t.(*ast.SelectorExpr)
	if !ok || !slices.Contains(names, selector.Sel.Name) {
		return false
	}
	id, ok := selector.X.(*ast.Ident)
	return ok && slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool {
		path, err := strconv.Unquote(i.Path.Value)
		base := path[strings.LastIndexByte(path, '/')+1:]
		return err == nil && strings.HasSuffix(path, suffix) && (i.Name == nil && base == id.Name || i.Name != nil && i.Name.Name == id.Name)
	})
}

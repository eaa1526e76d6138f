// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"context"
	"go/ast"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// Updates returns the positions of validators' methods for updates that may deny an object that is being deleted. It
// looks at the syntax alone, and follows a method that calls another type's. It leaves out methods that return no
// error, and methods in a file that mentions the deletionTimestamp or finalizers, or that call such a function of the
// package.
func Updates(ctx context.Context, module *load.Module, p *model.Project) map[*model.Webhook]diag.Range {
	found := map[*model.Webhook]diag.Range{}
	for _, w := range p.Webhooks() {
		if w.Handler == nil && !w.Kubebuilder || w.Mutating || !updatesObjects(w) {
			continue
		}
		pkg := packageAt(ctx, module, codePath(w))
		if pkg == nil {
			continue
		}
		validator, method := validatorOf(pkg, w)
		update, f := methodOf(pkg, validator, method)
		if update == nil {
			continue
		}
		own := validatorMethod{pkg, validator, update, f}
		m := own.followed(ctx, module)
		if !denies(m.fn) || own.exempts() || m.exempts() || w.Kubebuilder && !judgesState(m.pkg, m.validator, m.fn) {
			continue
		}
		found[w] = m.file.Range(m.fn.Name.Pos(), m.fn.Name.End())
	}
	return found
}

// methodOf returns a method of a type, and its file.
func methodOf(pkg *load.Package, receiver, name string) (*ast.FuncDecl, *load.File) {
	for f, fn := range pkg.Functions(name) {
		if receiver != "" && fn.Name.Name == name && load.Receiver(fn) == receiver {
			return fn, f
		}
	}
	return nil, nil
}

// validatorOf returns the type that validates for a webhook, and its method for updates. The type of a +kubebuilder
// marker is in the declaration below it: of a type, of a method, or of a variable such as
// var _ webhook.CustomValidator = &Order{}. It is empty below others.
func validatorOf(pkg *load.Package, w *model.Webhook) (name, method string) {
	if w.Handler != nil {
		return w.Handler.Implementation, w.Handler.Method(w.Mutating, "Update")
	}
	for _, f := range pkg.FilesWith("+kubebuilder:webhook") {
		if f.Path != w.Pos.File {
			continue
		}
		for _, d := range f.AST.Decls {
			if f.Range(d.Pos(), d.Pos()).Pos.Line > w.Pos.Line {
				return declares(d), "ValidateUpdate"
			}
		}
	}
	return "", "ValidateUpdate"
}

// declares returns the type that a declaration declares or is about; empty without one.
func declares(d ast.Decl) string {
	if method, ok := d.(*ast.FuncDecl); ok {
		return load.Receiver(method)
	}
	for n := range ast.Preorder(d) {
		switch n := n.(type) {
		case *ast.TypeSpec:
			return n.Name.Name
		case *ast.CompositeLit:
			if id, ok := n.Type.(*ast.Ident); ok {
				return id.Name
			}
		}
	}
	return ""
}

// updatesObjects reports a webhook for UPDATE of resources and not only of their subresources: finalizers are removed
// from the resource.
func updatesObjects(w *model.Webhook) bool {
	return slices.ContainsFunc(w.UpdatedResources(), func(r string) bool {
		return !strings.Contains(r, "/") || strings.HasSuffix(r, "/*")
	})
}

// denies reports a function whose last result may be other than nil.
func denies(fn *ast.FuncDecl) bool {
	found := false
	if fn.Body == nil {
		return found
	}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			if len(n.Results) > 0 {
				id, ok := n.Results[len(n.Results)-1].(*ast.Ident)
				found = found || !ok || id.Name != "nil"
			}
		}
		return true
	})
	return found
}

// undecided reports a validator that decides on objects that are being deleted, and a marker that does not say so.
func undecided(p webhookPass) {
	at, ok := p.Updates[p.Webhook]
	if !ok || p.Deleting.IsSet() {
		return
	}
	method := "ValidateUpdate"
	if p.Handler != nil {
		method = p.Handler.Method(false, "Update")
	}
	d := p.report(p.Webhook, p.Range, "%s is called for objects that are being deleted, too", method)
	if p.Kubebuilder { // its marker has no argument for it
		d.Hint = "return nil if the object has a deletionTimestamp, or allow W34 if the rule holds until the end"
	}
	*d = d.WithRelated(at, "the method is here")
}

// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"bytes"
	"context"
	"go/ast"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// Updates returns the positions of validators' methods for updates that may deny an object that is being deleted. It
// looks at the syntax alone, and leaves out methods that only return nil, and methods in a file that mentions the
// deletionTimestamp.
func Updates(ctx context.Context, module *load.Module, p *model.Project) map[*model.Webhook]diag.Range {
	found := map[*model.Webhook]diag.Range{}
	for _, w := range p.Webhooks() {
		h := w.Handler
		if h == nil || w.Mutating || module == nil || !updatesObjects(w) {
			continue
		}
		if _, ok := module.PackageName(h.Package.Path); !ok {
			continue // nothing is written yet
		}
		pkg, err := module.Locate(ctx, h.Package.Path)
		if err != nil {
			continue
		}
		method := h.Method(w.Mutating, "Update")
		for _, f := range pkg.FilesWith(method) {
			for _, d := range f.AST.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == method && load.Receiver(fn) == h.Implementation &&
					denies(fn) && !bytes.Contains(f.Src, []byte("DeletionTimestamp")) {
					found[w] = f.Range(fn.Name.Pos(), fn.Name.End())
				}
			}
		}
	}
	return found
}

// updatesObjects reports a webhook for UPDATE of resources and not only of their subresources: finalizers are removed
// from the resource.
func updatesObjects(w *model.Webhook) bool {
	return slices.ContainsFunc(w.UpdatedResources(), func(r string) bool {
		return !strings.Contains(r, "/") || strings.HasSuffix(r, "/*")
	})
}

// denies reports a function that returns something other than nil.
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
			for _, result := range n.Results {
				id, ok := result.(*ast.Ident)
				found = found || !ok || id.Name != "nil"
			}
		}
		return true
	})
	return found
}

// undecided reports a validator that decides on objects that are being deleted, and a marker that does not say so.
func undecided(p webhookPass) {
	if at, ok := p.Updates[p.Webhook]; ok && !p.Deleting.IsSet() {
		d := p.report(p.Webhook, p.Range, "%s is called for objects that are being deleted, too", p.Handler.Method(false, "Update"))
		*d = d.WithRelated(at, "the method is here")
	}
}

// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"go/ast"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// checkConvertible reports hand-written conversions that the module no longer serves. controller-runtime's webhook
// builder registers /convert for a Convertible type. The path disappears when generated handlers replace the last
// builder call.
func (r Run) checkConvertible(ctx context.Context, s State) diag.List {
	if s.Module == nil || !s.Module.Requires("sigs.k8s.io/controller-runtime") ||
		!slices.ContainsFunc(s.Project.Webhooks(), func(w *model.Webhook) bool { return w.Handler != nil }) {
		return nil
	}
	registers := []string{"NewWebhookManagedBy", "WebhookManagedBy", "NewWebhookHandler"}
	source, _ := load.Load(ctx, load.Config{
		Dir: r.Root, Patterns: []string{"./..."}, Tags: r.Tags, Markers: []string{convertTo + "(", registers[1] + "(", registers[2] + "("},
	})
	for _, p := range source.Packages {
		for _, f := range p.Files {
			for n := range ast.Preorder(f.AST) {
				if id, ok := n.(*ast.Ident); ok && slices.Contains(registers, id.Name) {
					return nil
				}
			}
		}
	}
	var diags diag.List
	found := methods(source.Packages, convertTo)
	for _, method := range found {
		kind, isList := strings.CutSuffix(method.V, "List")
		if isList && slices.ContainsFunc(found, func(m diag.Sourced[string]) bool { return m.V == kind }) {
			continue // lists are not sent to /convert
		}
		diags.Add(diag.Warningf(method.At, model.RuleServed, "nothing in this module serves the conversions of %s", method.V).
			WithHint("controller-runtime's NewWebhookManagedBy registers /convert for the type; without it, register conversion.NewWebhookHandler there, or mark the versions with +webhook:conversion"))
	}
	return diags
}

// methods returns the receiver types of the methods with a name, in files that Load has parsed. Each has the position
// of its method.
func methods(packages []*load.Package, name string) (found []diag.Sourced[string]) {
	for _, p := range packages {
		for _, f := range p.Files {
			for _, d := range f.AST.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && d.Name.Name == name && load.Receiver(d) != "" {
					found = append(found, diag.Sourced[string]{V: load.Receiver(d), At: f.Range(d.Name.Pos(), d.Name.End())})
				}
			}
		}
	}
	return found
}

// convertTo is the method of controller-runtime's Convertible.
const convertTo = "ConvertTo"

// Reconciles reports whether a package has a method Reconcile, like controller-runtime's reconcilers.
func (r Run) Reconciles(ctx context.Context) bool {
	const method = "Reconcile"
	source, _ := load.Load(ctx, load.Config{Dir: r.Root, Patterns: []string{"./..."}, Tags: r.Tags, Markers: []string{method + "("}})
	return len(methods(source.Packages, method)) > 0
}

// ConvertedByHand returns the types with a method ConvertTo that the user has written for controller-runtime. Each
// has the position of its method.
func (r Run) ConvertedByHand(ctx context.Context) []diag.Sourced[string] {
	source, _ := load.Load(ctx, load.Config{Dir: r.dir, Patterns: r.Packages, Tags: r.Tags, Markers: []string{convertTo + "("}})
	return methods(source.Packages, convertTo)
}

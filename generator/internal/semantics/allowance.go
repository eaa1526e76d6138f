// SPDX-License-Identifier: Apache-2.0

package semantics

import (
	"go/ast"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/registry"
)

// allow assigns the allowances of a package to the webhooks that they cover. All webhooks must be built.
func (b *builder) allow(m *packageMarkers) {
	for _, d := range m.declarations {
		for _, a := range marked[*registry.Allow](d) {
			args := a.marker
			if of := args.Policy; of.IsSet() || len(d.builtPolicies) > 0 && strings.HasPrefix(args.Rule.V, "P") {
				b.allowPolicies(d, a)
				continue
			}
			candidates := append(slices.Clip(d.built), b.kubebuilderWebhooks(m, a.Range)...)
			if d.typ == nil && args.Webhook.IsSet() {
				candidates = slices.DeleteFunc(slices.Clone(b.webhooks), func(w *model.Webhook) bool { return w.Package != m.Path })
			}
			allowance := args.Allowance(a.Range)
			for _, w := range b.selectWebhooks(candidates, d.broken, a.Range, args.Webhook, "+webhook:allow") {
				w.Allowed = append(w.Allowed, allowance)
			}
		}
	}
}

// allowPolicies assigns an allowance to policies of its declaration.
func (b *builder) allowPolicies(d *declaration, a declared[*registry.Allow]) {
	policies := len(marked[*registry.Policy](d))
	if len(d.builtPolicies) == 0 && !d.broken && policies == 0 {
		b.diags.Add(diag.Errorf(a.Range, model.RuleBelongs, "+webhook:allow is on a declaration without a policy").
			WithHint("write it beside a +webhook:policy:mutating or +webhook:policy:validating"))
		return
	}
	broken := d.broken || len(d.builtPolicies) < policies
	allowance := a.marker.Allowance(a.Range)
	for _, p := range named(b, d.builtPolicies, broken, a.marker.Policy, "policy", "policies", func(p *model.Policy) (string, bool) { return p.Name, p.Mutating }) {
		p.Allowed = append(p.Allowed, allowance)
	}
}

// kubebuilderWebhooks returns the webhooks of +kubebuilder:webhook markers in the comment at the position.
func (b *builder) kubebuilderWebhooks(m *packageMarkers, at diag.Range) (found []*model.Webhook) {
	for _, f := range m.Files {
		if f.Path != at.Pos.File {
			continue
		}
		i := slices.IndexFunc(f.AST.Comments, func(g *ast.CommentGroup) bool { return f.Position(g.End()).Line >= at.Pos.Line })
		if i < 0 {
			continue
		}
		comment := f.Range(f.AST.Comments[i].Pos(), f.AST.Comments[i].End())
		for _, w := range b.webhooks {
			if w.Kubebuilder && w.Pos.File == f.Path && comment.Pos.Line <= w.Pos.Line && w.Pos.Line <= comment.End.Line {
				found = append(found, w)
			}
		}
	}
	return found
}

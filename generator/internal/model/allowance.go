// SPDX-License-Identifier: Apache-2.0

package model

import (
	"go/ast"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
)

// Allowance is a +webhook:allow: a rule of lint that webhooks may break.
type Allowance struct {
	// Range is the marker.
	diag.Range
	// Rule is the rule's id, and Reason why it may be broken.
	Rule, Reason string
	// RuleAt and ReasonAt are where they stand.
	RuleAt, ReasonAt diag.Range
}

// allow hands the allowances of a package to the webhooks that they cover, once all webhooks are built.
func (b *builder) allow(m *packageMarkers) {
	for _, d := range m.declarations {
		for _, a := range d.allowances {
			said := a.marker
			candidates := append(slices.Clip(d.built), b.besides(m, a.Range)...)
			if d.typ == nil && said.Webhook.IsSet() {
				candidates = b.ofPackage(m.Path)
			}
			allowance := newAllowance(a.Range, said)
			for _, w := range b.belonging(candidates, d.broken, a.Range, said.Webhook, "+webhook:allow") {
				w.Allowed = append(w.Allowed, allowance)
			}
		}
	}
}

func newAllowance(at diag.Range, said *allowMarker) *Allowance {
	return &Allowance{at, said.Rule.V, said.Reason.V, said.Rule.At, said.Reason.At}
}

// Allowances reads those in a comment that stands above a webhook in a manifest.
func Allowances(comment []marker.Line) (found []*Allowance, diags diag.List) {
	markers, diags := marker.Parse(comment, Prefix+":allow")
	var placed []marker.Placed
	for _, m := range markers {
		placed = append(placed, marker.Placed{Marker: m, On: marker.OnType})
	}
	decoded, bad := Registry().Decode(placed)
	diags.Add(bad...)
	for _, d := range decoded {
		said := d.Target.(*allowMarker)
		if said.Webhook.IsSet() {
			diags.Add(diag.Errorf(said.Webhook.At, RuleBelongs, "in a manifest, an allowance applies to the webhook below it").WithHint("remove the argument webhook"))
			continue
		}
		found = append(found, newAllowance(d.Range, said))
	}
	return found, diags
}

// besides are the webhooks of the +kubebuilder:webhook markers in the comment that holds the place.
func (b *builder) besides(m *packageMarkers, at diag.Range) (found []*Webhook) {
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

func (b *builder) ofPackage(path string) (found []*Webhook) {
	for _, w := range b.webhooks {
		if w.Package == path {
			found = append(found, w)
		}
	}
	return found
}

// SPDX-License-Identifier: Apache-2.0

package kubebuilder

import (
	"cmp"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// Configurations are the objects of the packages' markers: one for all mutating webhooks and one for all validating ones,
// without the webhooks whose marker has errors.
func Configurations(packages []*load.Package) ([]*model.Configuration, diag.List) {
	webhooks, named, diags := Read(packages)
	mutating, validating := Order(webhooks)
	var all []*model.Configuration
	for _, kind := range [][]Webhook{mutating, validating} {
		if len(kind) == 0 {
			continue
		}
		c := &model.Configuration{Mutating: kind[0].Mutating}
		c.Name = cmp.Or(NameOf(named, c.Mutating), model.DefaultObjectName(c.Mutating))
		if i := slices.IndexFunc(named, func(n Configuration) bool { return n.Mutating == c.Mutating && n.Name == c.Name }); i >= 0 {
			c.Range, c.At = named[i].Range, model.Places{"name": named[i].NameAt}
		}
		for _, w := range kind {
			if slices.ContainsFunc(diags, func(d diag.Diagnostic) bool {
				return d.Severity == diag.Error && d.Pos.File == w.Pos.File && d.Pos.Line == w.Pos.Line
			}) {
				continue // half read, it would be reported for what follows from that
			}
			c.Webhooks = append(c.Webhooks, &model.Webhook{
				Range: w.Range, Mutating: w.Mutating, Kubebuilder: true, Package: w.Package.Path,
				Configuration: c.Name, Spec: w.Spec, At: w.At,
			})
		}
		all = append(all, c)
	}
	return all, diags
}

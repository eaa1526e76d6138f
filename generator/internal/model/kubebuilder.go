// SPDX-License-Identifier: Apache-2.0

package model

import (
	"cmp"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/kubebuilder"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/spec"
)

// addKubebuilder adds the webhooks of +kubebuilder:webhook markers. All mutating ones go into one
// object and all validating ones into another, whose names a +kubebuilder:webhookconfiguration may say.
func (b *builder) addKubebuilder(packages []*load.Package) {
	webhooks, configurations, bad := kubebuilder.Read(packages)
	b.diags.Add(bad...)
	name := func(mutating bool) string {
		return cmp.Or(kubebuilder.NameOf(configurations, mutating), defaultObjectName(mutating))
	}
	for _, c := range configurations {
		key := objectKey{c.Mutating, c.Name}
		if _, ok := b.objects[key]; !ok && c.Name == name(c.Mutating) {
			b.objects[key] = &Configuration{Range: c.Range, Mutating: c.Mutating, Name: c.Name, At: spec.Places{"name": c.NameAt}}
		}
	}
	mutating, validating := kubebuilder.Order(webhooks)
	for _, w := range append(mutating, validating...) {
		if slices.ContainsFunc(bad, func(d diag.Diagnostic) bool {
			return d.Severity == diag.Error && d.Pos.File == w.Pos.File && d.Pos.Line == w.Pos.Line
		}) {
			continue // half read, it would be reported for what follows from that
		}
		b.webhooks = append(b.webhooks, &Webhook{
			Range: w.Range, Mutating: w.Mutating, Kubebuilder: true, Package: w.Package.Path,
			Configuration: name(w.Mutating), Spec: w.Spec, At: w.At,
		})
	}
}

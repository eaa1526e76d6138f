// SPDX-License-Identifier: Apache-2.0

package render

import (
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// Definition is a CRD whose kind has conversions. Its Range is the range of the first conversion.
type Definition struct {
	diag.Range
	*model.CRD
	// Name is the name of the definition: "orders.shop.example.com".
	Name string
	// Versions are the versions of the hub and of all spokes.
	Versions []string
}

// Definitions returns the CRDs of the project's kinds with conversions.
func Definitions(p *model.Project) []*Definition {
	var all []*Definition
	for _, c := range p.Conversions {
		if c.CRD == nil {
			continue
		}
		name := c.CRD.Plural + "." + c.Hub.Group
		i := slices.IndexFunc(all, func(d *Definition) bool { return d.Name == name })
		if i < 0 {
			i = len(all)
			all = append(all, &Definition{Range: c.Range, CRD: c.CRD, Name: name, Versions: []string{c.Hub.Version}})
		}
		all[i].Versions = append(all[i].Versions, c.Spoke.Version)
	}
	return all
}

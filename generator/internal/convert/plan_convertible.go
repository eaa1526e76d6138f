// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"cmp"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// refuseHooks reports a spoke with generated methods whose conversion needs the user's own code. A type's methods
// cannot store the user's hooks.
func (p *planner) refuseHooks(plan *Plan) {
	if !plan.Convertible.V || !plan.Root.NeedsHooks() {
		return
	}
	var names []string
	plan.Root.any(func(c *Claim) bool {
		if c.isCustom() {
			names = append(names, cmp.Or(c.Field().String(), "whole structs"))
		}
		return false
	})
	slices.Sort(names)
	p.diags.Add(diag.Errorf(plan.Convertible.At, model.RuleConvertible, "methods of %s cannot hold your own code, which converts %s", plan.Spoke.Name, strings.Join(slices.Compact(names), ", ")).
		WithHint("remove convertible: the methods of Converter are what controller-runtime's NewSpokeConverter takes"))
}

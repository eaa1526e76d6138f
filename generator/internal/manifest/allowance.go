// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/registry"
)

// allowances reads those in a comment that stands above a webhook in a manifest.
func allowances(comment []marker.Line) (found []*model.Allowance, diags diag.List) {
	markers, diags := marker.Parse(comment, registry.Prefix+":allow")
	var placed []marker.Placed
	for _, m := range markers {
		placed = append(placed, marker.Placed{Marker: m, On: marker.OnType})
	}
	decoded, bad := registry.Markers().Decode(placed)
	diags.Add(bad...)
	for _, d := range decoded {
		said := d.Target.(*registry.Allow)
		if said.Webhook.IsSet() {
			diags.Add(diag.Errorf(said.Webhook.At, model.RuleBelongs, "in a manifest, an allowance applies to the webhook below it").WithHint("remove the argument webhook"))
			continue
		}
		found = append(found, said.Allowance(d.Range))
	}
	return found, diags
}

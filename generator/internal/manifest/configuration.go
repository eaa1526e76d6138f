// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
	"github.com/webhook-gen/webhook-gen/generator/internal/registry"

	"go.yaml.in/yaml/v3"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// configuration reads one configuration object.
func (r *reader) configuration(t text, node *yaml.Node, version string, mutating bool) {
	var object admissionregistrationv1.MutatingWebhookConfiguration
	own := any(&object)
	if !mutating { // it has all the fields of a mutating one but one
		own = &admissionregistrationv1.ValidatingWebhookConfiguration{}
	}
	unknown, ok := r.decode(t, node, own)
	if ok && !mutating {
		_, ok = r.decode(t, node, &object)
	}
	if !ok {
		return
	}
	c := &model.Configuration{Source: model.Source{Range: t.Range(node), At: model.Positions{}}, Mutating: mutating, Name: object.Name, Labels: object.Labels, Annotations: object.Annotations}
	positions := model.Positions{}
	t.positions(positions, "", node)
	for _, problem := range unknown {
		_, field, _ := strings.Cut(problem.Error(), `"`)
		at, ok := positions[strings.TrimSuffix(field, `"`)]
		if !ok {
			at = c.Range
		}
		r.diags.Add(diag.Errorf(at, RuleObject, "%s", problem))
	}
	for _, field := range []string{"name", "labels", "annotations"} {
		c.At.Set(field, positions["metadata."+field])
	}
	items := elements(entry(node, "webhooks"))
	for i, spec := range object.Webhooks {
		w := &model.Webhook{Source: model.Source{Range: c.Range, At: model.Positions{}}, Mutating: mutating, Configuration: c.Name, Spec: spec}
		if i < len(items) { // not where a merge key hides them
			allowed, bad := allowances(t.above(items[i]))
			r.diags.Add(bad...)
			w.Allowed = allowed
			t.positions(w.At, "", items[i])
			w.Range = w.At.Nearest("name", t.Range(items[i]))
		}
		c.Webhooks = append(c.Webhooks, w)
	}
	p := r.projects[version]
	p.Configurations = append(p.Configurations, c)
}

// allowances reads the allowances in a comment above a webhook in a manifest.
func allowances(comment []marker.Line) (found []*model.Allowance, diags diag.List) {
	markers, diags := marker.Parse(comment, registry.Prefix+":allow")
	var placed []marker.Placed
	for _, m := range markers {
		placed = append(placed, marker.Placed{Marker: m, On: marker.OnType})
	}
	decoded, bad := registry.Markers().Decode(placed)
	diags.Add(bad...)
	for _, d := range decoded {
		allow := d.Target.(*registry.Allow)
		if allow.Webhook.IsSet() {
			diags.Add(diag.Errorf(allow.Webhook.At, model.RuleBelongs, "in a manifest, an allowance applies to the webhook below it").WithHint("remove the argument webhook"))
			continue
		}
		found = append(found, allow.Allowance(d.Range))
	}
	return found, diags
}

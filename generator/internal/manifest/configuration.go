// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"encoding/json"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
	"github.com/webhook-gen/webhook-gen/generator/internal/registry"

	"go.yaml.in/yaml/v3"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	kjson "sigs.k8s.io/json"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// configuration reads one configuration object.
func (r *reader) configuration(t text, node *yaml.Node, version string, mutating bool) {
	object, unknown, err := decode(node, mutating)
	c := &model.Configuration{Range: t.Range(node), Mutating: mutating, Name: object.Name, Labels: object.Labels, Annotations: object.Annotations, At: model.Positions{}}
	switch {
	case err != nil && isTemplate(t.source): // {{ .Values.name }} is YAML, but no name
		r.broken(t.source, err)
		return
	case err != nil:
		r.diags.Add(diag.Errorf(c.Range, RuleObject, "%s", strings.TrimPrefix(err.Error(), "json: ")))
		return
	}
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
		if at, ok := positions["metadata."+field]; ok {
			c.At[field] = at
		}
	}
	items := elements(entry(node, "webhooks"))
	for i, said := range object.Webhooks {
		w := &model.Webhook{Range: c.Range, Mutating: mutating, Configuration: c.Name, Spec: said, At: model.Positions{}}
		if i < len(items) { // not where a merge key hides them
			allowed, bad := allowances(t.above(items[i]))
			r.diags.Add(bad...)
			w.Allowed = allowed
			t.positions(w.At, "", items[i])
			w.Range = t.Range(items[i])
			if name, ok := w.At["name"]; ok {
				w.Range = name
			}
		}
		c.Webhooks = append(c.Webhooks, w)
	}
	p := r.projects[version]
	if p == nil {
		p = &model.Project{API: version}
		r.projects[version] = p
	}
	p.Configurations = append(p.Configurations, c)
}

// decode reads a configuration as kubectl does, and returns an error for each unknown field. A validating webhook has
// all the fields of a mutating one but one.
func decode(node *yaml.Node, mutating bool) (object admissionregistrationv1.MutatingWebhookConfiguration, unknown []error, err error) {
	var content any
	if err := node.Decode(&content); err != nil {
		return object, nil, err
	}
	plain, err := json.Marshal(content)
	if err != nil {
		return object, nil, err
	}
	if mutating {
		unknown, err = kjson.UnmarshalStrict(plain, &object)
		return object, unknown, err
	}
	var validating admissionregistrationv1.ValidatingWebhookConfiguration
	if unknown, err = kjson.UnmarshalStrict(plain, &validating); err != nil {
		return object, nil, err
	}
	return object, unknown, kjson.UnmarshalCaseSensitivePreserveInts(plain, &object)
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
		said := d.Target.(*registry.Allow)
		if said.Webhook.IsSet() {
			diags.Add(diag.Errorf(said.Webhook.At, model.RuleBelongs, "in a manifest, an allowance applies to the webhook below it").WithHint("remove the argument webhook"))
			continue
		}
		found = append(found, said.Allowance(d.Range))
	}
	return found, diags
}

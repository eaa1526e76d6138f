// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

// policyKinds returns the kinds of the policies that replace no webhook, in the order of the manifest.
func (d *deliverer) policyKinds() (kinds []string) {
	for _, p := range d.project.AlwaysInstalled() {
		if kind := kindOf(p.Mutating, "AdmissionPolicy").Kind; !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// chartPolicy is the data of a policy and its bindings.
type chartPolicy struct {
	App, Kind string
	// Replacing is set if the policy replaces a webhook.
	Replacing *chartReplacing
	Objects   []chartPolicyObject
}

// chartPolicyObject is the data of a policy or of a binding. Its selectors are set if those of the replaced webhook
// decide.
type chartPolicyObject struct {
	Kind, Name  string
	Labels      map[string]string
	Match, Rest string
	// Enforced is true if values of the replaced webhook set the actions of a binding that denies. The value
	// failurePolicy does not apply, because a policy calls no server.
	Enforced bool
	chartSelectors
}

// chartPolicies adds the policies in the API version that the cluster serves. The names are those of the manifest,
// without the release: a policy applies to the whole cluster, and keys of audit annotations begin with its name.
func (d *deliverer) chartPolicies() {
	var all []chartPolicy
	for _, p := range d.project.Policies {
		data := chartPolicy{App: d.options.Delivery.Name, Kind: kindOf(p.Mutating, "AdmissionPolicy").Kind, Replacing: d.replacing(p)}
		for _, object := range append([]any{PolicyObject(p)}, BindingObjects(p)...) {
			content := d.fields(object)
			metadata, _ := content["metadata"].(map[string]any)
			specification, _ := content["spec"].(map[string]any)
			o := chartPolicyObject{Kind: fmt.Sprint(content["kind"]), Name: fmt.Sprint(metadata["name"]), chartSelectors: chartSelectors{App: data.App}}
			if p.InsteadOf != nil {
				d.settings(&o, p, specification)
			}
			o.Rest = d.block("  ", specification)
			data.Objects = append(data.Objects, o)
		}
		all = append(all, data)
	}
	if all != nil {
		d.add(d.chartFolder()+"templates/policies.yaml", "delivery/chart/policies.yaml.tmpl", all, output.Generated)
	}
}

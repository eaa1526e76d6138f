// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/templates"
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

// servedVersion returns a template call that gives the policy's API version in the cluster. The call fails if the
// cluster does not serve the policy's kind.
func (d *deliverer) servedVersion(p *model.Policy) string {
	return fmt.Sprintf("include %q (dict \"root\" $ \"kind\" %q)", d.options.Delivery.Name+".policies", kindOf(p.Mutating, "AdmissionPolicy").Kind)
}

// chartPolicies adds the policies in the API version that the cluster serves. The names are those of the manifest,
// without the release: a policy applies to the whole cluster, and keys of audit annotations begin with its name.
func (d *deliverer) chartPolicies() {
	if len(d.project.Policies) == 0 {
		return
	}
	var b bytes.Buffer
	for _, p := range d.project.Policies {
		version := d.servedVersion(p)
		if p.InsteadOf != nil {
			version = d.replacing(p)
		}
		fmt.Fprintf(&b, "{{- with %s }}\n", version)
		for _, object := range append([]any{PolicyObject(p)}, BindingObjects(p)...) {
			content := d.fields(object)
			metadata, _ := content["metadata"].(map[string]any)
			fmt.Fprintf(&b, "---\napiVersion: admissionregistration.k8s.io/{{ . }}\nkind: %s\nmetadata:\n  name: %s\n", content["kind"], literal(templates.Word(fmt.Sprint(metadata["name"]))))
			d.labels(&b, nil)
			specification, _ := content["spec"].(map[string]any)
			b.WriteString("spec:\n")
			if p.InsteadOf != nil {
				d.settings(&b, p, specification)
			}
			d.block(&b, "  ", specification)
		}
		b.WriteString("{{- end }}\n")
	}
	d.addText(d.chartFolder()+"templates/policies.yaml", b.Bytes(), output.Generated, nil)
}

// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"fmt"
	"slices"
)

// policyKinds returns the kinds of the project's policies, in the order in which they are written.
func (d *deliverer) policyKinds() (kinds []string) {
	for _, p := range d.project.Policies {
		if kind := kindOf(p.Mutating, "").Kind; !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// chartPolicies writes the policies, in the version of their API that the cluster serves. The names are as in the
// manifest: a policy is a rule for the cluster, and audit annotations begin with its name.
func (d *deliverer) chartPolicies(folder string) error {
	if len(d.project.Policies) == 0 {
		return nil
	}
	var b bytes.Buffer
	for _, p := range d.project.Policies {
		fmt.Fprintf(&b, "{{- with include %q (dict \"root\" $ \"kind\" %q) }}\n", d.options.Delivery.Name+".policies", kindOf(p.Mutating, "").Kind)
		for _, object := range append([]any{PolicyObject(p)}, BindingObjects(p)...) {
			content, err := fields(object)
			if err != nil {
				return err
			}
			metadata, _ := content["metadata"].(map[string]any)
			fmt.Fprintf(&b, "---\napiVersion: admissionregistration.k8s.io/{{ . }}\nkind: %s\nmetadata:\n  name: %s\n", content["kind"], metadata["name"])
			d.labels(&b, nil)
			if err := block(&b, "", map[string]any{"spec": content["spec"]}); err != nil {
				return err
			}
		}
		b.WriteString("{{- end }}\n")
	}
	d.template(folder+"templates/policies.yaml", b.Bytes())
	return nil
}

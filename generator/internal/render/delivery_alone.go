// SPDX-License-Identifier: Apache-2.0

package render

import "github.com/webhook-gen/webhook-gen/generator/internal/output"

// alone reports whether the project has policies and nothing that a server must answer. Then nothing runs in the
// cluster.
func (d *deliverer) alone() bool {
	return len(d.project.Policies) > 0 && len(d.project.Configurations)+len(d.project.Conversions) == 0
}

// kustomizePolicies writes a base of the policies and definitions, and once an overlay that is the user's.
func (d *deliverer) kustomizePolicies() error {
	data := d.plain()
	data.Image = ""
	if err := d.clusterScoped(&data); err != nil {
		return err
	}
	data.CommonLabels = d.commonLabels(data)
	if err := d.add("config/base/kustomization.yaml", "delivery/kustomize/base.yaml.tmpl", data, output.Generated); err != nil {
		return err
	}
	return d.add("config/default/kustomization.yaml", "delivery/kustomize/default.yaml.tmpl", data, output.Once)
}

// chartAlone writes a chart of the policies and definitions.
func (d *deliverer) chartAlone() error {
	folder := "charts/" + d.options.Delivery.Name + "/"
	if err := d.chartFiles(folder, "policies"); err != nil {
		return err
	}
	if err := d.chartPolicies(folder); err != nil {
		return err
	}
	return d.chartCRDs(folder)
}

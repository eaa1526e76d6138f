// SPDX-License-Identifier: Apache-2.0

package render

import (
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

// Direct returns the webhook configurations, the policies that replace no webhook, and a patch for each kind with a
// conversion. They refer to the Service of the webhooks, and ignore the delivery.
func Direct(p *model.Project, o Options) ([][]byte, error) {
	o.Delivery = Delivery{}
	var written fileList
	crdPatches(&written, p, o.Delivery)
	if len(p.Configurations) > 0 {
		all := *p
		all.Configurations = p.Distinct()
		text, err := manifest(&all, o)
		written.put(output.File{Content: text}, err)
	}
	if always := p.AlwaysInstalled(); len(always) > 0 {
		written.put(policies(PoliciesFile, always))
	}
	var texts [][]byte
	for _, f := range written.all {
		texts = append(texts, f.Content)
	}
	return texts, written.err
}

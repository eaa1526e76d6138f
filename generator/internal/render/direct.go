// SPDX-License-Identifier: Apache-2.0

package render

import (
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// Direct writes the configurations, and a patch for each kind that has a conversion. They name the Service that serves
// the webhooks. Delivery is left out.
func Direct(p *model.Project, o Options) ([][]byte, error) {
	o.Delivery = Delivery{}
	patches, err := crdPatches(p, o.Delivery)
	if err != nil {
		return nil, err
	}
	var texts [][]byte
	for _, f := range patches {
		texts = append(texts, f.Content)
	}
	if len(p.Configurations) == 0 {
		return texts, nil
	}
	text, err := manifest(p, o)
	return append(texts, text), err
}

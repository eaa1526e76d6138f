// SPDX-License-Identifier: Apache-2.0

package render

import (
	"path/filepath"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"sigs.k8s.io/yaml"

	"github.com/webhook-gen/webhook-gen/generator/internal/convert"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

// crdPatches writes a patch for each of the project's kinds that has a conversion.
func crdPatches(files *fileList, p *model.Project, o Delivery) {
	for _, d := range convert.Definitions(p) {
		text, err := yaml.Marshal(map[string]any{
			"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
			"metadata": map[string]any{"name": d.Name}, "spec": map[string]any{"conversion": crdConversion(d, o)},
		})
		files.put(output.File{
			Path:    filepath.Join(p.Module.Dir, filepath.FromSlash(output.CRDPatches), "conversion_in_"+d.Name+".yaml"),
			Content: append([]byte(output.YAMLHeader+"\n"), text...),
			Owner:   output.Generated, Cause: d.Range,
		}, err)
	}
}

// Stanza writes spec.conversion of a definition.
func Stanza(d *convert.Definition, o Delivery) ([]byte, error) {
	return yaml.Marshal(crdConversion(d, o))
}

// crdConversion is a CustomResourceConversion of apiextensions.k8s.io/v1, whose types are in a module that nothing else
// here needs. Its clientConfig has the fields of a webhook's.
func crdConversion(d *convert.Definition, o Delivery) map[string]any {
	return map[string]any{"strategy": "Webhook", "webhook": map[string]any{
		"clientConfig":             admissionregistrationv1.WebhookClientConfig{CABundle: d.CABundle, Service: new(o.service(d.Service))},
		"conversionReviewVersions": []string{"v1"},
	}}
}

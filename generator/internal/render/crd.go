// SPDX-License-Identifier: Apache-2.0

package render

import (
	"path/filepath"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"sigs.k8s.io/yaml"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/spec"
)

// crdPatches adds a patch for the CRD of each kind with a conversion.
func crdPatches(files *fileList, p *model.Project, o Delivery) {
	for _, d := range Definitions(p) {
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

// Stanza returns the spec.conversion of a CRD as YAML.
func Stanza(d *Definition, o Delivery) ([]byte, error) {
	return yaml.Marshal(crdConversion(d, o))
}

// crdConversion returns a CustomResourceConversion of apiextensions.k8s.io/v1. It is a map because nothing else here
// needs the module of that type. The clientConfig has the fields of a webhook's.
func crdConversion(d *Definition, o Delivery) map[string]any {
	service := o.service(d.Service)
	service.Port = spec.Port(service.Port)
	return map[string]any{"strategy": "Webhook", "webhook": map[string]any{
		"clientConfig":             admissionregistrationv1.WebhookClientConfig{CABundle: d.CABundle, Service: &service},
		"conversionReviewVersions": []string{"v1"},
	}}
}

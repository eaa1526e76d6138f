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

// crdPatch is a patch of a CustomResourceDefinition for kustomize. The types of apiextensions are in a
// module that nothing else here needs.
type crdPatch struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Metadata   metadata `json:"metadata"`
	Spec       struct {
		Conversion crdConversion `json:"conversion"`
	} `json:"spec"`
}

type metadata struct {
	Name string `json:"name"`
}

// crdConversion is CustomResourceConversion of apiextensions.k8s.io/v1.
type crdConversion struct {
	Strategy string `json:"strategy"`
	Webhook  struct {
		ClientConfig struct {
			CABundle []byte                                   `json:"caBundle,omitempty"`
			Service  admissionregistrationv1.ServiceReference `json:"service"`
		} `json:"clientConfig"`
		ConversionReviewVersions []string `json:"conversionReviewVersions"`
	} `json:"webhook"`
}

// crdPatches writes a patch for each of the project's kinds that has a conversion.
func crdPatches(p *model.Project, o Delivery) ([]output.File, error) {
	var files []output.File
	for _, d := range convert.Definitions(p) {
		patch := crdPatch{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition", Metadata: metadata{d.Name}}
		patch.Spec.Conversion = crdConversionOf(d, o)
		text, err := yaml.Marshal(patch)
		if err != nil {
			return nil, err
		}
		files = append(files, output.File{
			Path:    filepath.Join(p.Module.Dir, filepath.FromSlash(output.CRDPatches), "conversion_in_"+d.Name+".yaml"),
			Content: append([]byte(output.YAMLHeader+"\n"), text...),
			Owner:   output.Generated, Cause: d.Range,
		})
	}
	return files, nil
}

// Stanza writes spec.conversion of a definition.
func Stanza(d *convert.Definition, o Delivery) ([]byte, error) {
	return yaml.Marshal(crdConversionOf(d, o))
}

func crdConversionOf(d *convert.Definition, o Delivery) crdConversion {
	c := crdConversion{Strategy: "Webhook"}
	c.Webhook.ClientConfig.Service = o.service(d.Service)
	c.Webhook.ClientConfig.CABundle = d.CABundle
	c.Webhook.ConversionReviewVersions = []string{"v1"}
	return c
}

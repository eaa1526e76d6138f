// SPDX-License-Identifier: Apache-2.0

package render

import (
	"path/filepath"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"sigs.k8s.io/yaml"

	"github.com/webhook-gen/webhook-gen/generator/internal/crd"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

// CRDPatches is the folder, slash-separated, of the patches that tell the API server of conversions,
// and CRDPatch matches the names of the files in it.
const (
	CRDPatches = "config/crd/patches"
	CRDPatch   = "conversion_in_*.yaml"
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
	for _, d := range definitions(p) {
		patch := crdPatch{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition", Metadata: metadata{d.name}}
		patch.Spec.Conversion = d.conversion(o)
		text, err := yaml.Marshal(patch)
		if err != nil {
			return nil, err
		}
		files = append(files, output.File{
			Path:    filepath.Join(p.Module.Dir, filepath.FromSlash(CRDPatches), "conversion_in_"+d.name+".yaml"),
			Content: append([]byte(output.YAMLHeader+"\n"), text...),
			Owner:   output.Generated, Cause: d.Range,
		})
	}
	return files, nil
}

// CRDConversions are what the definitions of the project's kinds have to say of their conversions.
func CRDConversions(p *model.Project, o Delivery) ([]crd.Conversion, error) {
	var conversions []crd.Conversion
	for _, d := range definitions(p) {
		text, err := yaml.Marshal(d.conversion(o))
		if err != nil {
			return nil, err
		}
		conversions = append(conversions, crd.Conversion{Range: d.Range, Name: d.name, Versions: d.versions, Stanza: text})
	}
	return conversions, nil
}

// definition is a CRD whose kind has conversions. Its Range is the first of them.
type definition struct {
	diag.Range
	*model.CRD
	name     string
	versions []string
}

// definitions are the CRDs of the project's kinds that have conversions.
func definitions(p *model.Project) []*definition {
	var all []*definition
	for _, c := range p.Conversions {
		if c.CRD == nil {
			continue
		}
		name := c.CRD.Plural + "." + c.Hub.Group
		i := slices.IndexFunc(all, func(d *definition) bool { return d.name == name })
		if i < 0 {
			i = len(all)
			all = append(all, &definition{Range: c.Range, CRD: c.CRD, name: name, versions: []string{c.Hub.Version}})
		}
		all[i].versions = append(all[i].versions, c.Spoke.Version)
	}
	return all
}

// conversion is spec.conversion.
func (d *definition) conversion(o Delivery) crdConversion {
	c := crdConversion{Strategy: "Webhook"}
	c.Webhook.ClientConfig.Service = o.service(d.Service)
	c.Webhook.ClientConfig.CABundle = d.CABundle
	c.Webhook.ConversionReviewVersions = []string{"v1"}
	return c
}

package render

import (
	"path/filepath"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"sigs.k8s.io/yaml"

	"github.com/webhook-gen/webhook-gen/generator/internal/convert"
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
			Service admissionregistrationv1.ServiceReference `json:"service"`
		} `json:"clientConfig"`
		ConversionReviewVersions []string `json:"conversionReviewVersions"`
	} `json:"webhook"`
}

// crdPatches writes a patch for each of the project's kinds that has a conversion.
func crdPatches(p *model.Project, packages []*convert.Package) ([]output.File, error) {
	var files []output.File
	written := map[string]bool{}
	for _, pkg := range packages {
		for _, plan := range pkg.Plans {
			if plan.CRD == nil {
				continue
			}
			name := plan.CRD.Plural + "." + plan.Hub.Group
			if written[name] {
				continue
			}
			written[name] = true
			patch := crdPatch{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition", Metadata: metadata{name}}
			patch.Spec.Conversion.Strategy = "Webhook"
			patch.Spec.Conversion.Webhook.ClientConfig.Service = plan.CRD.Service
			patch.Spec.Conversion.Webhook.ConversionReviewVersions = []string{"v1"}
			text, err := yaml.Marshal(patch)
			if err != nil {
				return nil, err
			}
			files = append(files, output.File{
				Path:    filepath.Join(p.Module.Dir, filepath.FromSlash(CRDPatches), "conversion_in_"+name+".yaml"),
				Content: append([]byte(output.YAMLHeader+"\n"), text...),
				Owner:   output.Generated, Cause: plan.Range,
			})
		}
	}
	return files, nil
}

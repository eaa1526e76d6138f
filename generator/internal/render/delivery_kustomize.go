package render

import (
	"path/filepath"

	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

// kustomize writes bases, and once an overlay that is the user's.
func (d *deliverer) kustomize() error {
	data := d.plain()
	for _, name := range append(sharedObjects(), "namespace") {
		if err := d.add("config/base/"+name+".yaml", "delivery/objects/"+name+".yaml.tmpl", data, output.Generated); err != nil {
			return err
		}
		data.Resources = append(data.Resources, name+".yaml")
	}
	if len(d.crds) > 0 {
		if err := d.kustomizeCRDs(); err != nil {
			return err
		}
		data.Resources = append(data.Resources, "../crd")
	}
	if len(d.project.Configurations) > 0 {
		folder, err := d.kustomizeManifest()
		if err != nil {
			return err
		}
		data.Resources = append(data.Resources, folder)
	}
	data.Injected = d.injected()
	for mode, file := range map[string]string{"cert-manager": "certificate.yaml", "self-managed": "rbac.yaml"} {
		if mode != data.Certificates {
			continue
		}
		folder := "certificates/" + mode
		if err := d.add("config/"+folder+"/kustomization.yaml", "delivery/kustomize/"+mode+".yaml.tmpl", data, output.Generated); err != nil {
			return err
		}
		if err := d.add("config/"+folder+"/"+file, "delivery/objects/"+mode+".yaml.tmpl", data, output.Generated); err != nil {
			return err
		}
		data.Components = []string{"../" + folder}
	}
	if data.Callers != "" {
		if err := d.apiServer(data); err != nil {
			return err
		}
	}
	if err := d.add("config/base/kustomization.yaml", "delivery/kustomize/base.yaml.tmpl", data, output.Generated); err != nil {
		return err
	}
	return d.add("config/default/kustomization.yaml", "delivery/kustomize/default.yaml.tmpl", data, output.Once)
}

// apiServer writes the files by which an API server is told what to present
// (k8s.io/apiserver pkg/admission/plugin/webhook/config and pkg/util/webhook, authentication.go).
func (d *deliverer) apiServer(data object) error {
	if err := d.add("config/apiserver/admission.yaml", "delivery/apiserver/admission.yaml.tmpl", data, output.Generated); err != nil {
		return err
	}
	owner := output.Generated
	if data.Callers == "password" {
		owner = output.Once // a password stands in the file itself
	}
	return d.add("config/apiserver/kubeconfig.yaml", "delivery/apiserver/kubeconfig.yaml.tmpl", data, owner)
}

// kustomizeCRDs has the definitions patched with their conversions.
func (d *deliverer) kustomizeCRDs() error {
	var data object
	for _, c := range d.crds {
		data.Resources = append(data.Resources, "bases/"+c.file)
		if c.conversion != nil && d.options.Patches {
			data.Patches = append(data.Patches, "patches/conversion_in_"+c.name+".yaml")
		}
	}
	return d.add("config/crd/kustomization.yaml", "delivery/kustomize/base.yaml.tmpl", data, output.Generated)
}

// kustomizeManifest makes the manifest's folder one that kustomize takes, and returns where that lies from
// the base.
func (d *deliverer) kustomizeManifest() (string, error) {
	root := d.project.Module.Dir
	folder := filepath.Dir(d.options.Manifest)
	rel, err := filepath.Rel(root, folder)
	if err != nil {
		return "", err
	}
	data := object{Resources: []string{filepath.Base(d.options.Manifest)}}
	if err := d.add(filepath.ToSlash(rel)+"/kustomization.yaml", "delivery/kustomize/base.yaml.tmpl", data, output.Generated); err != nil {
		return "", err
	}
	rel, err = filepath.Rel(filepath.Join(root, "config", "base"), folder)
	return filepath.ToSlash(rel), err
}

// injected are the objects into which somebody writes who signs the server's certificate.
func (d *deliverer) injected() []injected {
	var all []injected
	for _, c := range d.project.Configurations {
		i := injected{"admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", c.Name}
		if c.Mutating {
			i.Kind, i.Resource = "MutatingWebhookConfiguration", "mutatingwebhookconfigurations"
		}
		all = append(all, i)
	}
	for _, c := range d.crds {
		if c.conversion != nil {
			all = append(all, injected{"apiextensions.k8s.io/v1", "CustomResourceDefinition", "customresourcedefinitions", c.name})
		}
	}
	return all
}

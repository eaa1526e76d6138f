// SPDX-License-Identifier: Apache-2.0

package render

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/templates"
)

// kustomize adds bases, and an overlay that belongs to the user.
func (d *deliverer) kustomize() {
	data := d.plain()
	if d.hasOnlyPolicies() {
		data.Image = ""
	} else {
		d.kustomizeServer(&data)
	}
	d.clusterScoped(&data)
	data.CommonLabels = d.commonLabels(data)
	d.add("config/base/kustomization.yaml", "delivery/kustomize/base.yaml.tmpl", data, output.Generated)
	d.add("config/default/kustomization.yaml", "delivery/kustomize/default.yaml.tmpl", data, output.Once)
}

// kustomizeServer adds the server's objects and their components.
func (d *deliverer) kustomizeServer(data *object) {
	objects := append(sharedObjects(), "namespace")
	if data.Aggregated {
		objects = append(objects, "aggregated")
	}
	for _, name := range objects {
		d.add("config/base/"+name+".yaml", "delivery/objects/"+name+".yaml.tmpl", data, output.Generated)
		data.Resources = append(data.Resources, name+".yaml")
	}
	d.add("config/metrics/kustomization.yaml", "delivery/kustomize/metrics.yaml.tmpl", data, output.Generated)
	d.add("config/servicemonitor/kustomization.yaml", "delivery/kustomize/servicemonitor.yaml.tmpl", data, output.Generated)
	d.add("config/servicemonitor/servicemonitor.yaml", "delivery/objects/servicemonitor.yaml.tmpl", data, output.Generated)
	if data.Migrated = d.migrated(); len(data.Migrated) > 0 {
		d.add("config/migration/kustomization.yaml", "delivery/kustomize/migration.yaml.tmpl", data, output.Generated)
		d.add("config/migration/migration.yaml", "delivery/objects/migration.yaml.tmpl", data, output.Generated)
	}
	data.Injected = d.injected()
	mode := data.Certificates
	if file, ok := map[string]string{"cert-manager": "certificate.yaml", "self-managed": "rbac.yaml"}[mode]; ok {
		d.add("config/certificates/"+mode+"/kustomization.yaml", "delivery/kustomize/"+mode+".yaml.tmpl", data, output.Generated)
		d.add("config/certificates/"+mode+"/"+file, "delivery/objects/"+mode+".yaml.tmpl", data, output.Generated)
		data.Components = []string{"../certificates/" + mode}
	}
	if data.Callers != "" {
		d.apiServer(data)
	}
}

// clusterScoped adds the CRDs, the webhook configurations and the policies. A component is for clusters that serve
// mutating policies as v1beta1.
func (d *deliverer) clusterScoped(data *object) {
	if len(d.crds) > 0 {
		d.kustomizeCRDs()
		data.Resources = append(data.Resources, "../crd")
	}
	if len(d.project.Configurations)+len(d.project.Policies) > 0 {
		data.Resources = append(data.Resources, templates.Word(model.Relative(d.path("config/base"), filepath.Dir(d.options.Manifest))))
	}
	if slices.ContainsFunc(d.project.Policies, func(p *model.Policy) bool {
		return p.Mutating && (p.InsteadOf == nil || p.Since < model.ServesMutating)
	}) {
		d.add("config/policies-v1beta1/kustomization.yaml", "delivery/kustomize/policies-v1beta1.yaml.tmpl", data, output.Generated)
	}
}

// commonLabels returns the labels that kustomize adds. It omits labels that a marker or a CRD sets, because kustomize
// would replace them.
func (d *deliverer) commonLabels(data object) []string {
	own := map[string]string{}
	for _, c := range d.project.Configurations {
		maps.Copy(own, c.Labels)
	}
	for _, c := range d.crds {
		metadata, _ := c.content["metadata"].(map[string]any)
		maps.Copy(own, texts(metadata["labels"]))
	}
	return slices.DeleteFunc(data.kustomizeLabels(), func(line string) bool {
		key, _, _ := strings.Cut(line, ":")
		_, found := own[key]
		return found
	})
}

// apiServer adds the files that configure an API server's credentials for the webhooks (k8s.io/apiserver
// pkg/admission/plugin/webhook/config and pkg/util/webhook, authentication.go).
func (d *deliverer) apiServer(data *object) {
	d.add("config/apiserver/admission.yaml", "delivery/apiserver/admission.yaml.tmpl", data, output.Generated)
	owner := output.Generated
	if data.Callers == "password" {
		owner = output.Once // the file contains a password
	}
	d.add("config/apiserver/kubeconfig.yaml", "delivery/apiserver/kubeconfig.yaml.tmpl", data, owner)
}

// kustomizeCRDs adds a kustomization of the CRDs with the patches of their conversions, also of the default None.
func (d *deliverer) kustomizeCRDs() {
	var data object
	for _, c := range d.crds {
		data.Resources = append(data.Resources, templates.Word("bases/"+c.file))
		if c.conversion != nil && d.options.Patches {
			data.Patches = append(data.Patches, templates.Word("patches/conversion_in_"+c.name+".yaml"))
		}
		if c.isUnconverted() {
			data.Unconverted = append(data.Unconverted, templates.Word(c.name))
		}
	}
	d.add("config/crd/kustomization.yaml", "delivery/kustomize/base.yaml.tmpl", data, output.Generated)
}

// injected returns the objects with a caBundle that something in the cluster sets.
func (d *deliverer) injected() []injected {
	if d.options.Delivery.Aggregated {
		return []injected{{"apiregistration.k8s.io/v1", "APIService", "apiservices", aggregatedVersion + "." + d.options.Delivery.group()}}
	}
	return d.serviceUsers()
}

// serviceUsers returns the objects that refer to the Service.
func (d *deliverer) serviceUsers() []injected {
	var all []injected
	for _, c := range d.project.Configurations {
		kind := kindOf(c.Mutating, "WebhookConfiguration")
		all = append(all, injected{kind.APIVersion, kind.Kind, strings.ToLower(kind.Kind) + "s", c.Name})
	}
	for _, c := range d.crds {
		if c.conversion != nil {
			all = append(all, injected{"apiextensions.k8s.io/v1", "CustomResourceDefinition", "customresourcedefinitions", c.name})
		}
	}
	return all
}

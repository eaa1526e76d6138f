// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/templates"
)

// Delivery configures how the program is deployed.
type Delivery struct {
	// Name is the name of the Deployment, the Service and the chart.
	Name string
	// Namespace is the namespace of the deployed objects.
	Namespace string
	// Aggregated is true if API servers call the webhooks through kube-aggregator instead of the Service.
	Aggregated bool
	// Certificates is "cert-manager", "self-managed" or "secret".
	Certificates string
	// Callers is the kind of credential that an API server presents: "certificate", "token" or "password"; empty for
	// none.
	Callers string
	// Authorities are the PEM certificates for the APIService's caBundle, or nil if something in the cluster injects
	// them.
	Authorities []byte
	// CRDs are the CRDs from controller-gen, by file name.
	CRDs []CRDFile
	// Chart is the content of the user's Chart.yaml, or nil without that file.
	Chart []byte
}

// CRDFile is a file with a CustomResourceDefinition, in CRDBases.
type CRDFile struct {
	Name    string
	Content []byte
}

// CRDBases is the folder, with slashes, of controller-gen's CRDs.
const CRDBases = "config/crd/bases"

// DeliveryPatterns returns patterns, relative to the module's root, for all files that delivery may have written. The
// kustomization.yaml beside the manifest is not among them.
func DeliveryPatterns() []string {
	return []string{"config/base/*.yaml", "config/crd/kustomization.yaml", "config/certificates/*/*.yaml", "config/apiserver/*.yaml", "config/metrics/kustomization.yaml", "config/migration/*.yaml", "config/policies-v1beta1/kustomization.yaml", "config/servicemonitor/*.yaml", "charts/*/templates/*", "charts/*/values.schema.json"}
}

// delivery adds kustomize bases and a Helm chart. The overlay and the chart's values belong to the user.
func delivery(files *fileList, p *model.Project, o Options) {
	d := deliverer{fileList: files, project: p, options: o}
	d.readCRDs()
	d.kustomize()
	d.chart()
}

// deliverer writes the delivery of one project.
type deliverer struct {
	*fileList
	project *model.Project
	options Options
	crds    []deliveredCRD
}

// hasOnlyPolicies reports whether the project has policies and needs no server.
func (d *deliverer) hasOnlyPolicies() bool {
	return len(d.project.Policies) > 0 && len(d.project.Configurations)+len(d.project.Conversions) == 0
}

// object is the data for templates of objects. The fields are YAML words for kustomize and template actions for the
// Helm chart, so that both use the same templates.
type object struct {
	// App is the project's name, also in the chart.
	App                            string
	Name, Namespace, Image, Secret string
	Certificates, Callers          string
	Helm                           bool
	// Aggregated is true if API servers call the webhooks through kube-aggregator, in the API group Group. In the
	// chart, a value selects it.
	Aggregated bool
	Group      string
	// CABundle is the APIService's caBundle, or "" if something in the cluster injects it.
	CABundle string
	// ClusterName is the name of cluster-scoped objects.
	ClusterName string
	Injected    []injected
	// Migrated are the resources whose stored objects the program can migrate.
	Migrated []migrated
	// Waited are the resources whose creation calls webhooks.
	Waited                         []migrated
	Resources, Components, Patches []string
	// Unconverted are the names of the CRDs without a conversion.
	Unconverted []string
	// CommonLabels are YAML lines with the labels that kustomize adds to all objects.
	CommonLabels []string
}

// injected is an object with a caBundle that something in the cluster sets.
type injected struct{ APIVersion, Kind, Resource, Name string }

// migrated is a resource: of a kind that the program converts, or for which it is called.
type migrated struct{ Group, Plural string }

func (i injected) Group() string {
	group, _, _ := strings.Cut(i.APIVersion, "/")
	return group
}

// IsDefinition reports whether the object is a CRD, which another release may have.
func (i injected) IsDefinition() bool { return i.Kind == "CustomResourceDefinition" }

// Version returns the version of the API group in which kube-aggregator serves the webhooks.
func (object) Version() string { return aggregatedVersion }

// CallerFlag returns the program's flag that authenticates callers, or "" if every caller is allowed.
func (o object) CallerFlag() string {
	if o.Aggregated {
		return "-aggregated=" + o.Group + "/" + o.Version()
	}
	return map[string]string{
		"certificate": "-client-ca=/etc/webhook/callers/ca.crt",
		"token":       "-tokens=/etc/webhook/callers/tokens",
		"password":    "-passwords=/etc/webhook/callers/passwords",
	}[o.Callers]
}

// Injects returns the objects in the syntax of the program's flag. In the chart a value leaves out the CRDs.
func (o object) Injects() string {
	var all, definitions, others []string
	for _, i := range o.Injected {
		name := i.Resource + "/" + i.Name
		if all = append(all, name); i.IsDefinition() {
			definitions = append(definitions, name)
		} else {
			others = append(others, name)
		}
	}
	if !o.Helm || definitions == nil {
		return strings.Join(all, ",")
	}
	first := strings.Join(definitions, ",")
	if others != nil {
		first += ","
	}
	return fmt.Sprintf("{{ if include %q . }}%s{{ end }}%s", o.App+".crds", first, strings.Join(others, ","))
}

// Labels returns the labels of every object, in the text that follows the key `labels:`.
func (o object) Labels(indent int) string { return o.lines(indent, "labels", o.kustomizeLabels()) }

// lines returns YAML lines for kustomize, or an action that includes a template for the chart.
func (o object) lines(indent int, template string, kustomize []string) string {
	if o.Helm {
		return fmt.Sprintf(" {{- include %q $ | nindent %d }}", o.App+"."+template, indent)
	}
	pad := "\n" + strings.Repeat(" ", indent)
	return pad + strings.Join(kustomize, pad)
}

// kustomizeLabels returns sorted lines with the labels of every object in the kustomize bases.
func (o object) kustomizeLabels() []string {
	return []string{"app.kubernetes.io/managed-by: kustomize", "app.kubernetes.io/name: " + o.App, "app.kubernetes.io/part-of: " + o.App}
}

// Selector returns the labels that select the server's pods, formatted like Labels.
func (o object) Selector(indent int) string {
	return o.lines(indent, "selector", []string{"app.kubernetes.io/name: " + o.App})
}

func (d *deliverer) plain() object {
	o := d.options.Delivery
	return object{
		App: o.Name, Name: o.Name, Namespace: o.Namespace, Image: o.Name, Secret: o.Name + "-tls",
		ClusterName: o.Name, Certificates: o.Certificates, Callers: o.Callers,
		Aggregated: o.Aggregated, Group: o.group(), CABundle: base64.StdEncoding.EncodeToString(o.Authorities),
	}
}

// add adds a file from a template, or records the error that prevents it. Its path is relative to the module's root.
// Generated files begin with our header.
func (d *deliverer) add(file, template string, data any, owner output.Ownership) {
	text, err := templates.Execute(template, data)
	if owner == output.Generated {
		text = withHeader(file, text)
	}
	d.put(output.File{Path: d.path(file), Content: text, Owner: owner}, err)
}

// withHeader adds our header to the text of a generated file.
func withHeader(file string, text []byte) []byte {
	switch path.Ext(file) {
	case ".json":
		return bytes.Replace(text, []byte("{\n"), []byte("{\n  "+output.JSONHeader+"\n"), 1)
	case ".txt":
		return append([]byte(output.HelmHeader+"\n"), text...)
	}
	return append([]byte(output.YAMLHeader+"\n"), text...)
}

// sharedObjects returns the templates that kustomize bases and the chart share.
func sharedObjects() []string {
	return []string{"deployment", "networkpolicy", "poddisruptionbudget", "service", "serviceaccount"}
}

// path returns the absolute path of a file in the module.
func (d *deliverer) path(file string) string {
	return filepath.Join(d.project.Module.Dir, filepath.FromSlash(file))
}

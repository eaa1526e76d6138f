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

// Delivery says how the program gets into a cluster.
type Delivery struct {
	// Name is the name of the Deployment, the Service and the chart.
	Name string
	// Namespace is where they go.
	Namespace string
	// Aggregated is true if API servers reach it through kube-aggregator, not by the Service.
	Aggregated bool
	// Certificates is "cert-manager", "self-managed" or "secret".
	Certificates string
	// Callers is the credential that an API server presents: "certificate", "token" or "password"; empty for none.
	Callers string
	// Authorities are the PEM certificates for the APIService's caBundle; nil if something in the cluster injects it.
	Authorities []byte
	// CRDs are the definitions that controller-gen has written, by file name.
	CRDs []CRDFile
	// Chart is the content of the user's Chart.yaml; nil without a file.
	Chart []byte
}

// CRDFile is a file with a CustomResourceDefinition, in CRDBases.
type CRDFile struct {
	Name    string
	Content []byte
}

// CRDBases is the folder, slash-separated, to which controller-gen writes definitions.
const CRDBases = "config/crd/bases"

// DeliveryPatterns match all files that delivery may have written, from the module's root, besides the
// kustomization.yaml beside the manifest.
func DeliveryPatterns() []string {
	return []string{"config/base/*.yaml", "config/crd/kustomization.yaml", "config/certificates/*/*.yaml", "config/apiserver/*.yaml", "config/metrics/kustomization.yaml", "config/migration/*.yaml", "config/policies-v1beta1/kustomization.yaml", "config/servicemonitor/*.yaml", "charts/*/templates/*", "charts/*/values.schema.json"}
}

// delivery writes kustomize bases, with an overlay that is the user's, and a Helm chart whose values are.
func delivery(files *fileList, p *model.Project, o Options) {
	d := deliverer{fileList: files, project: p, options: o}
	d.readCRDs()
	d.kustomize()
	d.chart()
}

// deliverer writes one project's delivery.
type deliverer struct {
	*fileList
	project *model.Project
	options Options
	crds    []deliveredCRD
}

// alone reports whether the project has policies and nothing that a server must answer. Then nothing runs in the
// cluster.
func (d *deliverer) alone() bool {
	return len(d.project.Policies) > 0 && len(d.project.Configurations)+len(d.project.Conversions) == 0
}

// object is what the templates of objects are filled in with: words of YAML for kustomize, and actions of
// Helm for the chart, so that both come from one text.
type object struct {
	// App is the project's name, the same everywhere.
	App                            string
	Name, Namespace, Image, Secret string
	Certificates, Callers          string
	Helm                           bool
	// Aggregated says that kube-aggregator stands before the webhooks, and Group is the API group under which it has them.
	// The chart can have it either way.
	Aggregated bool
	Group      string
	// CABundle is what the APIService says, PEM in base64; empty where something in the cluster says it.
	CABundle string
	// ClusterName is the name of objects that have no namespace.
	ClusterName string
	Injected    []injected
	// Migrated are the resources whose stored objects the program can migrate.
	Migrated                       []migrated
	Resources, Components, Patches []string
	// CommonLabels are lines with the labels that kustomize adds to all objects.
	CommonLabels []string
}

// injected is an object into which somebody writes who signs the server's certificate.
type injected struct{ APIVersion, Kind, Resource, Name string }

// migrated is a resource with versions that the program converts.
type migrated struct{ Group, Plural string }

// Group is the API group.
func (i injected) Group() string {
	group, _, _ := strings.Cut(i.APIVersion, "/")
	return group
}

// Version is the version of the API group under which kube-aggregator has the webhooks.
func (object) Version() string { return aggregatedVersion }

// CallerFlag is the program's flag for who has to call it; empty where anybody may.
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

// Injects are the objects as the program's flag takes them.
func (o object) Injects() string {
	var all []string
	for _, i := range o.Injected {
		all = append(all, i.Resource+"/"+i.Name)
	}
	return strings.Join(all, ",")
}

// Labels are the labels of every object, from the end of the line with their key on.
func (o object) Labels(indent int) string { return o.lines(indent, "labels", o.kustomizeLabels()) }

// lines are lines of YAML: in the chart, from a template.
func (o object) lines(indent int, template string, kustomize []string) string {
	if o.Helm {
		return fmt.Sprintf(" {{- include %q $ | nindent %d }}", o.App+"."+template, indent)
	}
	pad := "\n" + strings.Repeat(" ", indent)
	return pad + strings.Join(kustomize, pad)
}

// kustomizeLabels are lines with the labels of every object that kustomize builds, by key.
func (o object) kustomizeLabels() []string {
	return []string{"app.kubernetes.io/managed-by: kustomize", "app.kubernetes.io/name: " + o.App, "app.kubernetes.io/part-of: " + o.App}
}

// Selector are the labels that distinguish the pods from others, as Labels are written.
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

// add adds a file, below the module's root, from a template.
func (d *deliverer) add(file, template string, data any, owner output.Ownership) {
	text, err := templates.Execute(template, data)
	d.addText(file, text, owner, err)
}

// addText adds a file with a text, or notes the error that prevents it. Files that are ours begin with our header.
func (d *deliverer) addText(file string, text []byte, owner output.Ownership, err error) {
	if owner == output.Generated {
		text = withHeader(file, text)
	}
	d.put(output.File{Path: d.path(file), Content: text, Owner: owner}, err)
}

// withHeader puts our header above the text of a generated file.
func withHeader(file string, text []byte) []byte {
	switch path.Ext(file) {
	case ".json":
		return bytes.Replace(text, []byte("{\n"), []byte("{\n  "+output.JSONHeader+"\n"), 1)
	case ".txt":
		return append([]byte(output.HelmHeader+"\n"), text...)
	}
	return append([]byte(output.YAMLHeader+"\n"), text...)
}

// sharedObjects are the templates of what both forms of delivery consist of.
func sharedObjects() []string {
	return []string{"deployment", "networkpolicy", "poddisruptionbudget", "service", "serviceaccount"}
}

// path is the absolute path of a file below the module's root.
func (d *deliverer) path(file string) string {
	return filepath.Join(d.project.Module.Dir, filepath.FromSlash(file))
}

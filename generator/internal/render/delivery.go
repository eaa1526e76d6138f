package render

import (
	"path/filepath"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/templates"
)

// Delivery says how the program gets into a cluster.
type Delivery struct {
	// Name is that of the Deployment, the Service and the chart.
	Name string
	// Namespace is where they go.
	Namespace string
	// Certificates is "cert-manager", "self-managed" or "secret".
	Certificates string
	// Callers says what an API server has to present: "certificate", "token", "password"; empty for nothing.
	Callers string
	// CRDs are the definitions that controller-gen has written, by file name.
	CRDs []CRDFile
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
	return []string{"config/base/*.yaml", "config/crd/kustomization.yaml", "config/certificates/*/*.yaml", "config/apiserver/*.yaml", "charts/*/templates/*"}
}

// delivery writes kustomize bases, with an overlay that is the user's, and a Helm chart whose values are.
func delivery(p *model.Project, o Options) ([]output.File, error) {
	d := deliverer{project: p, options: o}
	if err := d.readCRDs(); err != nil {
		return nil, err
	}
	for _, step := range []func() error{d.kustomize, d.chart} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return d.files, nil
}

// deliverer writes one project's delivery.
type deliverer struct {
	project *model.Project
	options Options
	crds    []deliveredCRD
	files   []output.File
}

// object is what the templates of objects are filled in with: words of YAML for kustomize, and actions of
// Helm for the chart, so that both come from one text.
type object struct {
	// App is the project's name, the same everywhere.
	App                                      string
	Name, Namespace, Image, Replicas, Secret string
	Certificates, Callers                    string
	Helm                                     bool
	// ClusterName is the name of objects that have no namespace.
	ClusterName                    string
	Injected                       []injected
	Resources, Components, Patches []string
}

// injected is an object into which somebody writes who signs the server's certificate.
type injected struct{ APIVersion, Kind, Resource, Name string }

// Group is the API group.
func (i injected) Group() string {
	group, _, _ := strings.Cut(i.APIVersion, "/")
	return group
}

// CallerFlag is the program's flag for what an API server has to present; empty where that is nothing.
func (o object) CallerFlag() string {
	switch o.Callers {
	case "certificate":
		return "-client-ca=/etc/webhook/callers/ca.crt"
	case "token":
		return "-tokens=/etc/webhook/callers/tokens"
	case "password":
		return "-passwords=/etc/webhook/callers/passwords"
	}
	return ""
}

// Injects are the objects as the program's flag takes them.
func (o object) Injects() string {
	var all []string
	for _, i := range o.Injected {
		all = append(all, i.Resource+"/"+i.Name)
	}
	return strings.Join(all, ",")
}

// ReleaseLabels are what labels have besides where there are releases.
func (o object) ReleaseLabels(indent int) string {
	if !o.Helm {
		return ""
	}
	pad := "\n" + strings.Repeat(" ", indent)
	return pad + "app.kubernetes.io/instance: {{ $.Release.Name }}" + pad + "app.kubernetes.io/managed-by: {{ $.Release.Service }}" +
		pad + "helm.sh/chart: {{ $.Chart.Name }}-{{ $.Chart.Version }}"
}

// SelectorLabels are what tells the pods of one release from those of another.
func (o object) SelectorLabels(indent int) string {
	if !o.Helm {
		return ""
	}
	return "\n" + strings.Repeat(" ", indent) + "app.kubernetes.io/instance: {{ $.Release.Name }}"
}

func (d *deliverer) plain() object {
	name := d.options.Delivery.Name
	return object{
		App: name, Name: name, Namespace: d.options.Delivery.Namespace, Image: name, Replicas: "2", Secret: name + "-tls",
		ClusterName: name, Certificates: d.options.Delivery.Certificates, Callers: d.options.Delivery.Callers,
	}
}

// add adds a file, below the module's root, from a template. Files that are ours begin with our header.
func (d *deliverer) add(file, template string, data any, owner output.Ownership) error {
	text, err := templates.Execute(template, data)
	if err != nil {
		return err
	}
	if owner == output.Generated {
		text = append([]byte(output.YAMLHeader+"\n"), text...)
	}
	d.files = append(d.files, output.File{Path: d.path(file), Content: text, Owner: owner})
	return nil
}

// sharedObjects are the templates of what both forms of delivery consist of.
func sharedObjects() []string {
	return []string{"deployment", "networkpolicy", "poddisruptionbudget", "service", "serviceaccount"}
}

// path is the absolute path of a file below the module's root.
func (d *deliverer) path(file string) string {
	return filepath.Join(d.project.Module.Dir, filepath.FromSlash(file))
}

// SPDX-License-Identifier: Apache-2.0

// Package manifest reads webhook configurations from YAML, with the position of every field. It reads configurations of
// this tool and any others, and the webhooks of ClusterServiceVersions. It also reads admission policies, and the
// versions of CustomResourceDefinitions.
package manifest

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	kjson "sigs.k8s.io/json"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/yamltext"
)

// The ids under which this package reports.
const (
	RuleYAML   = "F1"
	RuleObject = "F2"
)

// Rules documents them.
func Rules() []diag.Rule {
	return []diag.Rule{
		{ID: RuleYAML, Title: "a file is YAML"},
		{ID: RuleObject, Title: "a webhook configuration has the fields of its type"},
	}
}

// Contents are the objects in files.
type Contents struct {
	// Projects are the webhook configurations by the API version they are written in, v1 first. A version without
	// objects has no project.
	Projects []*model.Project
	// Policies are the admission policies, with the bindings that name them, in the order of the files.
	Policies []*model.Policy
	// Unbound are the bindings of other policies.
	Unbound []*model.Binding
	// Unknown are the fields of policies and bindings that their types do not have, which API servers drop.
	Unknown diag.List
	// Definitions are the CustomResourceDefinitions, in the order of the files.
	Definitions []*Definition
	// Namespaces are the labels of the Namespaces, by name.
	Namespaces map[string]map[string]string
	// Servers are the Services, as namespace/name, whose pods' permissions are known.
	Servers map[string]bool
	// Services are the ports of Services, by namespace/name.
	Services map[string][]int32
	// Injects is true if a role may let something write webhook configurations.
	Injects bool
	// InjectsDefinitions is true if a role may let something write CustomResourceDefinitions.
	InjectsDefinitions bool
}

// Read reads the documents of files.
func Read(files []load.Text) (Contents, diag.List) {
	r := reader{projects: map[string]*model.Project{"v1": {API: "v1"}, "v1beta1": {API: "v1beta1"}}}
	for _, f := range files {
		r.source(f)
	}
	r.diags.Add(r.templatesFound()...)
	r.bind()
	r.convert()
	r.Servers, r.Services, r.Injects = r.objects.servers(), r.objects.services(), r.objects.injects("admissionregistration.k8s.io", "validatingwebhookconfigurations", "mutatingwebhookconfigurations")
	r.InjectsDefinitions = r.objects.injects("apiextensions.k8s.io", "customresourcedefinitions")
	r.Namespaces = map[string]map[string]string{}
	for _, o := range r.objects {
		if o.Kind == "Namespace" {
			r.Namespaces[o.Metadata.Name] = o.Metadata.Labels
		}
	}
	for _, version := range []string{"v1", "v1beta1"} {
		if p := r.projects[version]; len(p.Configurations) > 0 {
			slices.SortStableFunc(p.Configurations, func(a, b *model.Configuration) int { return strings.Compare(a.Name, b.Name) })
			r.Projects = append(r.Projects, p)
		}
	}
	return r.Contents, r.diags
}

type reader struct {
	Contents
	projects    map[string]*model.Project // by API version
	objects     objects
	bindings    []boundPolicy
	conversions []olmConversion
	templates   []diag.Range // that are no YAML
	diags       diag.List
}

func (r *reader) source(s load.Text) {
	if d, found := diag.Conflict(s.Path, RuleYAML, s.Content); found {
		r.diags.Add(d)
		return
	}
	t := text{yamltext.New(s.Path, s.Content), s}
	documents, err := yamltext.Documents(s.Content)
	for _, document := range documents {
		r.object(t, yamltext.Resolve(document))
	}
	if err != nil {
		r.broken(s, err)
	}
}

// broken records a file that is no YAML. One that was not asked for by its name and has no webhook configuration is of
// no interest.
func (r *reader) broken(s load.Text, err error) {
	at := diag.InFile(s.Path)
	switch {
	case s.Found && !bytes.Contains(s.Content, []byte("WebhookConfiguration")) && !bytes.Contains(s.Content, []byte("AdmissionPolicy")) && !bytes.Contains(s.Content, []byte("webhookdefinitions")):
	case isTemplate(s):
		r.templates = append(r.templates, at)
	default:
		r.diags.Add(diag.Errorf(at, RuleYAML, "the file is not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: ")))
	}
}

// decode reads an object as kubectl does, and returns an error for each unknown field. It reports an object that is not
// of its type.
func (r *reader) decode(t text, node *yaml.Node, into any) (unknown []error, ok bool) {
	plain, err := toJSON(node)
	if err == nil {
		unknown, err = kjson.UnmarshalStrict(plain, into)
	}
	switch {
	case err == nil:
	case isTemplate(t.source): // {{ .Values.name }} is YAML, but no name
		r.broken(t.source, err)
	default:
		r.diags.Add(diag.Errorf(t.Range(node), RuleObject, "%s", strings.TrimPrefix(err.Error(), "json: ")))
	}
	return unknown, err == nil
}

func isTemplate(s load.Text) bool { return bytes.Contains(s.Content, []byte("{{")) }

// templatesFound is one finding for all templates: whoever has one has several.
func (r *reader) templatesFound() diag.List {
	if len(r.templates) == 0 {
		return nil
	}
	slices.SortFunc(r.templates, func(a, b diag.Range) int { return strings.Compare(a.Pos.File, b.Pos.File) })
	r.templates = slices.Compact(r.templates)
	d := diag.Errorf(r.templates[0], RuleYAML, "a template is not YAML before it is rendered").WithHint("helm template CHART | webhook-gen lint -f -")
	for _, other := range r.templates[1:] {
		d = d.WithRelated(other, "another one")
	}
	return diag.List{d}
}

// object reads the relevant fields of a document.
func (r *reader) object(t text, node *yaml.Node) {
	if strings.HasSuffix(value(node, "kind"), "List") {
		for _, item := range elements(entry(node, "items")) {
			r.object(t, yamltext.Resolve(item))
		}
		return
	}
	group, version, _ := strings.Cut(value(node, "apiVersion"), "/")
	switch kind := value(node, "kind"); kind {
	case "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration":
		if group == "admissionregistration.k8s.io" && (version == "v1" || version == "v1beta1") {
			r.configuration(t, node, version, kind == "MutatingWebhookConfiguration")
		}
	case "ValidatingAdmissionPolicy", "MutatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "MutatingAdmissionPolicyBinding":
		if group == "admissionregistration.k8s.io" {
			r.policy(t, node, strings.HasPrefix(kind, "Mutating"), strings.HasSuffix(kind, "Binding"))
		}
	case "CustomResourceDefinition":
		if group == "apiextensions.k8s.io" && version == "v1" {
			r.definition(t, node)
		}
	case "ClusterServiceVersion":
		if group == "operators.coreos.com" {
			r.serviceVersion(t, node)
		}
	case "Namespace", "Service", "Deployment", "StatefulSet", "DaemonSet", "Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding":
		var o object
		if node.Decode(&o) == nil {
			r.objects = append(r.objects, o)
		}
	}
}

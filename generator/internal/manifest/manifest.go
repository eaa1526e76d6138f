// SPDX-License-Identifier: Apache-2.0

// Package manifest reads webhook configurations from YAML, with the position of every field. It reads configurations
// of this tool and any others. It also reads admission policies, and the versions of
// CustomResourceDefinitions.
package manifest

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/yamltext"
	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// The ids under which this package reports.
const (
	RuleYAML   = "F1"
	RuleObject = "F2"
)

// Rules documents them.
func Rules() []diag.Rule {
	return []diag.Rule{
		{ID: RuleYAML, Title: "a file is YAML", Doc: "A Helm template is not YAML before it is rendered: `helm template CHART | webhook-gen lint -f -`."},
		{ID: RuleObject, Title: "a webhook configuration has the fields of its type", Doc: "kubectl refuses an unknown field, an API server drops it, and both refuse a value of another type."},
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
	// Definitions are the CustomResourceDefinitions, in the order of the files.
	Definitions []*Definition
	// Namespaces are the labels of the Namespaces, by name.
	Namespaces map[string]map[string]string
	// Servers are the Services, as namespace/name, whose pods' permissions are known.
	Servers map[string]bool
	// Injects is true if a role may let something write webhook configurations.
	Injects bool
}

// Source is a file to read.
type Source struct {
	// Path is what findings name.
	Path string
	Text []byte
	// Found says that a folder was named that the file is in, and not the file.
	Found bool
}

func (s Source) isTemplate() bool { return bytes.Contains(s.Text, []byte("{{")) }

// Open reads files, the *.yaml and *.yml that lie directly in folders, and standard input for "-".
func Open(paths []string, stdin io.Reader) ([]Source, error) {
	var sources []Source
	for _, path := range paths {
		if path == "-" {
			text, err := io.ReadAll(stdin)
			if err != nil {
				return nil, err
			}
			sources = append(sources, Source{Path: "<stdin>", Text: text})
			continue
		}
		files, found := []string{path}, false
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			if files, err = filesOf(path); err != nil {
				return nil, err
			}
			found = true
		}
		for _, file := range files {
			read := regular.ReadFile
			if !found {
				read = regular.ReadArgument
			}
			text, err := read(file)
			if err != nil {
				return nil, err
			}
			sources = append(sources, Source{file, text, found})
		}
	}
	return sources, nil
}

// Read reads the documents of the sources.
func Read(sources []Source) (Contents, diag.List) {
	r := reader{projects: map[string]*model.Project{}}
	for _, s := range sources {
		r.source(s)
	}
	r.diags.Add(r.templatesFound()...)
	r.bind()
	r.Servers, r.Injects = r.objects.servers(), r.objects.injects()
	r.Namespaces = map[string]map[string]string{}
	for _, o := range r.objects {
		if o.Kind == "Namespace" {
			r.Namespaces[o.Metadata.Name] = o.Metadata.Labels
		}
	}
	for _, version := range []string{"v1", "v1beta1"} {
		if p := r.projects[version]; p != nil {
			slices.SortStableFunc(p.Configurations, func(a, b *model.Configuration) int { return strings.Compare(a.Name, b.Name) })
			r.Projects = append(r.Projects, p)
		}
	}
	return r.Contents, r.diags
}

type reader struct {
	Contents
	projects  map[string]*model.Project // by API version
	objects   objects
	bindings  []boundPolicy
	templates []diag.Range // that are no YAML
	diags     diag.List
}

func (r *reader) source(s Source) {
	t := newText(s)
	for documents := yaml.NewDecoder(strings.NewReader(string(s.Text))); ; {
		var document yaml.Node
		err := documents.Decode(&document)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			r.broken(s, err)
			return
		}
		r.object(t, yamltext.Resolve(document.Content[0]))
	}
}

// broken records a file that is no YAML. One that was not asked for by its name and has no webhook configuration is of
// no interest.
func (r *reader) broken(s Source, err error) {
	at := diag.Range{Pos: diag.Position{File: s.Path}}
	switch {
	case s.Found && !bytes.Contains(s.Text, []byte("WebhookConfiguration")) && !bytes.Contains(s.Text, []byte("AdmissionPolicy")):
	case s.isTemplate():
		r.templates = append(r.templates, at)
	default:
		r.diags.Add(diag.Errorf(at, RuleYAML, "the file is not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: ")))
	}
}

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
	case "Namespace", "Service", "Deployment", "StatefulSet", "DaemonSet", "Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding":
		var o object
		if node.Decode(&o) == nil {
			r.objects = append(r.objects, o)
		}
	}
}

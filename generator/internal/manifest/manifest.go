// Package manifest reads webhook configurations back from YAML, with the place of every field: those that
// this tool wrote, and any others.
package manifest

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	kjson "sigs.k8s.io/json"

	"go.yaml.in/yaml/v3"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// The ids under which this package reports.
const (
	RuleYAML   = "F1"
	RuleObject = "F2"
)

// Rules documents them.
func Rules() []diag.Rule {
	return []diag.Rule{
		{ID: RuleYAML, Title: "a file is YAML", Doc: "A template of Helm or of a Makefile is none before it is rendered: `helm template CHART | webhook-gen lint -f -`."},
		{ID: RuleObject, Title: "a webhook configuration has the fields of its type", Doc: "kubectl refuses an unknown field, an API server drops it, and both refuse a value of another type."},
	}
}

// Contents are what files hold.
type Contents struct {
	// Projects are the webhook configurations by the API version they are written in, v1 first. There is none of a
	// version that no object has.
	Projects []*model.Project
	// Namespaces are the labels of the Namespaces, by name.
	Namespaces map[string]map[string]string
	// Deploys says that there is a Deployment, StatefulSet or DaemonSet.
	Deploys bool
	// Injects says that a role lets something write webhook configurations.
	Injects bool
}

// Source is a file to read.
type Source struct {
	// Path is what findings name.
	Path string
	Text []byte
}

// Open reads files, the *.yaml and *.yml of folders, and standard input for "-".
func Open(paths []string, stdin io.Reader) ([]Source, error) {
	var sources []Source
	for _, path := range paths {
		if path == "-" {
			text, err := io.ReadAll(stdin)
			if err != nil {
				return nil, err
			}
			sources = append(sources, Source{"<stdin>", text})
			continue
		}
		files := []string{path}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			entries, err := os.ReadDir(path)
			if err != nil {
				return nil, err
			}
			files = nil
			for _, e := range entries {
				if ext := filepath.Ext(e.Name()); !e.IsDir() && (ext == ".yaml" || ext == ".yml") {
					files = append(files, filepath.Join(path, e.Name()))
				}
			}
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			sources = append(sources, Source{file, text})
		}
	}
	return sources, nil
}

// Read reads the documents of the sources.
func Read(sources []Source) (Contents, diag.List) {
	r := reader{projects: map[string]*model.Project{}, Contents: Contents{Namespaces: map[string]map[string]string{}}}
	for _, s := range sources {
		r.source(s)
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
	projects map[string]*model.Project // by API version
	diags    diag.List
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
			r.diags.Add(diag.Errorf(diag.Range{Pos: diag.Position{File: s.Path}}, RuleYAML, "the file is not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: ")).
				WithHint("render a template first: helm template CHART | webhook-gen lint -f -"))
			return
		}
		r.object(t, resolve(document.Content[0]))
	}
}

// object takes from a document what is of interest.
func (r *reader) object(t text, node *yaml.Node) {
	var o struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string `yaml:"kind"`
		Metadata   struct {
			Name   string            `yaml:"name"`
			Labels map[string]string `yaml:"labels"`
		} `yaml:"metadata"`
		Rules []struct {
			APIGroups []string `yaml:"apiGroups"`
			Resources []string `yaml:"resources"`
			Verbs     []string `yaml:"verbs"`
		} `yaml:"rules"`
	}
	if strings.HasSuffix(value(node, "kind"), "List") {
		if items := entry(node, "items"); items != nil {
			for _, item := range items.Content {
				r.object(t, resolve(item))
			}
		}
		return
	}
	group, version, _ := strings.Cut(value(node, "apiVersion"), "/")
	switch kind := value(node, "kind"); kind {
	case "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration":
		if group == "admissionregistration.k8s.io" && (version == "v1" || version == "v1beta1") {
			r.configuration(t, node, version, kind == "MutatingWebhookConfiguration")
		}
	case "Namespace":
		if node.Decode(&o) == nil {
			r.Namespaces[o.Metadata.Name] = o.Metadata.Labels
		}
	case "Deployment", "StatefulSet", "DaemonSet":
		r.Deploys = true
	case "Role", "ClusterRole":
		if node.Decode(&o) != nil {
			return
		}
		has := func(list []string, words ...string) bool {
			return slices.ContainsFunc(append(words, "*"), func(w string) bool { return slices.Contains(list, w) })
		}
		for _, rule := range o.Rules {
			r.Injects = r.Injects || has(rule.APIGroups, "admissionregistration.k8s.io") && has(rule.Verbs, "update", "patch") &&
				has(rule.Resources, "validatingwebhookconfigurations", "mutatingwebhookconfigurations")
		}
	}
}

// configuration reads one configuration object. A validating webhook has all the fields of a mutating one but one.
func (r *reader) configuration(t text, node *yaml.Node, version string, mutating bool) {
	var content any
	err := node.Decode(&content)
	var plain []byte
	if err == nil {
		plain, err = json.Marshal(content)
	}
	var object admissionregistrationv1.MutatingWebhookConfiguration
	into := any(&object)
	var validating admissionregistrationv1.ValidatingWebhookConfiguration
	if !mutating {
		into = &validating
	}
	var strict []error
	if err == nil {
		strict, err = kjson.UnmarshalStrict(plain, into)
	}
	places := map[string]diag.Range{}
	t.places(places, "", node)
	c := &model.Configuration{Range: t.place(node), Mutating: mutating, At: model.Places{}}
	for _, problem := range strict {
		_, field, _ := strings.Cut(problem.Error(), `"`)
		field = strings.TrimSuffix(field, `"`)
		at, ok := places[field]
		if !ok {
			at = c.Range
		}
		r.diags.Add(diag.Errorf(at, RuleObject, "%s", problem))
	}
	if err == nil && !mutating {
		err = kjson.UnmarshalCaseSensitivePreserveInts(plain, &object)
	}
	if err != nil {
		r.diags.Add(diag.Errorf(c.Range, RuleObject, "%s", strings.TrimPrefix(err.Error(), "json: ")))
		return
	}
	c.Name, c.Labels, c.Annotations = object.Name, object.Labels, object.Annotations
	for key, at := range places {
		if field, ok := strings.CutPrefix(key, "metadata."); ok {
			c.At[field] = at
		}
	}
	webhooks := entry(node, "webhooks")
	for i, spec := range object.Webhooks {
		item := resolve(webhooks.Content[i])
		w := &model.Webhook{Range: t.place(cmp.Or(entry(item, "name"), item)), Mutating: mutating, Configuration: c.Name, Spec: spec, At: model.Places{}}
		at := map[string]diag.Range{}
		t.places(at, "", item)
		w.At = at
		c.Webhooks = append(c.Webhooks, w)
	}
	p := r.projects[version]
	if p == nil {
		p = &model.Project{API: version}
		r.projects[version] = p
	}
	p.Configurations = append(p.Configurations, c)
}

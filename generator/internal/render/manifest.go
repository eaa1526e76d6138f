// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"path/filepath"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/spec"
	"github.com/webhook-gen/webhook-gen/templates"
)

// manifests adds the files of each manifest of the project.
func manifests(files *fileList, p *model.Project, o Options) {
	parts, paths := p.ByManifest()
	for i, part := range parts {
		of := o
		of.Manifest = cmp.Or(paths[i], o.Manifest)
		if len(part.Configurations)+len(part.Policies) > 0 {
			besideManifest(files, part, of)
		}
	}
}

// besideManifest adds the files of the webhook configurations and the policies and, if requested, the
// kustomization.yaml beside them.
func besideManifest(files *fileList, p *model.Project, o Options) {
	before := len(files.all)
	if len(p.Configurations) > 0 {
		text, err := manifest(p, o)
		files.put(output.File{Path: o.Manifest, Content: text, Owner: output.Manifest, Bare: !o.Header || !hasOwn(p)}, err)
	}
	if always := p.AlwaysInstalled(); len(always) > 0 {
		files.put(policies(filepath.Join(filepath.Dir(o.Manifest), PoliciesFile), always))
	}
	if o.Kustomization {
		list := output.YAMLHeader + "\napiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n"
		for _, f := range files.all[before:] {
			list += "  - " + templates.Word(filepath.Base(f.Path)) + "\n"
		}
		files.put(output.File{Path: filepath.Join(filepath.Dir(o.Manifest), "kustomization.yaml"), Content: []byte(list), Owner: output.Generated}, nil)
	}
	replacements(files, p, o)
}

// manifest returns the webhook configurations as YAML in controller-gen's format: a --- before each document, sorted
// keys, no creationTimestamp. A manifest with our header has the fields that an API server would add.
func manifest(p *model.Project, o Options) ([]byte, error) {
	var out bytes.Buffer
	ours := o.Header && hasOwn(p)
	if ours {
		out.WriteString(output.YAMLHeader + "\n")
	}
	write := marshal
	if !hasOwn(p) {
		write = yaml.Marshal // folds expressions, as controller-gen does
	}
	for _, c := range p.Configurations {
		part := *c
		for i := 0; i == 0 || i < len(c.Webhooks); i += atOnce {
			part.Webhooks = c.Webhooks[i:min(i+atOnce, len(c.Webhooks))]
			if ours {
				part.Webhooks = defaulted(part.Webhooks, p.API)
			}
			text, err := document(Object(&part, o.Delivery), p.API, write)
			if err != nil {
				return nil, err
			}
			if i > 0 {
				_, text, _ = bytes.Cut(text, []byte("\nwebhooks:\n"))
			}
			out.Write(text)
		}
	}
	return out.Bytes(), nil
}

// defaulted returns copies of webhooks with an API server's defaults.
func defaulted(webhooks []*model.Webhook, api string) (all []*model.Webhook) {
	for _, w := range webhooks {
		d := *w
		d.Spec = spec.Defaulted(w.Spec, api)
		all = append(all, &d)
	}
	return all
}

// atOnce is the number of webhooks of a configuration that are written at once. It bounds the memory for their trees.
const atOnce = 256

// document returns the YAML of an object of admissionregistration.k8s.io without the fields that API servers set.
func document(object any, version string, write func(any) ([]byte, error)) ([]byte, error) {
	content, err := fields(object)
	if err != nil {
		return nil, err
	}
	content["apiVersion"] = "admissionregistration.k8s.io/" + version
	delete(content["metadata"].(map[string]any), "creationTimestamp")
	delete(content, "status")
	if version == "v1beta1" { // v1beta1 does not require these fields of a webhook
		webhooks, _ := content["webhooks"].([]any)
		for _, w := range webhooks {
			maps.DeleteFunc(w.(map[string]any), func(_ string, value any) bool {
				list, isList := value.([]any)
				return value == nil || isList && len(list) == 0
			})
		}
	}
	text, err := write(content)
	return append([]byte("---\n"), text...), err
}

// fields returns an object as a map with JSON names. Numbers keep their text.
func fields(object any) (content map[string]any, err error) {
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	err = decoder.Decode(&content)
	return content, err
}

// Object returns the configuration as an object of admissionregistration.k8s.io/v1. Its webhooks have the service
// that API servers call.
func Object(c *model.Configuration, d Delivery) any {
	kind := kindOf(c.Mutating, "WebhookConfiguration")
	meta := metav1.ObjectMeta{Name: c.Name, Labels: c.Labels, Annotations: c.Annotations}
	if c.Mutating {
		o := &admissionregistrationv1.MutatingWebhookConfiguration{TypeMeta: kind, ObjectMeta: meta}
		for _, w := range c.Webhooks {
			o.Webhooks = append(o.Webhooks, d.withCalledService(w.Spec))
		}
		return o
	}
	o := &admissionregistrationv1.ValidatingWebhookConfiguration{TypeMeta: kind, ObjectMeta: meta}
	for _, w := range c.Webhooks {
		o.Webhooks = append(o.Webhooks, spec.Validating(d.withCalledService(w.Spec)))
	}
	return o
}

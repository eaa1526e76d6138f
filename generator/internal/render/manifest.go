// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"encoding/json"
	"path/filepath"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	admissionregistrationv1beta1 "k8s.io/api/admissionregistration/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/spec"
)

// manifests writes the files of the configurations and of the policies and, where it is to be, the kustomization.yaml
// beside them.
func manifests(p *model.Project, o Options) ([]output.File, error) {
	var files []output.File
	if len(p.Configurations) > 0 {
		text, err := manifest(p, o)
		if err != nil {
			return nil, err
		}
		files = append(files, output.File{Path: o.Manifest, Content: text, Owner: output.Manifest, Bare: !hasOwn(p)})
	}
	if always := p.AlwaysInstalled(); len(always) > 0 {
		written, err := policies(filepath.Join(filepath.Dir(o.Manifest), PoliciesFile), always)
		if err != nil {
			return nil, err
		}
		files = append(files, written...)
	}
	if o.Kustomization {
		list := output.YAMLHeader + "\napiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n"
		for _, f := range files {
			list += "  - " + filepath.Base(f.Path) + "\n"
		}
		files = append(files, output.File{Path: filepath.Join(filepath.Dir(o.Manifest), "kustomization.yaml"), Content: []byte(list), Owner: output.Generated})
	}
	replacements, err := replacements(p, o)
	return append(files, replacements...), err
}

// manifest writes the configurations as YAML documents in the form that controller-gen gives
// them: a --- before each, keys in alphabetical order, no creationTimestamp.
func manifest(p *model.Project, o Options) ([]byte, error) {
	var out bytes.Buffer
	if o.Header && hasOwn(p) {
		out.WriteString(output.YAMLHeader + "\n")
	}
	for _, c := range p.Configurations {
		document, err := document(c, p.API, o.Delivery)
		if err != nil {
			return nil, err
		}
		out.WriteString("---\n")
		out.Write(document)
	}
	return out.Bytes(), nil
}

func document(c *model.Configuration, api string, d Delivery) ([]byte, error) {
	text, err := json.Marshal(Object(c, d))
	if err != nil {
		return nil, err
	}
	if api == "v1beta1" {
		if text, err = inV1beta1(text, c.Mutating); err != nil {
			return nil, err
		}
	}
	var generic map[string]any
	if err := decode(text, &generic); err != nil {
		return nil, err
	}
	generic["apiVersion"] = "admissionregistration.k8s.io/" + api
	return yamlOf(generic)
}

// yamlDocument writes an object as YAML.
func yamlDocument(object any) ([]byte, error) {
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	var generic map[string]any
	if err := decode(text, &generic); err != nil {
		return nil, err
	}
	return yamlOf(generic)
}

// decode reads JSON and keeps numbers as they are.
func decode(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(into)
}

// yamlOf writes an object without the fields that API servers fill in.
func yamlOf(object map[string]any) ([]byte, error) {
	delete(object["metadata"].(map[string]any), "creationTimestamp")
	delete(object, "status")
	return yaml.Marshal(object)
}

// inV1beta1 reads v1 as v1beta1, which has the same fields but may leave out two that v1 requires.
func inV1beta1(v1 []byte, mutating bool) ([]byte, error) {
	var object any = &admissionregistrationv1beta1.ValidatingWebhookConfiguration{}
	if mutating {
		object = &admissionregistrationv1beta1.MutatingWebhookConfiguration{}
	}
	if err := json.Unmarshal(v1, object); err != nil {
		return nil, err
	}
	return json.Marshal(object)
}

// Object is the configuration in Kubernetes' own type of v1, as API servers reach its webhooks.
func Object(c *model.Configuration, d Delivery) any {
	kind := metav1.TypeMeta{APIVersion: "admissionregistration.k8s.io/v1", Kind: "ValidatingWebhookConfiguration"}
	meta := metav1.ObjectMeta{Name: c.Name, Labels: c.Labels, Annotations: c.Annotations}
	if c.Mutating {
		kind.Kind = "MutatingWebhookConfiguration"
		o := &admissionregistrationv1.MutatingWebhookConfiguration{TypeMeta: kind, ObjectMeta: meta}
		for _, w := range c.Webhooks {
			o.Webhooks = append(o.Webhooks, d.reached(w.Spec))
		}
		return o
	}
	o := &admissionregistrationv1.ValidatingWebhookConfiguration{TypeMeta: kind, ObjectMeta: meta}
	for _, w := range c.Webhooks {
		o.Webhooks = append(o.Webhooks, spec.Validating(d.reached(w.Spec)))
	}
	return o
}

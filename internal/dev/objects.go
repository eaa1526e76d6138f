// SPDX-License-Identifier: Apache-2.0

package dev

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// The resources that a session creates or changes, as kubectl takes them.
const (
	mutatingResource   = "mutatingwebhookconfigurations.admissionregistration.k8s.io"
	validatingResource = "validatingwebhookconfigurations.admissionregistration.k8s.io"
	crdResource        = "customresourcedefinitions.apiextensions.k8s.io"
)

// object is an object of the cluster. The spec stays as it was read: numbers in schemas may be larger than a float64
// can say.
type object struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              json.RawMessage `json:"spec,omitempty"`
}

// reference names the object for kubectl.
func (o object) reference() string { return resourceOf(o.Kind) + "/" + o.Name }

func resourceOf(kind string) string {
	switch kind {
	case "MutatingWebhookConfiguration":
		return mutatingResource
	case "ValidatingWebhookConfiguration":
		return validatingResource
	default:
		return crdResource
	}
}

// objects are what a session applies.
type objects struct {
	configurations []map[string]any
	definitions    []definition // by name
}

// definition is a CRD of the project.
type definition struct {
	name string
	// file is the definition in config/crd/bases, nil without a file.
	file map[string]any
	// conversion is spec.conversion of the kind, nil if no webhook converts it.
	conversion map[string]any
}

// readObjects takes the configurations and the patches of CRDs from manifests, and the CRDs from config/crd/bases.
func readObjects(root string, manifests [][]byte) (objects, error) {
	var found objects
	definitions := map[string]definition{}
	files, err := fs.Glob(os.DirFS(root), "config/crd/bases/*.yaml")
	if err != nil {
		return objects{}, err
	}
	for _, file := range files {
		file = filepath.Join(root, file)
		text, err := os.ReadFile(file)
		if err != nil {
			return objects{}, err
		}
		documents, err := readDocuments(text)
		if err != nil {
			return objects{}, fmt.Errorf("%s: %w", file, err)
		}
		for _, o := range documents {
			if name := nameOf(o); o["kind"] == "CustomResourceDefinition" && name != "" {
				definitions[name] = definition{name: name, file: o, conversion: conversionOf(o)}
			}
		}
	}
	for _, manifest := range manifests {
		documents, err := readDocuments(manifest)
		if err != nil {
			return objects{}, err
		}
		for _, o := range documents {
			switch name := nameOf(o); o["kind"] {
			case "CustomResourceDefinition":
				d := definitions[name]
				d.name, d.conversion = name, conversionOf(o)
				definitions[name] = d
			case "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration":
				found.configurations = append(found.configurations, o)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(definitions)) {
		found.definitions = append(found.definitions, definitions[name])
	}
	return found, nil
}

func readDocuments(text []byte) ([]map[string]any, error) {
	var documents []map[string]any
	for document := range bytes.SplitSeq(text, []byte("\n---\n")) {
		data, err := yaml.YAMLToJSON(document)
		if err != nil {
			return nil, err
		}
		o, err := readJSON(data)
		if err != nil {
			return nil, err
		}
		documents = append(documents, o)
	}
	return documents, nil
}

// readJSON reads an object, with numbers as they are written.
func readJSON(data []byte) (map[string]any, error) {
	var o map[string]any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	err := decoder.Decode(&o)
	return o, err
}

func nameOf(o map[string]any) string {
	meta, _ := o["metadata"].(map[string]any)
	name, _ := meta["name"].(string)
	return name
}

// conversionOf returns spec.conversion if it names a webhook.
func conversionOf(o map[string]any) map[string]any {
	spec, _ := o["spec"].(map[string]any)
	conversion, _ := spec["conversion"].(map[string]any)
	if conversion["strategy"] != "Webhook" {
		return nil
	}
	return conversion
}

// webhookNames returns the names of the webhooks of configurations, by the path at which the program serves them.
func (o objects) webhookNames() map[string]string {
	names := map[string]string{}
	for _, c := range o.configurations {
		webhooks, _ := c["webhooks"].([]any)
		for _, w := range webhooks {
			webhook, _ := w.(map[string]any)
			config, _ := webhook["clientConfig"].(map[string]any)
			service, _ := config["service"].(map[string]any)
			path, _ := service["path"].(string)
			name, _ := webhook["name"].(string)
			switch was := names[path]; {
			case path == "" || name == "" || was == name:
			case was == "":
				names[path] = name
			default:
				names[path] = was + "," + name
			}
		}
	}
	return names
}

// reach returns a webhook of a configuration or of a conversion that is called at the session's URL. A webhook without
// a Service is somewhere else, and stays as it is.
func (s session) reach(webhook map[string]any) map[string]any {
	config, _ := webhook["clientConfig"].(map[string]any)
	service, ok := config["service"].(map[string]any)
	if !ok {
		return webhook
	}
	path, _ := service["path"].(string)
	reached := maps.Clone(webhook)
	reached["clientConfig"] = map[string]any{
		"url": s.url() + "/" + strings.TrimPrefix(path, "/"), "caBundle": base64.StdEncoding.EncodeToString([]byte(s.Authority)),
	}
	return reached
}

// convert returns spec.conversion with the session's URL.
func (s session) convert(conversion map[string]any) map[string]any {
	webhook, _ := conversion["webhook"].(map[string]any)
	converted := maps.Clone(conversion)
	converted["webhook"] = s.reach(webhook)
	return converted
}

// converts reports that spec.conversion names the session's URL.
func (s session) converts(spec json.RawMessage) bool {
	var read struct {
		Conversion struct {
			Webhook struct {
				ClientConfig struct{ URL string } `json:"clientConfig"`
			}
		}
	}
	return json.Unmarshal(spec, &read) == nil && s.Advertise != "" && strings.HasPrefix(read.Conversion.Webhook.ClientConfig.URL, s.url()+"/")
}

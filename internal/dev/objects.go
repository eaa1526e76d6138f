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

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// The resources that a session creates or changes, as kubectl takes them.
const (
	mutatingResource   = "mutatingwebhookconfigurations.admissionregistration.k8s.io"
	validatingResource = "validatingwebhookconfigurations.admissionregistration.k8s.io"
	crdResource        = "customresourcedefinitions.apiextensions.k8s.io"
)

// admissionGroup is the API group of webhook configurations and policies.
const admissionGroup = "admissionregistration.k8s.io"

// object is a CRD, a webhook configuration, a policy or its binding: of the cluster, of a file or of a manifest. The
// spec stays as it was read: numbers in schemas may be larger than a float64 can say.
type object struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              json.RawMessage  `json:"spec,omitempty"`
	Webhooks          []map[string]any `json:"webhooks,omitempty"`
}

// reference names the object for kubectl.
func (o object) reference() string { return resourceOf(o.Kind) + "/" + o.Name }

func resourceOf(kind string) string {
	if kind == "CustomResourceDefinition" {
		return crdResource
	}
	resource, _ := meta.UnsafeGuessKindToResource(schema.GroupVersionKind{Group: admissionGroup, Kind: kind})
	return resource.GroupResource().String()
}

// policyKinds are the kinds of policies and of their bindings.
func policyKinds() []string {
	return []string{"ValidatingAdmissionPolicy", "MutatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "MutatingAdmissionPolicyBinding"}
}

// objects are what a session applies.
type objects struct {
	configurations []object              // of webhooks
	policies       []object              // and their bindings
	definitions    map[string]definition // by name
}

// definition is a CRD of the project.
type definition struct {
	// file is the definition in config/crd/bases, nil without a file.
	file *object
	// conversion is spec.conversion of the kind, nil if no webhook converts it.
	conversion map[string]any
}

// readObjects takes the configurations, the policies and the patches of CRDs from manifests, and the CRDs from
// config/crd/bases.
func readObjects(root string, manifests [][]byte) (objects, error) {
	found := objects{definitions: map[string]definition{}}
	files, _ := fs.Glob(os.DirFS(root), "config/crd/bases/*.yaml") //nolint:forbidigo // it reads folders; the pattern is a good one
	for _, file := range files {
		file = filepath.Join(root, file)
		text, err := regular.ReadFile(file, regular.Manifest)
		if err != nil {
			return objects{}, err
		}
		documents, err := readDocuments(text)
		if err != nil {
			return objects{}, fmt.Errorf("%s: %w", file, err)
		}
		for _, o := range documents {
			if o.Kind == "CustomResourceDefinition" && o.Name != "" && bytes.HasPrefix(o.Spec, []byte("{")) {
				found.definitions[o.Name] = definition{&o, conversionOf(o)}
			}
		}
	}
	for _, manifest := range manifests {
		documents, err := readDocuments(manifest)
		if err != nil {
			return objects{}, err
		}
		for _, o := range documents {
			switch o.Kind {
			case "CustomResourceDefinition":
				found.definitions[o.Name] = definition{found.definitions[o.Name].file, conversionOf(o)}
			case "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration":
				found.configurations = append(found.configurations, o)
			default:
				if slices.Contains(policyKinds(), o.Kind) {
					found.policies = append(found.policies, o)
				}
			}
		}
	}
	return found, nil
}

func readDocuments(text []byte) ([]object, error) {
	var documents []object
	for document := range bytes.SplitSeq(text, []byte("\n---\n")) {
		data, err := yaml.YAMLToJSON(document)
		if err != nil {
			return nil, err
		}
		var o object
		if err := json.Unmarshal(data, &o); err != nil {
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

// member returns a member below a JSON value; the zero value if it is missing or has another type.
func member[T any](value any, path ...string) T {
	for _, name := range path {
		o, _ := value.(map[string]any)
		value = o[name]
	}
	found, _ := value.(T)
	return found
}

// conversionOf returns spec.conversion of a CRD if it names a webhook.
func conversionOf(o object) map[string]any {
	spec, _ := readJSON(o.Spec) // without an object, the API server reports the mistake
	if member[string](spec, "conversion", "strategy") != "Webhook" {
		return nil
	}
	return member[map[string]any](spec, "conversion")
}

// webhookNames returns the names of the webhooks of configurations, by the path at which the program serves them.
func (o objects) webhookNames() map[string]string {
	names := map[string]string{}
	for _, c := range o.configurations {
		for _, w := range c.Webhooks {
			path, name := member[string](w, "clientConfig", "service", "path"), member[string](w, "name")
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

// name is the name that the session gives to one of its configurations, policies and bindings.
func (s session) name(name string) string { return "dev-" + name }

// own returns a configuration, a policy or a binding of the project as the session's: its webhooks are called at the
// session's URL, and its policy is the session's.
func (s session) own(given object) (object, error) {
	o := object{TypeMeta: given.TypeMeta, ObjectMeta: metav1.ObjectMeta{Name: s.name(given.Name)}, Spec: given.Spec}
	s.mark(&o.ObjectMeta)
	for _, w := range given.Webhooks {
		o.Webhooks = append(o.Webhooks, s.reach(w))
	}
	if !strings.HasSuffix(given.Kind, "PolicyBinding") {
		return o, nil
	}
	spec, err := readJSON(given.Spec)
	if err != nil {
		return object{}, err
	}
	spec["policyName"] = s.name(member[string](spec, "policyName"))
	o.Spec, err = json.Marshal(spec)
	return o, err
}

// reach returns a webhook of a configuration or of a conversion that is called at the session's URL. A webhook without
// a Service is somewhere else, and stays as it is.
func (s session) reach(webhook map[string]any) map[string]any {
	service := member[map[string]any](webhook, "clientConfig", "service")
	if service == nil {
		return webhook
	}
	reached := maps.Clone(webhook)
	reached["clientConfig"] = map[string]any{
		"url":      s.url() + "/" + strings.TrimPrefix(member[string](service, "path"), "/"),
		"caBundle": base64.StdEncoding.EncodeToString([]byte(s.Authority)),
	}
	return reached
}

// convert returns spec.conversion with the session's URL.
func (s session) convert(conversion map[string]any) map[string]any {
	converted := maps.Clone(conversion)
	converted["webhook"] = s.reach(member[map[string]any](conversion, "webhook"))
	return converted
}

// withoutConversion returns a spec. If it is converted at the session's URL, it gets the conversion of a former spec
// back, or no conversion.
func (s session) withoutConversion(spec, former json.RawMessage) json.RawMessage {
	now, err := readJSON(spec)
	url := member[string](now, "conversion", "webhook", "clientConfig", "url")
	if err != nil || s.Advertise == "" || !strings.HasPrefix(url, s.url()+"/") {
		return spec
	}
	now["conversion"] = map[string]any{"strategy": "None"}
	if was, err := readJSON(former); err == nil && was["conversion"] != nil {
		now["conversion"] = was["conversion"]
	}
	text, _ := json.Marshal(now) // decoded JSON always marshals
	return text
}

package upgrade

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// Read adds what a manifest says to the state: webhook configurations and CustomResourceDefinitions, one by one or in a List, as
// kubectl get -o yaml and -o json print them. Other objects are passed over.
func (s *State) Read(path string, text []byte) error {
	for documents := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var document yaml.Node
		err := documents.Decode(&document)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = s.object(manifest{path, text}, document.Content[0])
		}
		if err != nil {
			return fmt.Errorf("%s: %s", path, strings.TrimPrefix(err.Error(), "yaml: "))
		}
	}
}

// manifest is a file that is read.
type manifest struct {
	path string
	text []byte
}

// meta is what tells objects apart.
type meta struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name        string            `json:"name"`
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
}

func (s *State) object(m manifest, node *yaml.Node) error {
	var o meta
	if node.Kind != yaml.MappingNode {
		return nil
	}
	if kind := child(node, "kind"); kind != nil && strings.HasSuffix(kind.Value, "List") {
		if items := child(node, "items"); items != nil {
			for _, item := range items.Content {
				if err := s.object(m, item); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if err := convertTo(node, &o); err != nil {
		return err
	}
	group, api, _ := strings.Cut(o.APIVersion, "/")
	switch {
	case group == "admissionregistration.k8s.io" && (o.Kind == "MutatingWebhookConfiguration" || o.Kind == "ValidatingWebhookConfiguration"):
		return s.webhooksOf(m, node, o, api)
	case group == "apiextensions.k8s.io" && o.Kind == "CustomResourceDefinition":
		return s.crd(m, node, o)
	}
	return nil
}

func (s *State) webhooksOf(m manifest, node *yaml.Node, o meta, api string) error {
	var read struct { // a validating webhook has no field that a mutating one has not
		Webhooks []admissionregistrationv1.MutatingWebhook `json:"webhooks"`
	}
	if err := convertTo(node, &read); err != nil {
		return err
	}
	c := &model.Configuration{Range: m.at(node), Mutating: o.Kind == "MutatingWebhookConfiguration", Name: o.Metadata.Name, Annotations: o.Metadata.Annotations, At: model.Places{}}
	if annotations := child(child(node, "metadata"), "annotations"); annotations != nil {
		c.At["annotations"] = m.at(annotations)
	}
	for i, spec := range read.Webhooks {
		entry := child(node, "webhooks").Content[i]
		w := &model.Webhook{Range: m.at(entry), Mutating: c.Mutating, Configuration: c.Name, Spec: spec, At: model.Places{}}
		m.places(w.At, "", entry)
		c.Webhooks = append(c.Webhooks, w)
	}
	s.add(c, api)
	return nil
}

// places notes where the fields below a node stand.
func (m manifest) places(into model.Places, path string, node *yaml.Node) {
	switch node.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			field := strings.TrimPrefix(path+"."+node.Content[i].Value, ".")
			into[field] = m.at(node.Content[i])
			m.places(into, field, node.Content[i+1])
		}
	case yaml.SequenceNode:
		for i, element := range node.Content {
			field := fmt.Sprintf("%s[%d]", path, i)
			into[field] = m.at(element)
			m.places(into, field, element)
		}
	}
}

func (s *State) crd(m manifest, node *yaml.Node, o meta) error {
	var read struct {
		Spec struct {
			Group string `json:"group"`
			Scope string `json:"scope"`
			Names struct {
				Plural string `json:"plural"`
			} `json:"names"`
			Versions []struct {
				Name    string `json:"name"`
				Served  bool   `json:"served"`
				Storage bool   `json:"storage"`
			} `json:"versions"`
			Conversion *struct {
				Strategy string `json:"strategy"`
				Webhook  *struct {
					ClientConfig             admissionregistrationv1.WebhookClientConfig `json:"clientConfig"`
					ConversionReviewVersions []string                                    `json:"conversionReviewVersions"`
				} `json:"webhook"`
			} `json:"conversion"`
		} `json:"spec"`
		Status struct {
			StoredVersions []string `json:"storedVersions"`
		} `json:"status"`
	}
	if err := convertTo(node, &read); err != nil {
		return err
	}
	spec := read.Spec
	d := &Definition{Range: m.at(node), Name: o.Metadata.Name, Group: spec.Group, Plural: spec.Names.Plural, Scope: spec.Scope, Stored: read.Status.StoredVersions}
	versions := child(child(node, "spec"), "versions")
	for i, v := range spec.Versions {
		at := versions.Content[i]
		if name := child(at, "name"); name != nil {
			at = name
		}
		d.Versions = append(d.Versions, Version{m.at(at), v.Name, v.Served, v.Storage})
	}
	if c := spec.Conversion; c != nil && c.Strategy == "Webhook" && c.Webhook != nil {
		d.Conversion = &Conversion{Range: m.at(child(child(node, "spec"), "conversion")), Client: c.Webhook.ClientConfig, ReviewVersions: c.Webhook.ConversionReviewVersions}
	}
	s.Definitions = append(s.Definitions, d)
	return nil
}

// child is the value of a mapping's key; nil where there is none.
func child(mapping *yaml.Node, key string) *yaml.Node {
	if mapping == nil || mapping.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// convertTo decodes a node by the JSON names of a type's fields.
func convertTo(node *yaml.Node, into any) error {
	var generic any
	if err := node.Decode(&generic); err != nil {
		return err
	}
	text, err := json.Marshal(generic)
	if err != nil {
		return err
	}
	err = json.Unmarshal(text, into)
	if bad, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("line %d: %s cannot be a %s", node.Line, bad.Field, bad.Value)
	}
	return err
}

// at is the place of a node: of a word in a line, or of the line's rest.
func (m manifest) at(node *yaml.Node) diag.Range {
	r := diag.Range{Pos: diag.Position{File: m.path, Line: node.Line, Column: node.Column}}
	if node.Kind == yaml.ScalarNode {
		r.End = diag.Position{File: m.path, Line: node.Line, Column: node.Column + len(node.Value)}
	}
	return r
}

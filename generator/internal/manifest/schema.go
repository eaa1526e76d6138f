// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/yamltext"
)

// Schema is what a definition says of the objects of a version. It is read when it is asked for: most who read a
// definition are not interested, and it is most of it.
type Schema struct {
	text text
	node *yaml.Node
	// declared is the position of each field in Go; nil for a schema in a file.
	declared func(path string) diag.Range
}

// Declared returns the schema of a Go type, from its JSON. Fields have their positions in Go.
func Declared(schema []byte, at func(path string) diag.Range) (*Schema, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(schema, &document); err != nil {
		return nil, err
	}
	return &Schema{node: document.Content[0], declared: at}, nil
}

// JSON returns the schema as the definition has it.
func (s *Schema) JSON() (json.RawMessage, error) { return toJSON(s.node) }

// Property is a field of objects as a schema has it.
type Property struct {
	diag.Range
	// Path is the field's path, with [] for any element of a list or map: "spec.ports[].name". The object's path is
	// empty.
	Path string
	// Type is "object", "array", "string", "integer", "number", "boolean" or "int-or-string";
	// empty if the schema sets no type.
	Type string
	// Open is true if fields outside the schema are kept: x-kubernetes-preserve-unknown-fields.
	Open bool
	// Default is the value that the API server fills in, as JSON; empty without a default.
	Default string

	node  *yaml.Node
	whole bool
}

// Keywords returns what the schema sets for the field itself, as encoding/json decodes it, with numbers as json.Number:
// no schemas of the fields and elements in it. For whole objects, "metadata" is the schema of their metadata.
func (p Property) Keywords() map[string]any {
	own := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for name, value := range yamltext.Entries(p.node) {
		if !slices.Contains([]string{"properties", "items", "additionalProperties", "description"}, name.Value) {
			own.Content = append(own.Content, name, value)
		}
	}
	if metadata := entry(entry(p.node, "properties"), "metadata"); p.whole && metadata != nil {
		own.Content = append(own.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: "metadata"}, metadata)
	}
	text, err := toJSON(own)
	if err != nil {
		return nil // a value that JSON does not have is an API server's to refuse
	}
	var keywords map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if decoder.Decode(&keywords) != nil {
		return nil
	}
	return keywords
}

// Properties returns the object and its fields, each before the fields in it. It leaves out the fields that the API
// server itself defines for every object: apiVersion, kind and metadata, of embedded ones too.
func (s *Schema) Properties() []Property {
	w := walk{text: s.text, at: s.declared, inside: map[*yaml.Node]bool{}}
	w.add("", s.node, s.node, true)
	return w.found
}

// Rules returns the rules (x-kubernetes-validations) of the object and its fields. Rules of elements of lists and maps
// are left out.
func (s *Schema) Rules() []model.DefinitionRule {
	w := walk{text: s.text, inside: map[*yaml.Node]bool{}}
	return w.rules(nil, s.node)
}

func (w *walk) rules(path []string, node *yaml.Node) (all []model.DefinitionRule) {
	if node.Kind != yaml.MappingNode || w.inside[node] {
		return nil
	}
	w.inside[node] = true
	defer delete(w.inside, node)
	for _, rule := range elements(entry(node, "x-kubernetes-validations")) {
		if expression := entry(yamltext.Resolve(rule), "rule"); expression != nil {
			all = append(all, model.DefinitionRule{Path: path, Expression: expression.Value, At: w.text.Range(expression)})
		}
	}
	for name, field := range yamltext.Entries(entry(node, "properties")) {
		all = append(all, w.rules(append(slices.Clip(path), name.Value), yamltext.Resolve(field))...)
	}
	return all
}

// RuleAt returns the position of a rule of the schema at a path: names of properties, * for the elements of a list or
// map. It is not valid if there is no such rule.
func (s *Schema) RuleAt(path []string, index int) (at diag.Range) {
	node := s.node
	for _, step := range path {
		switch {
		case node == nil:
			return at
		case step != "*":
			node = entry(entry(node, "properties"), step)
		case entry(node, "items") != nil:
			node = entry(node, "items")
		default:
			node = entry(node, "additionalProperties")
		}
		if node != nil {
			node = yamltext.Resolve(node)
		}
	}
	if rules := elements(entry(node, "x-kubernetes-validations")); index < len(rules) {
		if rule := entry(yamltext.Resolve(rules[index]), "rule"); rule != nil {
			return s.text.Range(rule)
		}
	}
	return at
}

// AddRules adds to policies the rules in the definitions of the kinds that they match. Rules that a policy has already,
// from the markers of its type, are left out.
func AddRules(policies []*model.Policy, definitions []*Definition) {
	for _, p := range policies {
		for _, d := range definitions {
			for _, v := range d.Versions {
				if v.Schema == nil || !d.MatchedBy(p.Spec.MatchConstraints, v.Name) {
					continue
				}
				for _, r := range v.Schema.Rules() {
					if !slices.ContainsFunc(p.DefinitionRules, func(known model.DefinitionRule) bool {
						return known.Expression == r.Expression && slices.Equal(known.Path, r.Path)
					}) {
						p.DefinitionRules = append(p.DefinitionRules, r)
					}
				}
			}
		}
	}
}

// walk goes through a schema.
type walk struct {
	text   text
	at     func(path string) diag.Range
	inside map[*yaml.Node]bool // the nodes around the current one, because an alias may lead back to them
	found  []Property
}

// add adds a field and the fields in it. The position of a field is the position of its name.
func (w *walk) add(path string, name, node *yaml.Node, whole bool) {
	if node.Kind != yaml.MappingNode || w.inside[node] {
		return
	}
	w.inside[node] = true
	defer delete(w.inside, node)
	is := func(key string) bool { return value(node, key) == "true" }
	values := entry(node, "additionalProperties")
	p := Property{Path: path, Type: value(node, "type")}
	if w.at != nil {
		p.Range = w.at(path)
	} else {
		p.Range = w.text.Range(name)
	}
	if preset := entry(node, "default"); preset != nil {
		text, _ := toJSON(preset) // a value that JSON does not have is an API server's to refuse
		p.Default = string(text)
	}
	p.Open = is("x-kubernetes-preserve-unknown-fields") || values != nil && values.Value == "true"
	if is("x-kubernetes-int-or-string") {
		p.Type = "int-or-string"
	}
	whole = whole || is("x-kubernetes-embedded-resource")
	p.node, p.whole = node, whole
	w.found = append(w.found, p)
	for name, field := range yamltext.Entries(entry(node, "properties")) {
		if !whole || name.Value != "apiVersion" && name.Value != "kind" && name.Value != "metadata" {
			w.add(strings.TrimPrefix(path+"."+name.Value, "."), name, yamltext.Resolve(field), false)
		}
	}
	for _, element := range []*yaml.Node{entry(node, "items"), values} {
		if element != nil {
			w.add(path+"[]", name, element, false)
		}
	}
}

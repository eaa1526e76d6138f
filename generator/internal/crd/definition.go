// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/yamltext"
)

// definition is one CustomResourceDefinition in a file, with the positions of the relevant parts.
type definition struct {
	path       string
	apiVersion yamltext.Entry
	name       string
	spec       yamltext.Entry
	// Entry is spec.conversion; its nodes are nil if the definition does not have it.
	yamltext.Entry
}

// parse finds the definitions in the documents of a file, in their order.
func parse(path string, text []byte) ([]*definition, error) {
	documents, err := yamltext.Documents(text)
	var found []*definition
	for _, root := range documents {
		if yamltext.Text(root, "kind") == "CustomResourceDefinition" {
			found = append(found, &definition{
				path: path, apiVersion: yamltext.Lookup(root, "apiVersion"), name: yamltext.Text(root, "metadata", "name"),
				spec: yamltext.Lookup(root, "spec"), Entry: yamltext.Lookup(root, "spec", "conversion"),
			})
		}
	}
	return found, err
}

// Defines reports whether a file contains the definition with a name, and the definition has these versions. The file
// is parsed only if it contains the name.
func Defines(text []byte, name string, versions []string) bool {
	if !bytes.Contains(text, []byte(name)) {
		return false
	}
	found, err := parse("", text)
	return err == nil && slices.ContainsFunc(found, func(d *definition) bool {
		return d.name == name && !slices.ContainsFunc(versions, func(v string) bool { return !d.has(v) })
	})
}

// versions returns the definition's versions.
func (d *definition) versions() []*yaml.Node {
	if list := yamltext.Lookup(d.spec.Value, "versions").Value; list != nil {
		return list.Content
	}
	return nil
}

// has reports whether the definition has a version with a schema.
func (d *definition) has(version string) bool {
	return slices.ContainsFunc(d.versions(), func(v *yaml.Node) bool {
		return yamltext.Text(v, "name") == version && yamltext.Lookup(v, "schema", "openAPIV3Schema").Value != nil
	})
}

// check reports why the definition cannot have the conversion.
func (d *definition) check(c Conversion) diag.List {
	if v := d.apiVersion.Value; v == nil || v.Value != "apiextensions.k8s.io/v1" {
		return diag.List{diag.Errorf(d.at(d.apiVersion.Value), RuleText, "the definition of %s is not of apiextensions.k8s.io/v1", d.name).
			WithHint("have controller-gen write v1; API servers from Kubernetes 1.22 on serve nothing else").WithRelated(c.Range, "this marker sets its conversion")}
	}
	if s := d.spec.Value; s == nil || s.Kind != yaml.MappingNode || s.Style&yaml.FlowStyle != 0 || len(s.Content) == 0 {
		return diag.List{diag.Errorf(d.at(d.spec.Key), RuleText, "spec of %s is not written as indented lines", d.name).
			WithHint("write it as controller-gen does, each key on a line of its own").WithRelated(c.Range, "this marker sets its conversion")}
	}
	return d.checkVersions(c)
}

// checkVersions compares the definition's versions with the versions of the conversion. An API server requests
// conversion to every version that it serves.
func (d *definition) checkVersions(c Conversion) diag.List {
	var problems diag.List
	var defined []string
	for _, v := range d.versions() {
		name := yamltext.Lookup(v, "name").Value
		if name == nil {
			continue
		}
		defined = append(defined, name.Value)
		if yamltext.Text(v, "served") == "true" && !slices.Contains(c.Versions, name.Value) {
			problems.Add(diag.Errorf(d.at(name), RuleVersions, "%s serves version %s, which is neither the hub nor a spoke", d.name, name.Value).
				WithHint("mark its type +webhook:conversion:spoke, or no longer serve it").WithRelated(c.Range, "this marker sets the conversion"))
		}
	}
	for _, v := range c.Versions {
		if !slices.Contains(defined, v) {
			problems.Add(diag.Errorf(d.at(yamltext.Lookup(d.spec.Value, "versions").Key, d.spec.Key), RuleVersions, "%s has no version %s, and %s is converted", d.name, v, v).
				WithHint("run controller-gen crd before webhook-gen").WithRelated(c.Range, "this marker sets the conversion"))
		}
	}
	return problems
}

// at returns the position of the first non-nil node, or the file.
func (d *definition) at(nodes ...*yaml.Node) diag.Range {
	for _, n := range nodes {
		if n != nil {
			first, _, _ := strings.Cut(n.Value, "\n")
			at := diag.Range{Pos: diag.Position{File: d.path, Line: n.Line, Column: n.Column}}
			if first != "" {
				at.End = diag.Position{File: d.path, Line: n.Line, Column: n.Column + len(first)}
			}
			return at
		}
	}
	return diag.InFile(d.path)
}

// SPDX-License-Identifier: Apache-2.0

// Package project reads webhook-gen's description of a project: the configurations of its markers, with the position of
// each, and its kinds. docs/guides/explain.md of webhook-gen describes the form.
package project

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Version is the version of the form. Read refuses any other version: webhook-gen and this command may be of different
// releases.
const Version = 1

// Project is one module's webhooks.
type Project struct {
	Version        int             `json:"version"`
	Configurations []Configuration `json:"configurations"`
	Kinds          []Kind          `json:"kinds"`
	// Definitions are files of CustomResourceDefinitions.
	Definitions []string `json:"definitions"`
	Policies    []Policy `json:"policies"`
	// Types are the schemas of the kinds that policies and webhooks with matchConditions match, and of params.
	Types []Type `json:"types"`
	// MinKubernetesVersion is the oldest API server that the project supports. It is empty for files of no project.
	MinKubernetesVersion string `json:"minKubernetesVersion"`
	// Request has the flags and arguments of the command.
	Request json.RawMessage `json:"request"`
}

// Policy is an admission policy with its bindings.
type Policy struct {
	// Object is a ValidatingAdmissionPolicy or a MutatingAdmissionPolicy.
	Object   unstructured.Unstructured   `json:"object"`
	Bindings []unstructured.Unstructured `json:"bindings"`
	// At is the marker.
	At Position `json:"at"`
	// Kinds are the kinds of the objects that it matches, as far as their Go types are known.
	Kinds []GroupVersionKind `json:"kinds"`
	// Since is the oldest API server that has it; empty if all supported ones have it.
	Since string `json:"since"`
}

// GroupVersionKind names a kind of objects.
type GroupVersionKind = metav1.GroupVersionKind

// Type is the Go type of a kind.
type Type struct {
	GroupVersionKind
	// GoType is the type with its import path; empty for a type of a CustomResourceDefinition.
	GoType string `json:"goType"`
	// Schema is as in a CustomResourceDefinition.
	Schema apiextensionsv1.JSONSchemaProps `json:"schema"`
}

// Configuration is one object of the manifest, with the positions of its webhooks in the source.
type Configuration struct {
	Object   unstructured.Unstructured `json:"object"`
	Webhooks []Webhook                 `json:"webhooks"`
}

// Webhook is the source of a webhook of a configuration.
type Webhook struct {
	// At is the marker.
	At Position `json:"at"`
	// Kinds are the kinds of the objects that it matches, as far as their Go types are known.
	Kinds []GroupVersionKind `json:"kinds"`
}

// Position is a position in a source file. Columns count bytes from 1.
type Position struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// Kind is an API type that the project has webhooks or conversions for.
type Kind struct {
	GroupVersionKind
	Plural string `json:"plural"`
	// Scope is Cluster, Namespaced, or empty if the source does not set it.
	Scope string `json:"scope"`
	// Converted reports that a webhook converts between its versions.
	Converted bool `json:"converted"`
}

// Read reads a project and its request, if there is one. The request has no other members than the fields of into.
func Read(r io.Reader, into any) (*Project, error) {
	p := &Project{}
	if err := json.NewDecoder(r).Decode(p); err != nil {
		return nil, fmt.Errorf("the description of the project: %w", err)
	}
	if p.Version != Version {
		return nil, fmt.Errorf("webhook-gen speaks version %d of the form in which it describes projects, and this command version %d: use both of one release",
			p.Version, Version)
	}
	if len(p.Request) == 0 {
		return p, nil
	}
	d := json.NewDecoder(bytes.NewReader(p.Request))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return nil, fmt.Errorf("the description of the request: %w", err)
	}
	return p, nil
}

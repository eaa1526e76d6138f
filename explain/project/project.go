// SPDX-License-Identifier: Apache-2.0

// Package project describes a module's webhooks and policies: the configurations of its markers, with the position of
// each, and its kinds.
package project

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Project is one module's webhooks and policies.
type Project struct {
	Configurations []Configuration
	Kinds          []Kind
	// Definitions are the absolute paths of files with CustomResourceDefinitions.
	Definitions []string
	Policies    []Policy
	// Types are the kinds that policies and webhooks with match conditions match, and the kinds of parameters, with their
	// schemas. A kind whose Go type could not be found is left out.
	Types []Type
	// MinKubernetesVersion is the oldest API server that the project supports, such as 1.34: as webhook-gen.yaml sets, or
	// the first that serves the project's policies. Without policies it is 1.30, the first that serves matchConditions as
	// a stable field. It is empty for files of no project.
	MinKubernetesVersion string
}

// Policy is an admission policy with its bindings.
type Policy struct {
	// Object is a ValidatingAdmissionPolicy or a MutatingAdmissionPolicy, and Bindings are its bindings, of
	// admissionregistration.k8s.io/v1.
	Object   unstructured.Unstructured   `json:"object"`
	Bindings []unstructured.Unstructured `json:"bindings"`
	// At is the position of the marker.
	At Position `json:"at"`
	// Kinds are the matched kinds whose schemas are known.
	Kinds []GroupVersionKind `json:"kinds"`
	// Refused is the reason why an API server refuses the policy, which it therefore does not have; empty if it has it.
	Refused string `json:"-"`
	// Since is the oldest API server that has the policy, such as 1.36. It is empty if all supported ones have it.
	Since string `json:"since,omitempty"`
}

// GroupVersionKind names a kind.
type GroupVersionKind = metav1.GroupVersionKind

// Type is a kind with the schema of its Go type, or of a CustomResourceDefinition in a file.
type Type struct {
	GroupVersionKind
	// GoType is the Go type with its import path. It is empty for a type of a CustomResourceDefinition.
	GoType string `json:"goType,omitempty"`
	// Scope is Cluster, Namespaced, or empty if the source does not set it.
	Scope string `json:"scope,omitempty"`
	// Schema is as openAPIV3Schema in a CustomResourceDefinition.
	Schema apiextensionsv1.JSONSchemaProps `json:"schema"`
}

// Configuration is one object of the manifest, with its webhooks in the source.
type Configuration struct {
	Object   unstructured.Unstructured
	Webhooks []Webhook
}

// Webhook is the source of a webhook of a configuration.
type Webhook struct {
	// At is the position of the marker.
	At Position
	// Kinds are the matched kinds whose schemas are known, if the webhook has match conditions.
	Kinds []GroupVersionKind
}

// Position is a position in a source file: absolute path, line and column, which count from 1.
type Position struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// Kind is an API type for which the project has webhooks, policies or conversions.
type Kind struct {
	GroupVersionKind
	Plural string
	// Scope is Cluster, Namespaced, or empty if the source does not set it.
	Scope string
	// Converted is true if a webhook converts between the kind's versions.
	Converted bool
}

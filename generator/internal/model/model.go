// SPDX-License-Identifier: Apache-2.0

// Package model is what the generator knows of a project once its markers are read: plain
// data with positions. The packages build, kubebuilder and manifest make it; check, convert, render, lint and upgrade read it.
package model

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// Project is one module's webhooks.
type Project struct {
	// Module is the module that is generated for.
	Module Module
	// API is the version of admissionregistration.k8s.io to write: "v1" or "v1beta1".
	API string
	// Configurations are the objects of the manifest, in the order they are written:
	// mutating before validating, then by name. Each has at least one webhook.
	Configurations []*Configuration
	// Conversions are the spokes, in the order in which they are written.
	Conversions []*Conversion
	// ConversionRules are what markers say of fields in conversions.
	ConversionRules []ConversionRule
}

// Module is a Go module; zero where there is none.
type Module struct {
	// Path is the module path that go.mod declares.
	Path string
	// Dir is the absolute folder of go.mod.
	Dir string
}

// Webhooks lists the webhooks of all configurations.
func (p *Project) Webhooks() []*Webhook {
	var all []*Webhook
	for _, c := range p.Configurations {
		all = append(all, c.Webhooks...)
	}
	return all
}

// Configuration is a MutatingWebhookConfiguration or a ValidatingWebhookConfiguration.
type Configuration struct {
	// Range is the marker that declares the object; invalid when none does.
	diag.Range
	Mutating    bool
	Name        string
	Labels      map[string]string
	Annotations map[string]string
	// Webhooks are in the order in which they are written, which for mutating webhooks is the
	// order in which the API server calls them.
	Webhooks []*Webhook
	// At holds where "name", "labels" and "annotations" are said.
	At Places
}

// Kind is the API type that a webhook is for.
type Kind struct {
	Group, Version, Kind string
	// Plural is the resource's name.
	Plural string
	// Scope is "Cluster", "Namespaced", or empty where the source does not say.
	Scope string
}

// Webhook is one entry of a configuration.
type Webhook struct {
	// Range is the marker.
	diag.Range
	Mutating bool
	// Kubebuilder says that a +kubebuilder marker declares it: mistakes that controller-gen
	// lets through are then warnings, and no handler is generated.
	Kubebuilder bool
	// Package is the import path of the package whose marker declares it.
	Package string
	// Kind is nil where the marker gives its rules itself.
	Kind *Kind
	// Handler is the Go code that serves it; nil where the manifest entry is all there is.
	Handler *Handler
	// Configuration is the name of the object that the webhook belongs to.
	Configuration string
	// Order sorts webhooks within their configuration, before their names do.
	Order int
	// Spec is the entry; of a validating webhook ReinvocationPolicy is nil. It is v1's type for
	// v1beta1 too: the two have the same fields.
	Spec admissionregistrationv1.MutatingWebhook
	// KeptOut says that the last expression of its namespaceSelector keeps the namespaces out that its own
	// server needs.
	KeptOut bool
	// At holds which argument said what, by field path in Spec.
	At Places
	// Allowed are the rules of lint that the webhook may break.
	Allowed []*Allowance
	// Expressions hold, of the expressions that a +webhook:matchCondition says as they are, where each piece
	// of them stands, by field path in Spec.
	Expressions map[string]func(from, to int) diag.Range
}

// Path is the URL path that the webhook's service serves it at; empty for a webhook reached by URL.
func (w *Webhook) Path() string {
	if s := w.Spec.ClientConfig.Service; s != nil && s.Path != nil {
		return *s.Path
	}
	return ""
}

// Where is the place of a field ("rules[0].operations[1]"), or of the nearest field around it
// that the source says, or the marker itself.
func (w *Webhook) Where(field string) diag.Range {
	return w.At.Nearest(field, w.Range)
}

// Where is the place of "name", "labels" or "annotations", or the marker.
func (c *Configuration) Where(field string) diag.Range {
	return c.At.Nearest(field, c.Range)
}

// SPDX-License-Identifier: Apache-2.0

// Package model is what the generator knows of a project once its markers are read: plain data with positions. The
// packages build, kubebuilder and manifest make it; check, convert, render, lint and upgrade read it.
package model

import (
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// Project is one module's webhooks, policies and conversions.
type Project struct {
	// Module is the module that is generated for.
	Module Module
	// API is the version of admissionregistration.k8s.io to write: "v1" or "v1beta1".
	API string
	// Configurations are the objects of the manifest, in the order they are written:
	// mutating before validating, then by name. Each has at least one webhook.
	Configurations []*Configuration
	// Policies are in the order in which they are written: mutating before validating, then by name.
	Policies []*Policy
	// MinKubernetes is the oldest API server that the project supports, such as 1.34, if webhook-gen.yaml sets it.
	MinKubernetes diag.Sourced[string]
	// Conversions are the spokes, in the order in which they are written.
	Conversions []*Conversion
	// ConversionRules are the markers' settings for fields in conversions.
	ConversionRules []ConversionRule
	// Incomplete is true if a marker could not be read, or a spoke has no hub. A rule that no conversion reaches may then
	// belong to what the project lacks.
	Incomplete bool
}

// Module is a Go module; zero without a module.
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
	// Source has the position of the marker that declares the object, which is invalid without a marker, and of "name",
	// "labels" and "annotations".
	Source
	Mutating    bool
	Name        string
	Labels      map[string]string
	Annotations map[string]string
	// Webhooks are in the order in which they are written, which for mutating webhooks is the
	// order in which the API server calls them.
	Webhooks []*Webhook
}

// Kind is the API type that a webhook is for.
type Kind struct {
	Group, Version, Kind string
	// Plural is the resource's name.
	Plural string
	// Scope is "Cluster", "Namespaced", or empty if the source does not set it.
	Scope string
	// Subresources are the subresources that markers on the type declare. They are nil if the type has no marker of
	// controller-gen, whose definition would have them.
	Subresources []string
}

// Is reports whether two kinds are the same in group, version and name.
func (k Kind) Is(o Kind) bool {
	return k.Group == o.Group && k.Version == o.Version && k.Kind == o.Kind
}

// APIVersion is the group and version as objects have them.
func (k Kind) APIVersion() string { return strings.TrimPrefix(k.Group+"/"+k.Version, "/") }

// Webhook is one entry of a configuration.
type Webhook struct {
	// Source has the positions of the marker and of the fields in Spec.
	Source
	Mutating bool
	// Kubebuilder says that a +kubebuilder marker declares it: mistakes that controller-gen
	// lets through are then warnings, and no handler is generated.
	Kubebuilder bool
	// Package is the import path of the package whose marker declares it.
	Package string
	// Kind is nil where the marker gives its rules itself.
	Kind *Kind
	// Kinds are the kinds that it matches, as far as their Go types are known. Without match conditions, it is the kind
	// of the marker alone.
	Kinds []TypedKind
	// Handler is the Go code that serves it; nil where the manifest entry is all there is.
	Handler *Handler
	// Policy is the policy that replaces it on newer clusters; nil without one.
	Policy *Policy
	// Configuration is the name of the object that the webhook belongs to.
	Configuration string
	// Order sorts webhooks within their configuration, before their names do.
	Order int
	// Spec is the entry; of a validating webhook ReinvocationPolicy is nil. It is v1's type for
	// v1beta1 too: the two have the same fields.
	Spec admissionregistrationv1.MutatingWebhook
	// Deleting is the argument of that name: check, skip or unchangedSpec.
	Deleting diag.Sourced[string]
	// Ratchet is the argument of that name.
	Ratchet diag.Sourced[bool]
	// Enforcement is the argument of that name: deny, warn or audit.
	Enforcement diag.Sourced[string]
	// KeptOut says that the last expression of its namespaceSelector keeps the namespaces out that its own
	// server needs.
	KeptOut bool
	// Allowed are the rules of lint that the webhook may break.
	Allowed []*Allowance
}

// Path is the URL path that the webhook's service serves it at; empty for a webhook reached by URL.
func (w *Webhook) Path() string {
	if s := w.Spec.ClientConfig.Service; s != nil && s.Path != nil {
		return *s.Path
	}
	return ""
}

// Positions maps the fields of a webhook to their positions in the source, by path: "clientConfig.service.path",
// "rules[0].scope".
type Positions map[string]diag.Range

// Nearest is the position of a field, or else of the nearest field around it, or else around.
func (p Positions) Nearest(field string, around diag.Range) diag.Range {
	for field != "" {
		if at, ok := p[field]; ok {
			return at
		}
		field = field[:max(0, strings.LastIndexAny(field, ".["))]
	}
	return around
}

// Set records the position of a field, if it has one.
func (p Positions) Set(field string, at diag.Range) {
	if at.IsValid() {
		p[field] = at
	}
}

// SetList records the positions of a list and of its elements.
func (p Positions) SetList(field string, list diag.Sourced[[]string]) {
	p.Set(field, list.At)
	for i, at := range list.Each {
		p.Set(fmt.Sprintf("%s[%d]", field, i), at)
	}
}

// CanShare reports whether one handler, at one path, can answer two webhooks: both are mutating or both validating, and
// where the path is made of a kind, both are for that kind. A project may well ask for failurePolicy Fail on CREATE and
// for Ignore on DELETE, or for a resource and its subresource, and serve both by the same code.
func (w *Webhook) CanShare(other *Webhook) bool {
	if w.Mutating != other.Mutating {
		return false
	}
	return !w.isPathOfKind() && !other.isPathOfKind() || slices.ContainsFunc(w.Resources(), func(r string) bool {
		return slices.Contains(other.Resources(), r)
	})
}

// isPathOfKind reports whether a webhook's path is made of the group, the version and a kind of its rules, as by
// generateValidatePath and generateMutatePath of controller-runtime's pkg/builder.
func (w *Webhook) isPathOfKind() bool {
	prefix := "/validate-"
	if w.Mutating {
		prefix = "/mutate-"
	}
	for _, rule := range w.Spec.Rules {
		for _, group := range rule.APIGroups {
			for _, version := range rule.APIVersions {
				kind, ok := strings.CutPrefix(w.ServedPath(), prefix+strings.ReplaceAll(group, ".", "-")+"-"+version+"-")
				if ok && kind != "" && !strings.ContainsAny(kind, "-/") {
					return true
				}
			}
		}
	}
	return false
}

// Resources are the resources of a webhook, sorted, subresources counted as what they belong to.
func (w *Webhook) Resources() (all []string) {
	for _, rule := range w.Spec.Rules {
		for _, r := range rule.Resources {
			name, _, _ := strings.Cut(r, "/")
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Allowance is a +webhook:allow: a rule of lint that webhooks may break, or one that expressions of policies may break.
type Allowance struct {
	// Range is the marker.
	diag.Range
	// Rule is the rule's id, and Reason why it may be broken.
	Rule, Reason string
	// RuleAt and ReasonAt are their positions.
	RuleAt, ReasonAt diag.Range
}

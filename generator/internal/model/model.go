// SPDX-License-Identifier: Apache-2.0

// Package model describes a project as plain data with positions. The packages build, kubebuilder and manifest create
// it; check, convert, render, lint and upgrade read it.
package model

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// Project holds a module's webhooks, policies and conversions.
type Project struct {
	// Module is the module for which the code is generated.
	Module Module
	// API is the version of admissionregistration.k8s.io in the manifest: "v1" or "v1beta1".
	API string
	// Configurations are the webhook configurations in manifest order: mutating before validating, then by name. Each
	// has at least one webhook.
	Configurations []*Configuration
	// Policies are in manifest order: mutating before validating, then by name.
	Policies []*Policy
	// MinKubernetes is the oldest API server that the project supports, such as 1.34, if webhook-gen.yaml sets it.
	MinKubernetes diag.Sourced[string]
	// Conversions are the spokes in the order of the generated code.
	Conversions []*Conversion
	// ConversionRules are the markers' rules for fields in conversions.
	ConversionRules []ConversionRule
	// Incomplete is true if a marker is invalid or a spoke has no hub. Unused rules are then no error, because they
	// may belong to the missing part.
	Incomplete bool
}

// Module is a Go module, or zero outside of a module.
type Module struct {
	// Path is the module path in go.mod.
	Path string
	// Dir is the absolute folder of go.mod.
	Dir string
}

// Webhooks returns the webhooks of all configurations.
func (p *Project) Webhooks() []*Webhook {
	var all []*Webhook
	for _, c := range p.Configurations {
		all = append(all, c.Webhooks...)
	}
	return all
}

// ByManifest returns the project once for each of its manifests, with the configurations and policies of that manifest.
// The project's own manifest comes first.
func (p *Project) ByManifest() (parts []*Project, manifests []string) {
	manifests = []string{""}
	for _, c := range p.Configurations {
		manifests = append(manifests, c.Manifest)
	}
	for _, policy := range p.Policies {
		manifests = append(manifests, policy.Manifest)
	}
	slices.Sort(manifests)
	manifests = slices.Compact(manifests)
	for _, manifest := range manifests {
		part := *p
		part.Configurations = slices.DeleteFunc(slices.Clone(p.Configurations), func(c *Configuration) bool { return c.Manifest != manifest })
		part.Policies = slices.DeleteFunc(slices.Clone(p.Policies), func(policy *Policy) bool { return policy.Manifest != manifest })
		parts = append(parts, &part)
	}
	return parts, manifests
}

// Distinct returns the configurations for one cluster. Configurations of several manifests may have the same name,
// which kustomize or a chart then completes. Here, all but the first get the folder of their manifest as a suffix.
func (p *Project) Distinct() (all []*Configuration) {
	type object struct {
		mutating bool
		name     string
	}
	known := map[object]bool{}
	for _, c := range p.Configurations {
		if known[object{c.Mutating, c.Name}] {
			renamed := *c
			folder, _ := filepath.Rel(p.Module.Dir, filepath.Dir(c.Manifest)) // "" for another volume
			renamed.Name += "-" + strings.ToLower(strings.NewReplacer("/", "-", `\`, "-", "_", "-").Replace(folder))
			c = &renamed
		}
		known[object{c.Mutating, c.Name}] = true
		all = append(all, c)
	}
	return all
}

// Configuration is a MutatingWebhookConfiguration or a ValidatingWebhookConfiguration.
type Configuration struct {
	// Source has the positions of the marker and of "name", "labels" and "annotations". The marker's is invalid if no
	// marker declares the configuration.
	Source
	Mutating    bool
	Name        string
	Labels      map[string]string
	Annotations map[string]string
	// Webhooks are in manifest order. API servers call mutating webhooks in that order.
	Webhooks []*Webhook
	// Manifest is the absolute path of the manifest, or "" for that of the project.
	Manifest string
}

// Kind is the API type of a webhook.
type Kind struct {
	Group, Version, Kind string
	// Plural is the name of the resource.
	Plural string
	// Scope is "Cluster", "Namespaced", or "" if the source does not set it.
	Scope string
	// Subresources are the subresources in the type's markers. It is nil if the type has no markers of
	// controller-gen, which would add them to the CRD.
	Subresources []string
}

// Is reports whether two kinds have the same group, version and name.
func (k Kind) Is(o Kind) bool {
	return k.Group == o.Group && k.Version == o.Version && k.Kind == o.Kind
}

// APIVersion returns the apiVersion of objects.
func (k Kind) APIVersion() string { return strings.TrimPrefix(k.Group+"/"+k.Version, "/") }

// Webhook is an entry of a configuration.
type Webhook struct {
	// Source has the positions of the marker and of the fields in Spec.
	Source
	Mutating bool
	// Kubebuilder is true for a +kubebuilder marker. Errors that controller-gen ignores are then warnings, and no
	// handler is generated.
	Kubebuilder bool
	// Package is the import path of the package with the marker.
	Package string
	// Kind is the kind of the rules, or nil if the marker sets the rules.
	Kind *Kind
	// Kinds are the matched kinds, if their Go types are known. Without match conditions, it contains only the
	// marker's kind.
	Kinds []TypedKind
	// Handler is the Go code that serves the webhook, or nil for a webhook without generated code.
	Handler *Handler
	// Policy is the policy that replaces the webhook on newer clusters, or nil.
	Policy *Policy
	// Configuration is the name of the webhook's configuration.
	Configuration string
	// Order sorts webhooks in their configuration. Webhooks with the same order are sorted by name.
	Order int
	// Spec is the entry in v1's type, which has the same fields in v1beta1. A validating webhook has no
	// ReinvocationPolicy.
	Spec admissionregistrationv1.MutatingWebhook
	Options
	// KeptOut is true if the last expression of the namespaceSelector excludes the namespaces that the webhook's
	// server needs.
	KeptOut bool
	// Scoped is true if OLM sets a namespaceSelector that the webhook does not show.
	Scoped bool
	// Allowed are the lint rules that the webhook may break.
	Allowed []*Allowance
}

// Identity returns the name that markers use for the webhook.
func (w *Webhook) Identity() (name string, mutating bool) { return w.Spec.Name, w.Mutating }

// Path returns the URL path on the webhook's service, or "" for a webhook with a URL.
func (w *Webhook) Path() string {
	if s := w.Spec.ClientConfig.Service; s != nil && s.Path != nil {
		return *s.Path
	}
	return ""
}

// Positions maps field paths of a webhook to positions in the source: "clientConfig.service.path", "rules[0].scope".
type Positions map[string]diag.Range

// Nearest returns the position of a field or of the nearest outer field, or else around.
func (p Positions) Nearest(field string, around diag.Range) diag.Range {
	for field != "" {
		if at, ok := p[field]; ok {
			return at
		}
		field = field[:max(0, strings.LastIndexAny(field, ".["))]
	}
	return around
}

// Set records a field's position if it is valid.
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

// CanShare reports whether one handler at one path can serve both webhooks. Both must be mutating or validating, and
// for the same kind if the path is derived from a kind. For example, they may have different failure policies for
// CREATE and DELETE, or match a resource and its subresource.
func (w *Webhook) CanShare(other *Webhook) bool {
	if w.Mutating != other.Mutating {
		return false
	}
	return !w.isPathOfKind() && !other.isPathOfKind() || slices.ContainsFunc(w.Resources(), func(r string) bool {
		return slices.Contains(other.Resources(), r)
	})
}

// isPathOfKind reports whether a webhook's path is derived from a group, version and kind in its rules, as in
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

// Resources returns a webhook's sorted resources, with the resource in place of its subresources.
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

// Allowance is a +webhook:allow: a lint rule that webhooks may break, or a rule that expressions of policies may
// break.
type Allowance struct {
	// Range is the position of the marker.
	diag.Range
	// Rule is the id of the rule. Reason is the user's reason for the allowance.
	Rule, Reason string
	// RuleAt and ReasonAt are the positions of the two.
	RuleAt, ReasonAt diag.Range
}

// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/webhook-gen/webhook-gen/generator/internal/check"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/render"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/schema"
)

// Description describes a project to other programs: the result of its markers, and their positions.
// webhook-gen-explain reads its JSON; docs/guides/explain.md describes it.
type Description struct {
	// Version is the version of this format.
	Version        int                        `json:"version"`
	Configurations []ConfigurationDescription `json:"configurations"`
	Kinds          []KindDescription          `json:"kinds"`
	// Definitions are the absolute paths of files with CustomResourceDefinitions.
	Definitions []string            `json:"definitions"`
	Policies    []PolicyDescription `json:"policies"`
	// Types are the kinds that policies and webhooks with match conditions match, and the kinds of parameters, with their
	// schemas. A kind whose Go type could not be found is left out.
	Types []TypeDescription `json:"types"`
	// MinKubernetesVersion is the oldest API server that the project supports, such as 1.34: as webhook-gen.yaml sets, or
	// the first that serves the project's policies. Without policies it is 1.30, the first that serves matchConditions as
	// a stable field.
	MinKubernetesVersion string `json:"minKubernetesVersion"`
}

// PolicyDescription is a policy with its bindings.
type PolicyDescription struct {
	// Object is the policy and Bindings are its bindings, of admissionregistration.k8s.io/v1.
	Object   any   `json:"object"`
	Bindings []any `json:"bindings"`
	// At is the position of the marker.
	At diag.Position `json:"at"`
	// Kinds are the matched kinds whose Go types are known.
	Kinds []GroupVersionKind `json:"kinds"`
	// Since is the oldest API server that has the policy, such as 1.36. It is empty if all supported ones have it.
	Since string `json:"since,omitempty"`
}

// GroupVersionKind names a kind.
type GroupVersionKind = metav1.GroupVersionKind

// TypeDescription is a kind with the schema of its Go type, or of a CustomResourceDefinition in a file.
type TypeDescription struct {
	GroupVersionKind
	// GoType is the Go type with its import path. It is empty for a type of a CustomResourceDefinition.
	GoType string `json:"goType,omitempty"`
	// Schema is as openAPIV3Schema in a CustomResourceDefinition: a *schema.Schema, or its JSON.
	Schema any `json:"schema"`
}

// ConfigurationDescription is one object of the manifest.
type ConfigurationDescription struct {
	// Object is the configuration.
	Object   any                  `json:"object"`
	Webhooks []WebhookDescription `json:"webhooks"`
}

// WebhookDescription has the position of a webhook.
type WebhookDescription struct {
	// At is the position of the marker.
	At diag.Position `json:"at"`
	// Kinds are the matched kinds whose Go types are known, if the webhook has match conditions.
	Kinds []GroupVersionKind `json:"kinds,omitempty"`
}

// KindDescription is an API type for which the project has webhooks, policies or conversions.
type KindDescription struct {
	GroupVersionKind
	Plural string `json:"plural"`
	// Scope is Cluster, Namespaced, or empty if the source does not set it.
	Scope string `json:"scope"`
	// Converted is true if a webhook converts between the kind's versions.
	Converted bool `json:"converted"`
}

// Describe reads the packages and describes the result of their markers. The description is empty if the diagnostics
// have errors. It has the schemas of the named kinds, even if no expression reads them.
func Describe(ctx context.Context, c engine.Config, named ...string) (Description, diag.List) {
	run := c.Resolve()
	state := run.Read(ctx, engine.Edits{})
	diags := append(state.Diagnostics, check.Project(state.Project)...)
	if run.Strict {
		diags = diags.Promote()
	}
	if diags.HasErrors() {
		return Description{}, diags.Sort()
	}
	delivery, _ := run.Deployment() // generate reports files that cannot be read
	d := describeProject(ctx, state.Module, state.Project, delivery, named...)
	d.Definitions = append(d.Definitions, load.Names(run.Root, run.DefinitionPatterns()...)...)
	return d, diags.Sort()
}

// describeProject describes a project. The schemas of Go types need the module that contains them.
func describeProject(ctx context.Context, m *load.Module, p *model.Project, delivery render.Delivery, named ...string) Description {
	d := Description{
		Version: 1, Configurations: []ConfigurationDescription{}, Kinds: kinds(p), Definitions: []string{},
		Policies: []PolicyDescription{}, Types: types(ctx, m, p, named), MinKubernetesVersion: fmt.Sprintf("1.%d", p.OldestKubernetes()),
	}
	for _, c := range p.Configurations {
		object := render.Object(c, delivery)
		kind := object.(runtimeschema.ObjectKind) // v1beta1 has the fields of v1, and other defaults
		kind.SetGroupVersionKind(kind.GroupVersionKind().GroupKind().WithVersion(p.API))
		described := ConfigurationDescription{Object: object, Webhooks: []WebhookDescription{}}
		for _, w := range c.Webhooks {
			described.Webhooks = append(described.Webhooks, WebhookDescription{At: w.Pos, Kinds: d.typed(w.Kinds)})
		}
		d.Configurations = append(d.Configurations, described)
	}
	for _, policy := range p.Policies {
		described := PolicyDescription{
			Object: render.PolicyObject(policy), Bindings: render.BindingObjects(policy), At: policy.Pos, Kinds: append([]GroupVersionKind{}, d.typed(policy.Kinds)...),
		}
		if policy.InsteadOf != nil {
			described.Since = fmt.Sprintf("1.%d", policy.Since)
		}
		d.Policies = append(d.Policies, described)
	}
	return d
}

// typed returns the kinds that the description has a schema for.
func (d Description) typed(kinds []model.TypedKind) (all []GroupVersionKind) {
	for _, k := range kinds {
		kind := GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind}
		if slices.ContainsFunc(d.Types, func(t TypeDescription) bool { return t.GroupVersionKind == kind }) {
			all = append(all, kind)
		}
	}
	return all
}

// types returns the schemas of the kinds that expressions read, and of named kinds.
func types(ctx context.Context, m *load.Module, p *model.Project, named []string) []TypeDescription {
	all := []TypeDescription{}
	if m == nil {
		return all
	}
	resolver := resolve.New(ctx, m)
	add := func(k model.TypedKind) {
		kind := GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind}
		if slices.ContainsFunc(all, func(t TypeDescription) bool { return t.GroupVersionKind == kind }) {
			return
		}
		if t, err := resolver.Named(k.Type.Path, k.Type.Name); err == nil {
			all = append(all, TypeDescription{kind, k.Type.Path + "." + k.Type.Name, schema.Of(t)})
		}
	}
	for _, w := range p.Webhooks() {
		for _, k := range w.Kinds {
			if len(w.Spec.MatchConditions) > 0 || slices.Contains(named, k.Kind) {
				add(k)
			}
		}
	}
	for _, policy := range p.Policies {
		for _, k := range policy.Kinds {
			add(k)
		}
		if policy.ParamKind != nil {
			add(*policy.ParamKind)
		}
	}
	return all
}

// kinds returns the kinds of webhooks, of policies and of both ends of conversions, without duplicates.
func kinds(p *model.Project) []KindDescription {
	all := []KindDescription{}
	add := func(k KindDescription) {
		i := slices.IndexFunc(all, func(other KindDescription) bool { return other.GroupVersionKind == k.GroupVersionKind })
		if i < 0 {
			all = append(all, k)
			return
		}
		all[i].Converted = all[i].Converted || k.Converted
	}
	var marked []*model.Kind
	for _, w := range p.Webhooks() {
		marked = append(marked, w.Kind)
	}
	for _, policy := range p.Policies {
		marked = append(marked, policy.Kind)
	}
	for _, k := range marked {
		if k != nil {
			add(KindDescription{GroupVersionKind: GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind}, Plural: k.Plural, Scope: k.Scope})
		}
	}
	for _, c := range p.Conversions {
		if c.CRD == nil {
			continue // somebody else's kind
		}
		for _, end := range []model.VersionedType{c.Hub, c.Spoke} {
			add(KindDescription{GroupVersionKind: GroupVersionKind{Group: end.Group, Version: end.Version, Kind: end.Name}, Plural: c.CRD.Plural, Converted: true})
		}
	}
	return all
}

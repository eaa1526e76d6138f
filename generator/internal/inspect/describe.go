// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/webhook-gen/webhook-gen/generator/internal/check"
	"github.com/webhook-gen/webhook-gen/generator/internal/crd"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/render"
)

// Description describes a project to other programs: the result of its markers, and their positions.
// webhook-gen-explain reads its JSON; docs/guides/explain.md describes it.
type Description struct {
	// Version is the version of this format.
	Version        int                        `json:"version"`
	Configurations []ConfigurationDescription `json:"configurations"`
	Kinds          []KindDescription          `json:"kinds"`
	// Definitions are the absolute paths of files with CustomResourceDefinitions.
	Definitions []string `json:"definitions"`
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
	At PositionDescription `json:"at"`
}

// PositionDescription is a position in a source file.
type PositionDescription struct {
	// File is an absolute path.
	File string `json:"file"`
	// Line and Column count from 1, the latter in bytes.
	Line   int `json:"line"`
	Column int `json:"column"`
}

// KindDescription is an API type for which the project has webhooks or conversions.
type KindDescription struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
	Plural  string `json:"plural"`
	// Scope is Cluster, Namespaced, or empty if the source does not set it.
	Scope string `json:"scope"`
	// Converted is true if a webhook converts between the kind's versions.
	Converted bool `json:"converted"`
}

// Describe reads the packages and describes the result of their markers. The description is empty if the diagnostics
// have errors.
func Describe(ctx context.Context, c engine.Config) (Description, diag.List) {
	run := c.Resolve()
	state := run.Read(ctx, engine.Edits{})
	diags := append(state.Diagnostics, check.Project(state.Project)...)
	if run.Strict {
		diags = diags.Promote()
	}
	if diags.HasErrors() {
		return Description{}, diags.Sort()
	}
	patterns := run.CRDs
	if len(patterns) == 0 {
		patterns = []string{render.CRDBases}
	}
	d := describeProject(state.Project, run.Deployment())
	d.Definitions = append(d.Definitions, crd.Options{Root: run.Root, Patterns: patterns}.Files()...)
	return d, diags.Sort()
}

func describeProject(p *model.Project, delivery render.Delivery) Description {
	d := Description{Version: 1, Configurations: []ConfigurationDescription{}, Kinds: kinds(p), Definitions: []string{}}
	for _, c := range p.Configurations {
		described := ConfigurationDescription{Object: inVersion(render.Object(c, delivery), p.API), Webhooks: []WebhookDescription{}}
		for _, w := range c.Webhooks {
			at := PositionDescription{File: w.Pos.File, Line: w.Pos.Line, Column: w.Pos.Column}
			described.Webhooks = append(described.Webhooks, WebhookDescription{At: at})
		}
		d.Configurations = append(d.Configurations, described)
	}
	return d
}

// inVersion sets the version of admissionregistration.k8s.io of the object. v1beta1 has the fields of v1, and other
// defaults.
func inVersion(object any, version string) any {
	if kind, ok := object.(schema.ObjectKind); ok && version != "" {
		kind.SetGroupVersionKind(kind.GroupVersionKind().GroupKind().WithVersion(version))
	}
	return object
}

// kinds returns the kinds of webhooks and both ends of conversions, without duplicates.
func kinds(p *model.Project) []KindDescription {
	all := []KindDescription{}
	add := func(k KindDescription) {
		same := func(other KindDescription) bool {
			return other.Group == k.Group && other.Version == k.Version && other.Kind == k.Kind
		}
		if i := slices.IndexFunc(all, same); i >= 0 {
			all[i].Converted = all[i].Converted || k.Converted
			return
		}
		all = append(all, k)
	}
	for _, w := range p.Webhooks() {
		if k := w.Kind; k != nil {
			add(KindDescription{Group: k.Group, Version: k.Version, Kind: k.Kind, Plural: k.Plural, Scope: k.Scope})
		}
	}
	for _, c := range p.Conversions {
		if c.CRD == nil {
			continue // somebody else's kind
		}
		for _, end := range []model.VersionedType{c.Hub, c.Spoke} {
			add(KindDescription{Group: end.Group, Version: end.Version, Kind: end.Name, Plural: c.CRD.Plural, Converted: true})
		}
	}
	return all
}

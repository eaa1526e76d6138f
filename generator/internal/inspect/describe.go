// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	explained "github.com/webhook-gen/webhook-gen/explain/project"
	"github.com/webhook-gen/webhook-gen/generator/internal/check"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/render"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	goschema "github.com/webhook-gen/webhook-gen/generator/internal/schema"
)

// Describe reads the packages and describes the result of their markers for package explain. The description is empty
// if the diagnostics have errors.
func Describe(ctx context.Context, c engine.Config) (*explained.Project, diag.List, error) {
	run := c.Resolve()
	state := run.Read(ctx, engine.Edits{})
	diags := append(state.Diagnostics, check.Project(state.Project)...)
	if run.Strict {
		diags = diags.Promote()
	}
	if diags.HasErrors() {
		return &explained.Project{}, diags.Sorted(), nil
	}
	delivery, _ := run.Deployment() // generate reports files that cannot be read
	p, err := describeProject(ctx, state.Module, state.Project, delivery)
	if err != nil {
		return nil, nil, err
	}
	p.Definitions = load.Names(run.Root, run.DefinitionPatterns()...)
	return p, diags.Sorted(), nil
}

// describeProject describes a project. The schemas of Go types need the module that contains them.
func describeProject(ctx context.Context, m *load.Module, p *model.Project, delivery render.Delivery) (*explained.Project, error) {
	types, err := types(ctx, m, p)
	if err != nil {
		return nil, err
	}
	kinds := kinds(p)
	for i, t := range types {
		for _, k := range kinds {
			if k.GroupVersionKind == t.GroupVersionKind {
				types[i].Scope = k.Scope
			}
		}
	}
	d := &explained.Project{Kinds: kinds, Types: types, MinKubernetesVersion: fmt.Sprintf("1.%d", p.OldestKubernetes())}
	for _, c := range p.Distinct() {
		object, err := untyped(render.Object(c, delivery))
		if err != nil {
			return nil, err
		}
		// v1beta1 has the fields of v1, and other defaults.
		object.SetGroupVersionKind(object.GroupVersionKind().GroupKind().WithVersion(p.API))
		described := explained.Configuration{Object: object}
		for _, w := range c.Webhooks {
			described.Webhooks = append(described.Webhooks, explained.Webhook{At: explained.Position(w.Pos), Kinds: typed(d.Types, w.Kinds)})
		}
		d.Configurations = append(d.Configurations, described)
	}
	for _, policy := range p.Policies {
		object, err := untyped(render.PolicyObject(policy))
		if err != nil {
			return nil, err
		}
		described := explained.Policy{Object: object, Bindings: []unstructured.Unstructured{}, At: explained.Position(policy.Pos), Kinds: append([]explained.GroupVersionKind{}, typed(d.Types, policy.Kinds)...)}
		for _, b := range render.BindingObjects(policy) {
			binding, err := untyped(b)
			if err != nil {
				return nil, err
			}
			described.Bindings = append(described.Bindings, binding)
		}
		if policy.InsteadOf != nil {
			described.Since = fmt.Sprintf("1.%d", policy.Since)
		}
		d.Policies = append(d.Policies, described)
	}
	return d, nil
}

// untyped returns an object as an API server reads it from JSON.
func untyped(object any) (u unstructured.Unstructured, err error) {
	text, err := json.Marshal(object)
	if err != nil {
		return u, err
	}
	return u, u.UnmarshalJSON(text)
}

// typed returns the kinds among types.
func typed(types []explained.Type, kinds []model.TypedKind) (all []explained.GroupVersionKind) {
	for _, k := range kinds {
		kind := explained.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind}
		if slices.ContainsFunc(types, func(t explained.Type) bool { return t.GroupVersionKind == kind }) {
			all = append(all, kind)
		}
	}
	return all
}

// types returns the schemas of the kinds that expressions read.
func types(ctx context.Context, m *load.Module, p *model.Project) (all []explained.Type, err error) {
	if m == nil {
		return nil, nil
	}
	resolver := resolve.New(ctx, m)
	add := func(k model.TypedKind) error {
		kind := explained.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind}
		if slices.ContainsFunc(all, func(t explained.Type) bool { return t.GroupVersionKind == kind }) {
			return nil
		}
		t, err := resolver.Named(k.Type.Path, k.Type.Name)
		if err != nil {
			return nil // expressions are compiled without the type
		}
		props, err := propsOf(goschema.Of(t))
		all = append(all, explained.Type{GroupVersionKind: kind, GoType: k.Type.Path + "." + k.Type.Name, Schema: props})
		return err
	}
	var read []model.TypedKind
	for _, w := range p.Webhooks() {
		if len(w.Spec.MatchConditions) > 0 {
			read = append(read, w.Kinds...)
		}
	}
	for _, policy := range p.Policies {
		read = append(read, policy.Kinds...)
		if policy.ParamKind != nil {
			read = append(read, *policy.ParamKind)
		}
	}
	for _, k := range read {
		if err := add(k); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// propsOf returns a schema, or its JSON, in the type of package apiextensions.
func propsOf(schema any) (props apiextensionsv1.JSONSchemaProps, err error) {
	text, err := json.Marshal(schema)
	if err != nil {
		return props, err
	}
	return props, json.Unmarshal(text, &props)
}

// kinds returns the kinds of webhooks, of policies and of both ends of conversions, without duplicates.
func kinds(p *model.Project) (all []explained.Kind) {
	add := func(k explained.Kind) {
		i := slices.IndexFunc(all, func(other explained.Kind) bool { return other.GroupVersionKind == k.GroupVersionKind })
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
			add(explained.Kind{GroupVersionKind: explained.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind}, Plural: k.Plural, Scope: k.Scope})
		}
	}
	for _, c := range p.Conversions {
		if c.CRD == nil {
			continue // somebody else's kind
		}
		for _, end := range []model.VersionedType{c.Hub, c.Spoke} {
			add(explained.Kind{GroupVersionKind: explained.GroupVersionKind{Group: end.Group, Version: end.Version, Kind: end.Name}, Plural: c.CRD.Plural, Converted: true})
		}
	}
	return all
}

// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"bytes"
	"context"
	"fmt"

	"github.com/webhook-gen/webhook-gen/explain"
	explained "github.com/webhook-gen/webhook-gen/explain/project"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/lint"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/manifest"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	goschema "github.com/webhook-gen/webhook-gen/generator/internal/schema"
)

// brokenRules returns the validation rules in markers of kinds for which an API server refuses the kind's
// CustomResourceDefinition. A rule on a type that several kinds share is reported once.
func brokenRules(ctx context.Context, m *load.Module, declared []engine.Declared) (list diag.List, err error) {
	types := resolve.New(ctx, m)
	reported := map[string]bool{} // by position and message
	for _, d := range declared {
		for _, v := range d.Versions {
			t, err := types.Named(d.Types[v.Name].Path, d.Types[v.Name].Name)
			if err != nil {
				continue // generate reports types that it needs
			}
			schema := goschema.Of(t)
			if !schema.HasRules() {
				continue
			}
			props, err := propsOf(schema)
			if err != nil {
				return nil, err
			}
			kind := explained.GroupVersionKind{Group: d.Group, Version: v.Name, Kind: d.Kind}
			found, err := explain.CheckRules(explained.Type{GroupVersionKind: kind, Schema: props})
			if err != nil {
				return nil, fmt.Errorf("the schema of %s: %w", d.Kind, err)
			}
			for _, f := range found {
				of := schema.At(f.Path)
				if of == nil || f.Rule >= len(of.Rules) {
					continue
				}
				at := of.Rules[f.Rule].At(f.From)
				if !at.IsValid() {
					at = v.Range
				}
				if id := fmt.Sprint(at, f.Message); !reported[id] {
					reported[id] = true
					list.Add(lint.BrokenRule(at, f.Message))
				}
			}
		}
	}
	return list, nil
}

// brokenDefinitions returns the validation rules of CustomResourceDefinitions in files for which an API server refuses
// them.
func brokenDefinitions(definitions []*manifest.Definition) (list diag.List, err error) {
	for _, d := range definitions {
		for _, v := range d.Versions {
			if v.Schema == nil {
				continue
			}
			text, err := v.Schema.JSON()
			if err != nil || !bytes.Contains(text, []byte(`"x-kubernetes-validations"`)) {
				continue
			}
			props, err := propsOf(text)
			if err != nil {
				continue // the schema is none, which is not about its rules
			}
			kind := explained.GroupVersionKind{Group: d.Group, Version: v.Name, Kind: d.Kind}
			found, err := explain.CheckRules(explained.Type{GroupVersionKind: kind, Schema: props})
			if err != nil {
				return nil, fmt.Errorf("the schema of %s: %w", d.Name, err)
			}
			for _, f := range found {
				at := v.Schema.RuleAt(f.Path, f.Rule)
				if !at.IsValid() {
					at = v.Range
				}
				list.Add(lint.BrokenRule(at, f.Message))
			}
		}
	}
	return list, nil
}

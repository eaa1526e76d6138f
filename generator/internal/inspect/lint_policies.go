// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"context"
	"fmt"
	"slices"

	explained "github.com/webhook-gen/webhook-gen/explain/project"
	"github.com/webhook-gen/webhook-gen/generator/internal/check"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/lint"
	"github.com/webhook-gen/webhook-gen/generator/internal/manifest"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// addPolicies adds the findings in the policies of files. Their expressions are compiled with the schemas of the
// CustomResourceDefinitions in the files.
func (r *LintResult) addPolicies(contents *manifest.Contents, s lint.Facts, kubeVersion string) error {
	r.Policies = len(contents.Policies) + len(contents.Unbound)
	if r.Policies == 0 {
		return nil
	}
	manifest.AddRules(contents.Policies, contents.Definitions)
	p := &model.Project{API: "v1", Policies: contents.Policies}
	judge := func(p *model.Project) diag.List { return check.PoliciesInFiles(p, contents.Unbound) }
	found, err := linted(context.Background(), nil, nil, []*model.Project{p}, s, judge, kubeVersion, contents)
	r.Diagnostics = append(r.Diagnostics, found.Diagnostics...).Sorted()
	return err
}

// define adds the kinds of CustomResourceDefinitions that policies match or have as parameters.
func define(d *explained.Project, contents *manifest.Contents) error {
	for i, p := range contents.Policies {
		for _, crd := range contents.Definitions {
			for _, v := range crd.Versions {
				kind := explained.GroupVersionKind{Group: crd.Group, Version: v.Name, Kind: crd.Kind}
				of := p.Spec.ParamKind
				params := of != nil && of.Kind == crd.Kind && of.APIVersion == crd.Group+"/"+v.Name
				matched := crd.MatchedBy(p.Spec.MatchConstraints, v.Name)
				if v.Schema == nil || !params && !matched {
					continue
				}
				if !slices.ContainsFunc(d.Types, func(t explained.Type) bool { return t.GroupVersionKind == kind }) {
					schema, err := v.Schema.JSON()
					if err != nil {
						continue // without types, as for a kind that is not in the files
					}
					props, err := propsOf(schema)
					if err != nil {
						return fmt.Errorf("the schema of %s: %w", kind.Kind, err)
					}
					d.Types = append(d.Types, explained.Type{GroupVersionKind: kind, Scope: crd.Scope, Schema: props})
				}
				if matched {
					d.Policies[i].Kinds = append(d.Policies[i].Kinds, kind)
				}
			}
		}
	}
	return nil
}

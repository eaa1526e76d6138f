// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"context"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/check"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/lint"
	"github.com/webhook-gen/webhook-gen/generator/internal/manifest"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// addPolicies adds the findings in the policies of files. Their expressions are compiled with the schemas of the
// CustomResourceDefinitions in the files.
func (r *LintResult) addPolicies(contents manifest.Contents, s lint.Surroundings, read ExpressionReader) {
	r.Policies = len(contents.Policies) + len(contents.Unbound)
	if r.Policies == 0 {
		return
	}
	manifest.AddRules(contents.Policies, contents.Definitions)
	p := &model.Project{API: "v1", Policies: contents.Policies}
	if read != nil {
		plain := read
		read = func(d Description) ([]ExpressionFinding, error) {
			d.define(contents)
			found, err := plain(d)
			return slices.DeleteFunc(found, func(f ExpressionFinding) bool {
				// Without a schema, nothing limits the objects.
				return f.Rule == check.RuleExpensive && f.Policy != nil && *f.Policy >= 0 && *f.Policy < len(d.Policies) && len(d.Policies[*f.Policy].Kinds) == 0
			}), err
		}
	}
	judge := func(p *model.Project) diag.List { return check.PoliciesInFiles(p, contents.Unbound) }
	found := linted(context.Background(), nil, nil, []*model.Project{p}, s, judge, read)
	r.Diagnostics = append(r.Diagnostics, found.Diagnostics...).Sort()
	if found.Unread != nil {
		r.Unread = found.Unread
	}
	if _, _, count := unread(p); count > 0 && (read == nil || found.Unread != nil) {
		r.Unchecked = append(r.Unchecked, check.RuleRefusedExpression, check.RuleUntyped, check.RuleAbsent, check.RuleExpensive, check.RulePatch)
	}
}

// define adds the kinds of CustomResourceDefinitions that policies match or have as parameters.
func (d *Description) define(contents manifest.Contents) {
	for i, p := range contents.Policies {
		for _, crd := range contents.Definitions {
			for _, v := range crd.Versions {
				kind := GroupVersionKind{Group: crd.Group, Version: v.Name, Kind: crd.Kind}
				of := p.Spec.ParamKind
				params := of != nil && of.Kind == crd.Kind && of.APIVersion == crd.Group+"/"+v.Name
				matched := crd.MatchedBy(p.Spec.MatchConstraints, v.Name)
				if v.Schema == nil || !params && !matched {
					continue
				}
				if !slices.ContainsFunc(d.Types, func(t TypeDescription) bool { return t.GroupVersionKind == kind }) {
					schema, err := v.Schema.JSON()
					if err != nil {
						continue // without types, as for a kind that is not in the files
					}
					d.Types = append(d.Types, TypeDescription{GroupVersionKind: kind, Schema: schema})
				}
				if matched {
					d.Policies[i].Kinds = append(d.Policies[i].Kinds, kind)
				}
			}
		}
	}
}

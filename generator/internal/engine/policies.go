// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"bytes"
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"sigs.k8s.io/yaml"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/lint"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/manifest"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/render"
)

// checkListed reports each user's kustomization.yaml beside a manifest that does not list the policies. kustomize would
// omit them silently.
func (r Run) checkListed(p *model.Project, o render.Options) (diags diag.List) {
	if o.Kustomization || !slices.Contains(r.Outputs, output.Manifests) {
		return nil
	}
	parts, manifests := p.ByManifest()
	for i, part := range parts {
		file := load.ReadText(filepath.Dir(cmp.Or(manifests[i], r.Manifest)), "kustomization.yaml")
		if file.Err != nil || len(part.AlwaysInstalled()) == 0 {
			continue
		}
		var content struct{ Resources []string }
		if err := yaml.Unmarshal(file.Content, &content); err == nil && slices.ContainsFunc(content.Resources, func(name string) bool {
			return filepath.Clean(name) == render.PoliciesFile
		}) {
			continue
		}
		diags.Add(diag.Warningf(diag.InFile(file.Path), model.RuleListed, "the file does not list %s, and kustomize leaves the policies out", render.PoliciesFile).
			WithHint("add to its resources: - %s", render.PoliciesFile))
	}
	return diags
}

// addDefinitionRules adds the rules in CRDs on disk to the policies that match their kinds. A policy's type may
// belong to another project, so that only its CRD is in this one.
func (r Run) addDefinitionRules(p *model.Project) {
	var policies []*model.Policy
	var groups []string
	for _, policy := range p.Policies {
		if len(policy.Spec.Validations) > 0 {
			policies = append(policies, policy)
			for _, rule := range policy.Spec.MatchConstraints.ResourceRules {
				groups = append(groups, rule.APIGroups...)
			}
		}
	}
	if len(policies) == 0 {
		return
	}
	patterns := r.DefinitionPatterns()
	if len(r.CRDs) == 0 {
		patterns = append(patterns, path.Dir(render.CRDBases)) // kinds of other projects
	}
	var definitions []load.Text
	for _, file := range load.Texts(r.Root, patterns...) {
		// CRDs are long and YAML is slow to parse. Other phases report unreadable files.
		if bytes.Contains(file.Content, []byte("x-kubernetes-validations")) &&
			slices.ContainsFunc(groups, func(group string) bool { return bytes.Contains(file.Content, []byte(group)) }) {
			definitions = append(definitions, file)
		}
	}
	contents, _ := manifest.Read(definitions)
	manifest.AddRules(policies, contents.Definitions)
}

// checkNever reports webhooks and policies with a part that has no effect, or with a condition that always fails.
func (r Run) checkNever(p *model.Project) diag.List {
	var s lint.Surroundings
	isSub := func(w *model.Webhook) bool {
		return slices.ContainsFunc(w.Spec.Rules, func(rule admissionregistrationv1.RuleWithOperations) bool {
			return slices.ContainsFunc(rule.Resources, func(resource string) bool { return strings.Contains(resource, "/") })
		})
	}
	if slices.ContainsFunc(p.Webhooks(), func(w *model.Webhook) bool {
		return isSub(w) && (w.Kind == nil || w.Kind.Subresources == nil)
	}) { // CRDs are long and YAML is slow to parse
		contents, _ := manifest.Read(load.Texts(r.Root, append(r.DefinitionPatterns(), path.Dir(render.CRDBases))...))
		s.Subresources = lint.Subresources(contents.Definitions)
	}
	return lint.Never(p, s)
}

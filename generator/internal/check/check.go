// SPDX-License-Identifier: Apache-2.0

// Package check validates a project by the rules of an API server for webhook configurations, and by this tool's rules
// against ambiguous runs. Each rule is one entry of a table: an id, a text, a source and one function.
package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// RuleMatchConditions is the id for invalid matchConditions, and for expressions that do not compile.
const RuleMatchConditions = "E22"

// rule is one entry of the table. One of its functions is set; rules of policies may have several.
type rule struct {
	diag.Rule
	// only is the API version that has the rule; empty if both have it.
	only          string
	webhook       func(webhookPass)
	configuration func(configurationPass)
	project       func(projectPass)
	policy        func(policyPass)
	binding       func(bindingPass)
	match         func(matchPass)
}

// Finding is a broken rule.
type Finding struct {
	diag.Diagnostic
	// Object is the configuration with the mistake. It is nil for a rule about policies or the whole run.
	Object *model.Configuration
	// Policy and Binding are the policy, or its binding, with the mistake.
	Policy  *model.Policy
	Binding *model.Binding
	// Field is the path of the invalid field, as Kubernetes writes it: "webhooks[1].rules[0].scope".
	Field string
}

// Project reports every rule that the project breaks. Rules that controller-gen does not enforce are warnings on
// webhooks under +kubebuilder markers, because these must keep working.
func Project(p *model.Project) diag.List {
	diags := handlerOptions(p)
	for _, f := range Findings(p) {
		diags.Add(f.Diagnostic)
	}
	return diags
}

// Findings returns the broken rules of the table with their objects and fields.
func Findings(p *model.Project) (found []Finding) {
	parts, _ := p.ByManifest() // webhooks of several manifests may share names and paths
	for _, part := range parts {
		found = append(found, findings(part)...)
	}
	return found
}

// findings returns the broken rules of the webhooks of one manifest.
func findings(p *model.Project) []Finding {
	var found []Finding
	for _, r := range table() {
		if r.only != "" && r.only != p.API {
			continue
		}
		base := pass{rule: r.Rule, found: &found}
		apply(r.project, projectPass{base, p})
		for _, policy := range p.Policies {
			of := policyPass{base, policy, p}
			apply(r.policy, of)
			if m := policy.Spec.MatchConstraints; m != nil {
				apply(r.match, matchPass{m, "spec.matchConstraints", policy.Mutating, of.at})
			}
			for _, b := range policy.Bindings {
				of := bindingPass{base, b, policy}
				apply(r.binding, of)
				if m := b.Spec.MatchResources; m != nil {
					apply(r.match, matchPass{m, "spec.matchResources", policy.Mutating, of.at})
				}
			}
		}
		for _, c := range p.Configurations {
			apply(r.configuration, configurationPass{base, c})
			for i, w := range c.Webhooks {
				apply(r.webhook, webhookPass{base, w, c, i})
			}
		}
	}
	return found
}

// apply applies a function of a rule, if the rule has it.
func apply[T any](rule func(T), to T) {
	if rule != nil {
		rule(to)
	}
}

// Rules documents the table.
func Rules() []diag.Rule {
	var docs []diag.Rule
	for _, r := range table() {
		docs = append(docs, r.Rule)
	}
	return docs
}

// pass is the run of one rule.
type pass struct {
	rule  diag.Rule
	found *[]Finding
}

// report adds a finding at a position, with the object and the field that are given.
func (p pass) report(at diag.Range, kubebuilder bool, f Finding, format string, args ...any) *diag.Diagnostic {
	f.Diagnostic = diag.Diagnostic{Range: at, Severity: p.rule.Severity, Rule: p.rule.ID, Message: fmt.Sprintf(format, args...)}
	if kubebuilder {
		f.Severity = diag.Warning
	}
	*p.found = append(*p.found, f)
	return &(*p.found)[len(*p.found)-1].Diagnostic
}

// webhookPass checks one webhook.
type webhookPass struct {
	pass
	*model.Webhook
	object *model.Configuration
	index  int
}

// at reports a finding at the argument that sets the field.
func (p webhookPass) at(field, format string, args ...any) *diag.Diagnostic {
	return p.report(p.Where(field), p.Kubebuilder, Finding{Object: p.object, Field: fmt.Sprintf("webhooks[%d].%s", p.index, field)}, format, args...)
}

// configurationPass checks one configuration object.
type configurationPass struct {
	pass
	*model.Configuration
}

// at reports a finding at the marker that sets the field of the metadata, or at the object's first webhook.
func (p configurationPass) at(field, format string, args ...any) *diag.Diagnostic {
	at := p.Where(strings.TrimPrefix(field, "metadata."))
	if !at.IsValid() {
		at = p.Webhooks[0].Where("configuration")
	}
	isOwn := slices.ContainsFunc(p.Webhooks, func(w *model.Webhook) bool { return !w.Kubebuilder })
	return p.report(at, !isOwn, Finding{Object: p.Configuration, Field: field}, format, args...)
}

// projectPass checks the whole project.
type projectPass struct {
	pass
	*model.Project
}

// at reports a finding that concerns two webhooks of the run.
func (p projectPass) at(w, other *model.Webhook, field, format string, args ...any) {
	d := p.report(w.Where(field), w.Kubebuilder, Finding{Field: field}, format, args...)
	*d = d.WithHint("%s", anotherName(w, field)).WithRelated(other.Where(field), "the other is here")
}

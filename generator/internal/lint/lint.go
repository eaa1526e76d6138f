// SPDX-License-Identifier: Apache-2.0

// Package lint checks webhooks against the advice of Kubernetes, and for settings that an API server accepts but does
// not honour. Package check finds the settings that an API server refuses. Each rule is one entry of a table: an id, a
// message, a remedy, and one function.
//
// A rule fires only if the configuration alone proves it right. Rules ignore facts that the configuration does not
// show, such as the labels of a namespace or the objects that a match condition lets through.
package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/manifest"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// Rule is one entry of the table. One of its functions is set, or By.
type Rule struct {
	diag.Rule
	// By is the finder, if another package finds it.
	By Finder
	// insteadOf is the rule of package check that a finding of this one, at the same position, says more exactly.
	insteadOf string
	webhook   func(webhookPass)
	// policies says that the function for webhooks also judges the matchConstraints of policies.
	policies bool
	// never says that the function finds rules that never match a request: generate looks for them, too.
	never         bool
	configuration func(configurationPass)
	project       func(pass)
	definition    func(definitionPass)
}

// Finder is a check that can find a broken rule.
type Finder int

const (
	// Here is this package.
	Here Finder = iota
	// Expressions is the check that reads CEL.
	Expressions
	// Code is the check that reads the Go code of handlers, with types.
	Code
)

// Facts are about the project and the cluster, besides the webhooks. A rule without its facts reports nothing.
type Facts struct {
	// Namespaces are the labels of the namespaces that are known, by name.
	Namespaces map[string]map[string]string
	// Servers are the Services, as namespace/name, whose pods' permissions are known. Injects is true if something may
	// write webhook configurations.
	Servers map[string]bool
	Injects bool
	// InjectsDefinitions is true if something may write CustomResourceDefinitions.
	InjectsDefinitions bool
	// Services are the ports of the Services in files, by namespace/name.
	Services map[string][]int32
	// Now is the time at which certificates have to be valid; the zero value does not judge them.
	Now time.Time
	// Served are the versions that resources, as orders.shop.example.com, are served in, as far as definitions are
	// known.
	Served map[string][]string
	// Defined are all versions of these resources, served or not, and Scopes their scopes.
	Defined map[string][]string
	Scopes  map[string]string
	// Subresources are the subresources of resources with a definition, in any version.
	Subresources map[string][]string
	// Scaled are the fields that the subresource scale of resources with a definition writes, such as spec.replicas.
	Scaled map[string]string
	// Patched reports whether an overlay adds selectors to webhooks whose service is in PlaceholderNamespace.
	Patched func() bool
	// Bundled is true if operator-sdk makes a bundle for OLM of the webhooks.
	Bundled bool
	// Tests is true if the handlers have generated tests.
	Tests bool
	// Reconciles reports whether the project has a reconciler; nil if its code is not known.
	Reconciles func() bool
	// Updates are the methods for updates that may deny objects that are being deleted.
	Updates map[*model.Webhook]diag.Range
	// Unconverted are kinds with several versions and without a conversion.
	Unconverted []Unconverted
	// Constants are the constants found in the code of validators and defaulters.
	Constants []Constant
}

// Finding is a broken rule.
type Finding struct {
	diag.Diagnostic
	// Allowed are the rules that the webhook or policy may break.
	Allowed []*model.Allowance
	// Never is true if a part of a rule never matches a request.
	Never bool

	of *model.Webhook
}

// Never returns the findings about rules that never match a request, or always fail. They are errors or, for
// markers of controller-gen, which reports none of them, warnings.
func Never(p *model.Project, s Facts) diag.List {
	base := newPass(p, p.API, s)
	ofPolicies := newPass(p, "v1", s)
	for _, r := range Table() {
		if !r.never {
			continue
		}
		base.rule, ofPolicies.rule = r, r
		for _, w := range p.Webhooks() {
			r.webhook(webhookPass{pass: base, Webhook: w})
		}
		for _, policy := range p.Policies {
			if r.policies && policy.InsteadOf == nil && policy.Spec.MatchConstraints != nil {
				r.webhook(webhookPass{pass: ofPolicies, Webhook: matching(policy), policy: policy})
			}
		}
	}
	return Stopping(slices.Concat(*base.found, *ofPolicies.found))
}

// Stopping returns the findings that stop generate: rules that never match, and conditions that always fail.
func Stopping(found []Finding) (list diag.List) {
	for _, f := range found {
		allowed := slices.ContainsFunc(f.Allowed, func(a *model.Allowance) bool { return a.Rule == f.Rule })
		if !f.Never || allowed {
			continue
		}
		if f.Severity = diag.Error; f.of != nil && f.of.Kubebuilder {
			f.Severity = diag.Warning
		}
		list.Add(f.Diagnostic)
	}
	return list
}

// Subresources returns the subresources of the kinds that have definitions, by their names.
func Subresources(definitions []*manifest.Definition) map[string][]string {
	all := map[string][]string{}
	for _, d := range definitions {
		if _, known := all[d.Name]; known {
			continue // a copy
		}
		all[d.Name] = []string{}
		for _, v := range d.Versions {
			all[d.Name] = append(all[d.Name], v.Subresources...)
		}
	}
	return all
}

// Versions returns the served versions of resources, all of their versions, and their scopes, by the names of
// their definitions.
func Versions(definitions []*manifest.Definition) (served, all map[string][]string, scopes map[string]string) {
	served, all, scopes = map[string][]string{}, map[string][]string{}, map[string]string{}
	for _, d := range definitions {
		scopes[d.Name] = d.Scope
		for _, v := range d.Versions {
			all[d.Name] = append(all[d.Name], v.Name)
			if v.Served {
				served[d.Name] = append(served[d.Name], v.Name)
			}
		}
	}
	return served, all, scopes
}

// Scaled returns the fields that the subresource scale of kinds with definitions writes, by their names.
func Scaled(definitions []*manifest.Definition) map[string]string {
	all := map[string]string{}
	for _, d := range definitions {
		for _, v := range d.Versions {
			if v.Scaled != "" {
				all[d.Name] = v.Scaled
			}
		}
	}
	return all
}

// Findings reports every rule that the project breaks, whether or not that is allowed.
func Findings(p *model.Project, s Facts) []Finding {
	base := newPass(p, p.API, s)
	for _, r := range Table() {
		base.rule = r
		if r.project != nil {
			r.project(base)
		}
		for _, c := range p.Configurations {
			if r.configuration != nil {
				r.configuration(configurationPass{base, c})
			}
			for _, w := range c.Webhooks {
				if r.webhook != nil {
					r.webhook(webhookPass{pass: base, Webhook: w})
				}
			}
		}
	}
	return *base.found
}

// PolicyFindings reports every rule that the matchConstraints of policies break, whether or not that is allowed.
// Findings judges the rules of a policy that replaces a webhook.
func PolicyFindings(p *model.Project, s Facts) []Finding {
	base := newPass(p, "v1", s)
	for _, r := range Table() {
		if !r.policies {
			continue
		}
		base.rule = r
		for _, policy := range p.Policies {
			if policy.InsteadOf != nil || policy.Spec.MatchConstraints == nil {
				continue
			}
			r.webhook(webhookPass{pass: base, Webhook: matching(policy), policy: policy})
		}
	}
	return *base.found
}

// ofPolicies are the ids of the rules that judge policies.
func ofPolicies() (ids []string) {
	for _, r := range Table() {
		if r.policies {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// matching is a webhook that matches the requests of a policy. Both match by the same code of an API server.
func matching(p *model.Policy) *model.Webhook {
	const constraints = "spec.matchConstraints."
	m := p.Spec.MatchConstraints
	w := &model.Webhook{Source: model.Source{Range: p.Range, At: model.Positions{}}, Mutating: p.Mutating, Allowed: p.Allowed, Kind: p.Kind}
	w.Spec.MatchPolicy, w.Spec.NamespaceSelector, w.Spec.ObjectSelector = m.MatchPolicy, m.NamespaceSelector, m.ObjectSelector
	for _, r := range m.ResourceRules {
		w.Spec.Rules = append(w.Spec.Rules, r.RuleWithOperations)
	}
	for field, at := range p.At {
		if own, ok := strings.CutPrefix(field, constraints); ok {
			if rest, ok := strings.CutPrefix(own, "resourceRules"); ok {
				own = "rules" + rest
			}
			w.At[own] = at
		}
	}
	return w
}

// Replaces reports whether a finding is more exact than another one, of package check, at the same position.
func Replaces(d, other diag.Diagnostic) bool {
	return d.Range == other.Range && slices.ContainsFunc(Table(), func(r Rule) bool { return r.ID == d.Rule && r.insteadOf == other.Rule })
}

// pass is one rule at work.
type pass struct {
	rule    Rule
	api     string
	project *model.Project
	builtin []model.BuiltinResource
	served  []served
	found   *[]Finding
	Facts
}

// newPass returns a pass over a project; its rule is still to be set.
func newPass(p *model.Project, api string, s Facts) pass {
	return pass{api: api, project: p, builtin: model.BuiltinResources(), served: servedResources(), found: &[]Finding{}, Facts: s}
}

func (p pass) report(w *model.Webhook, at diag.Range, format string, args ...any) *diag.Diagnostic {
	d := diag.Diagnostic{Range: at, Severity: p.rule.Severity, Rule: p.rule.ID, Message: fmt.Sprintf(format, args...), Hint: p.rule.Fix}
	*p.found = append(*p.found, Finding{Diagnostic: d, Allowed: w.Allowed, of: w})
	return &(*p.found)[len(*p.found)-1].Diagnostic
}

// webhookPass looks at one webhook.
type webhookPass struct {
	pass
	*model.Webhook
	// policy is the policy whose matchConstraints the webhook has; nil for a webhook.
	policy *model.Policy
}

// unused is the effect of a rule that matches nothing.
func (p webhookPass) unused() string {
	if p.policy != nil {
		return "the policy is not evaluated"
	}
	return "the webhook is not called"
}

// at reports a finding at the argument that sets the field.
func (p webhookPass) at(field, format string, args ...any) *diag.Diagnostic {
	return p.report(p.Webhook, p.Where(field), format, args...)
}

// never reports a finding about an argument by which nothing ever matches.
func (p webhookPass) never(field, format string, args ...any) *diag.Diagnostic {
	d := p.at(field, format, args...)
	(*p.found)[len(*p.found)-1].Never = true
	return d
}

// configurationPass looks at one configuration object.
type configurationPass struct {
	pass
	*model.Configuration
}

// fails reports whether requests fail while the webhook cannot be reached.
func (p pass) fails(w *model.Webhook) bool {
	if w.Spec.FailurePolicy != nil {
		return *w.Spec.FailurePolicy == "Fail"
	}
	return p.api == "v1"
}

// isExact reports matchPolicy Exact, set or by default.
func (p webhookPass) isExact() bool {
	if p.Spec.MatchPolicy != nil {
		return *p.Spec.MatchPolicy == "Exact"
	}
	return p.api == "v1beta1"
}

// timeout is how many seconds an API server waits for the webhook.
func (p pass) timeout(w *model.Webhook) int32 {
	preset := int32(10)
	if p.api == "v1beta1" {
		preset = 30
	}
	return *cmp.Or(w.Spec.TimeoutSeconds, &preset)
}

// Rules returns the rules of the table and the rules of allowances.
func Rules() []diag.Rule {
	var docs []diag.Rule
	for _, r := range Table() {
		docs = append(docs, r.Rule)
	}
	return append(docs, allowanceRules()...)
}

// Found is a finding of another finder than this package; not ok, where the table has no such rule.
func Found(w *model.Webhook, id string, at diag.Range, message string) (f Finding, ok bool) {
	for _, r := range Table() {
		if r.ID == id && r.By != Here {
			d := diag.Diagnostic{Range: at, Severity: r.Severity, Rule: id, Message: message, Hint: r.Fix}
			// A condition that reads an object that is null fails for each request of the operation.
			return Finding{Diagnostic: d, Allowed: w.Allowed, Never: strings.Contains(message, " is null on "), of: w}, true
		}
	}
	return Finding{}, false
}

// BrokenRule is the finding about a validation rule that API servers refuse.
func BrokenRule(at diag.Range, message string) diag.Diagnostic {
	const id = "W53"
	d := diag.Diagnostic{Range: at, Severity: Severity(id), Rule: id, Message: message}
	for _, r := range Table() {
		if r.ID == id {
			d.Hint = r.Fix
		}
	}
	return d
}

// Severity returns the severity of a rule.
func Severity(id string) diag.Severity {
	for _, r := range Table() {
		if r.ID == id {
			return r.Severity
		}
	}
	return diag.Error
}

// Judged reports whether a rule is checked without reading code.
func Judged(id string) bool {
	return slices.ContainsFunc(Table(), func(r Rule) bool { return r.ID == id && r.By != Code })
}

// OfCode returns the ids of the rules about code that the project's handlers may break.
func OfCode(p *model.Project) (ids []string) {
	if !slices.ContainsFunc(p.Webhooks(), func(w *model.Webhook) bool { return w.Handler != nil }) {
		return nil
	}
	for _, r := range Table() {
		if r.By == Code {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

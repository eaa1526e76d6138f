// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// overlap reports a resource that a later one covers or repeats. The other order is package check's.
func overlap(p webhookPass) {
	for i, rule := range p.Spec.Rules {
		for j, r := range rule.Resources {
			for _, later := range rule.Resources[j+1:] {
				if later != r && !strings.Contains(later, "*") || !matchesResource(later, r) {
					continue
				}
				verb := "covers"
				if later == r {
					verb = "repeats"
				}
				p.at(fmt.Sprintf("rules[%d].resources[%d]", i, j), "%s behind it %s %s", later, verb, r)
				break
			}
		}
	}
}

var (
	groupName   = regexp.MustCompile(`^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$`)
	versionName = regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)
	partName    = regexp.MustCompile(`^([a-z0-9]([-a-z0-9.]*[a-z0-9])?|\*)$`)
)

// impossibleNames reports words that no group, version or resource can be.
func impossibleNames(p webhookPass) {
	for i, rule := range p.Spec.Rules {
		for j, g := range rule.APIGroups {
			at := fmt.Sprintf("rules[%d].apiGroups[%d]", i, j)
			switch {
			case g == "*":
			case g == "core":
				p.at(at, "no group is called core").Hint = `the group of pods, services and the like is ""`
			case !groupName.MatchString(g):
				d := p.at(at, "no group can be called %q", g)
				if group, version, ok := strings.Cut(g, "/"); ok {
					d.Hint = fmt.Sprintf("the group is %q, and the version %q", group, version)
				}
			}
		}
		for j, v := range rule.APIVersions {
			if v == "*" || v == "" || versionName.MatchString(v) { // an empty one is package check's
				continue
			}
			d := p.at(fmt.Sprintf("rules[%d].apiVersions[%d]", i, j), "no version can be called %q", v)
			if group, version, ok := strings.Cut(v, "/"); ok {
				d.Hint = fmt.Sprintf("the group is %q, and the version %q", group, version)
			}
		}
		for j, r := range rule.Resources {
			name, sub, _ := strings.Cut(r, "/")
			if r == "" || partName.MatchString(name) && (sub == "" || partName.MatchString(sub)) { // pods/ is pods
				continue
			}
			d := p.at(fmt.Sprintf("rules[%d].resources[%d]", i, j), "no resource can be called %q", r)
			if plural, ok := p.plural(rule.APIGroups, r); ok {
				d.Hint = fmt.Sprintf("write %s", plural)
			}
		}
	}
}

// plural returns the resource of Kubernetes itself that a misspelt word means.
func (p pass) plural(groups []string, word string) (string, bool) {
	var names []string
	for _, r := range p.builtin {
		if slices.Contains(groups, r.Group) {
			names = append(names, r.Name)
		}
	}
	word = strings.ToLower(word)
	for _, plural := range []string{word, word + "s", word + "es", strings.TrimSuffix(word, "y") + "ies"} {
		if slices.Contains(names, plural) {
			return plural, true
		}
	}
	return diag.Nearest(word, names)
}

// wrongResource reports words that mean a resource of Kubernetes itself but do not name it, and the deletion of pods
// without their eviction.
func wrongResource(p webhookPass) {
	seesEvictions := func() bool {
		called := p.callers(request{"CREATE", "", "pods/eviction", true})
		return slices.ContainsFunc(called, func(w *model.Webhook) bool { return !w.Mutating })
	}
	for i, rule := range p.Spec.Rules {
		for j, r := range rule.Resources {
			at := fmt.Sprintf("rules[%d].resources[%d]", i, j)
			name, _, _ := strings.Cut(r, "/")
			if p.isMisspelt(rule.APIGroups, r) {
				plural, _ := p.plural(rule.APIGroups, name)
				p.never(at, "Kubernetes has no resource %s", name).Hint = fmt.Sprintf("write %s", plural)
			}
			if r == "pods" && !p.Mutating && holds(rule.Operations, "DELETE") && holds(rule.APIGroups, "") && !seesEvictions() {
				p.at(at, "an eviction deletes a pod without DELETE on pods").Hint = "add a rule for CREATE on pods/eviction"
			}
		}
	}
}

// isMisspelt reports an entry of a rule's resources that means a resource of Kubernetes itself but does not name it.
func (p pass) isMisspelt(groups []string, entry string) bool {
	name, _, _ := strings.Cut(entry, "/")
	if !partName.MatchString(name) || p.namesResource(groups, name) {
		return false
	}
	_, ok := p.plural(groups, name)
	return ok
}

// namesResource reports whether an entry of a rule's resources names a resource of one of the groups. It reports true
// if a group is not Kubernetes' own, because its resources are unknown.
func (p pass) namesResource(groups []string, entry string) bool {
	name, _, _ := strings.Cut(entry, "/")
	return name == "*" || !p.areBuiltin(groups) || slices.ContainsFunc(p.builtin, func(r model.BuiltinResource) bool {
		return r.Name == name && slices.Contains(groups, r.Group)
	})
}

// areBuiltin reports groups that are all Kubernetes' own.
func (p pass) areBuiltin(groups []string) bool {
	return !slices.ContainsFunc(groups, func(group string) bool {
		return !slices.ContainsFunc(p.builtin, func(r model.BuiltinResource) bool { return r.Group == group })
	})
}

// callers returns the webhooks and policies of the run that are called for a request.
func (p webhookPass) callers(r request) []*model.Webhook {
	all := slices.DeleteFunc(p.project.Webhooks(), func(w *model.Webhook) bool { return !slices.ContainsFunc(w.Spec.Rules, r.matchedBy) })
	for _, policy := range p.project.Policies {
		if r.seenBy(policy) {
			all = append(all, matching(policy))
		}
	}
	return all
}

// seenBy reports whether a policy is for the request.
func (r request) seenBy(policy *model.Policy) bool {
	m := policy.Spec.MatchConstraints
	return m != nil && slices.ContainsFunc(matching(policy).Spec.Rules, r.matchedBy) &&
		!slices.ContainsFunc(m.ExcludeResourceRules, func(x admissionregistrationv1.NamedRuleWithOperations) bool {
			return len(x.ResourceNames) == 0 && r.matchedBy(x.RuleWithOperations)
		})
}

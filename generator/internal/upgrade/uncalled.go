// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/manifest"
	"github.com/webhook-gen/webhook-gen/generator/internal/spec"
)

// uncalled reports what webhooks are for and no definition has: resources and versions.
func uncalled(p *pass) {
	resourcesGone(p)
	versionsGone(p)
}

// resourcesGone reports resources of a group with definitions that none of these defines.
func resourcesGone(p *pass) {
	before := p.from.Webhooks
	for _, w := range p.to.Webhooks {
		for i, rule := range w.Spec.Rules {
			for _, group := range rule.APIGroups {
				for j, pattern := range rule.Resources {
					resource, _, _ := strings.Cut(pattern, "/")
					if !p.undefined(group, resource) || slices.ContainsFunc(before, func(o *Webhook) bool {
						return o.Spec.Name == w.Spec.Name && o.Mutating == w.Mutating && o.rulesName(group, resource)
					}) {
						continue
					}
					p.report(Finding{Range: w.Where(fmt.Sprintf("rules[%d].resources[%d]", i, j)), Severity: Breaking,
						Message: fmt.Sprintf("webhook %s is for %s of %s, and no definition of the group has this resource", w.Spec.Name, resource, group),
						Effect:  "It is never called for it. Nothing enforces its rules, unless another webhook does.",
						Steps:   []string{"name a resource that a definition has, by its plural", "or remove the rule"}})
				}
			}
		}
	}
}

// undefined reports whether the new state defines resources of the group, and neither state defines this one.
func (s *step) undefined(group, resource string) bool {
	defines := func(d *Definition) bool { return d.Group == group && d.Plural == resource }
	return resource != "*" && !slices.ContainsFunc(slices.Concat(s.from.Definitions, s.to.Definitions), defines) &&
		slices.ContainsFunc(s.to.Definitions, func(d *Definition) bool { return d.Group == group && !d.derived })
}

// rulesName reports whether a rule of the webhook names the resource of the group, or a subresource of it.
func (w *Webhook) rulesName(group, resource string) bool {
	return slices.ContainsFunc(w.Spec.Rules, func(r admissionregistrationv1.RuleWithOperations) bool {
		return slices.Contains(r.APIGroups, group) && slices.ContainsFunc(r.Resources, func(pattern string) bool {
			named, _, _ := strings.Cut(pattern, "/")
			return named == resource
		})
	})
}

func versionsGone(p *pass) {
	for _, d := range p.to.Definitions {
		old := cmp.Or(p.from.definition(d.Name), &Definition{Definition: &manifest.Definition{}})
		for _, w := range p.to.Webhooks {
			rule, lacking := onlyLacking(w, d)
			if d.derived { // other versions may exist
				lacking = slices.DeleteFunc(lacking, func(version string) bool { _, ok := old.version(version); return !ok })
			}
			if len(lacking) == 0 || slices.ContainsFunc(p.from.Webhooks, func(o *Webhook) bool {
				_, before := onlyLacking(o, old)
				return o.Spec.Name == w.Spec.Name && o.Mutating == w.Mutating && before != nil
			}) {
				continue
			}
			p.report(Finding{Range: w.Where(fmt.Sprintf("rules[%d].apiVersions", rule)), Severity: Breaking,
				Message: fmt.Sprintf("webhook %s is for %s of %s, and for no version that the definition has", w.Spec.Name, strings.Join(lacking, ", "), d.Name),
				Effect:  "It is never called for them, whatever matchPolicy says. Nothing enforces its rules, unless another webhook does.",
				Steps:   []string{"name a version that the definition has: with matchPolicy Equivalent, objects of all others are converted to it", "or remove the webhook"}})
		}
	}
}

// onlyLacking returns the versions of a kind that the webhook is for, and the last of their rules, if the definition
// has none of them.
func onlyLacking(w *Webhook, d *Definition) (rule int, lacking []string) {
	for i, r := range w.Spec.Rules {
		if !names(r, d) {
			continue
		}
		if slices.ContainsFunc(d.Versions, func(v manifest.Version) bool { return slices.ContainsFunc(r.APIVersions, matching(v.Name)) }) {
			return 0, nil
		}
		for _, version := range r.APIVersions {
			if version != "*" && !slices.Contains(lacking, version) {
				rule, lacking = i, append(lacking, version)
			}
		}
	}
	return rule, lacking
}

// names reports whether a rule is for a kind, or for something of it, in some version.
func names(r admissionregistrationv1.RuleWithOperations, d *Definition) bool {
	return spec.Meet(r.APIGroups, []string{d.Group}) && spec.ResourcesMeet(r.Resources, []string{d.Plural + "/*"})
}

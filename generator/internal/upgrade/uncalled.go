// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/manifest"
)

func versionsGone(p *pass) {
	for _, d := range p.definitions {
		for _, w := range p.to.webhooks() {
			rule, gone := -1, []string(nil)
			live := false
			for i, r := range w.Spec.Rules {
				if !names(r, d.new) {
					continue
				}
				live = live || slices.ContainsFunc(d.new.Versions, func(v manifest.Version) bool { return slices.ContainsFunc(r.APIVersions, matching(v.Name)) })
				for _, v := range d.old.Versions {
					if slices.ContainsFunc(r.APIVersions, matching(v.Name)) && !slices.Contains(gone, v.Name) {
						rule, gone = i, append(gone, v.Name)
					}
				}
			}
			if live || gone == nil {
				continue
			}
			p.report(Finding{Range: w.Where(fmt.Sprintf("rules[%d].apiVersions", rule)), Severity: Careful,
				Message: fmt.Sprintf("webhook %s is for %s of %s, and for no version that the definition still has", w.Spec.Name, strings.Join(gone, ", "), d.new.Name),
				Effect:  "It is not called for them any more, whatever matchPolicy says. What it held no longer holds, unless another webhook holds it.",
				Steps:   []string{"name a version that stays: with matchPolicy Equivalent, objects of all others are converted to it", "or take the webhook away"}})
		}
	}
}

// names reports whether a rule is for a kind, or for something of it, in some version.
func names(r admissionregistrationv1.RuleWithOperations, d *Definition) bool {
	return slices.ContainsFunc(r.APIGroups, matching(d.Group)) && slices.ContainsFunc(r.Resources, func(pattern string) bool {
		resource, _, _ := strings.Cut(pattern, "/")
		return matching(d.Plural)(resource)
	})
}

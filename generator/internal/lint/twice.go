// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// twice reports two webhooks for two versions of a kind that are both called for each request: with matchPolicy
// Equivalent, API servers convert an object to the version of a rule
// (k8s.io/apiserver/pkg/admission/plugin/webhook/generic, ShouldCallHook).
func twice(p pass) {
	type key struct {
		mutating        bool
		group, resource string
	}
	keys := func(w *model.Webhook) (all []key) {
		for _, r := range w.Spec.Rules {
			for _, resource := range r.Resources {
				if len(r.APIGroups) == 1 {
					all = append(all, key{w.Mutating, r.APIGroups[0], resource})
				}
			}
		}
		return all
	}
	webhooks := p.project.Webhooks()
	having := map[key][]int{} // indexes of webhooks
	for i, w := range webhooks {
		for _, k := range keys(w) {
			having[k] = append(having[k], i)
		}
	}
	for i, w := range webhooks {
		this := webhookPass{pass: p, Webhook: w}
		if this.isExact() {
			continue
		}
		var others []int
		for _, k := range keys(w) {
			others = append(others, having[k]...)
		}
		slices.Sort(others)
		for _, j := range slices.Compact(others) {
			other := webhooks[j]
			if i == j || (webhookPass{pass: p, Webhook: other}).isExact() {
				continue
			}
			if rule, resource, ok := this.equivalent(other); ok && sameChoice(w, other) {
				p.report(w, w.Where(fmt.Sprintf("rules[%d].apiVersions", rule)),
					"each request for %s calls %s as well: with matchPolicy Equivalent, API servers convert objects to the version of a rule", resource, other.Spec.Name)
				break
			}
		}
	}
}

// sameChoice reports whether two webhooks choose the same objects of what their rules match.
func sameChoice(a, b *model.Webhook) bool {
	choosesAll := func(w *model.Webhook) bool {
		return isEmpty(w.Spec.NamespaceSelector) && isEmpty(w.Spec.ObjectSelector) && len(w.Spec.MatchConditions) == 0
	}
	return choosesAll(a) && choosesAll(b) ||
		reflect.DeepEqual(a.Spec.NamespaceSelector, b.Spec.NamespaceSelector) && reflect.DeepEqual(a.Spec.ObjectSelector, b.Spec.ObjectSelector) &&
			reflect.DeepEqual(a.Spec.MatchConditions, b.Spec.MatchConditions)
}

// equivalent finds a rule of the webhook and one of another webhook that are for one resource in different versions,
// which are known to exist.
func (p webhookPass) equivalent(other *model.Webhook) (rule int, resource string, ok bool) {
	for i, a := range p.Spec.Rules {
		for _, b := range other.Spec.Rules {
			if len(a.APIGroups) != 1 || !slices.Equal(a.APIGroups, b.APIGroups) || !shareOperation(a, b) ||
				slices.ContainsFunc(a.APIVersions, func(version string) bool { return version == "*" || holds(b.APIVersions, version) }) {
				continue
			}
			for _, name := range a.Resources {
				if slices.Contains(b.Resources, name) && !strings.Contains(name, "*") && p.haveVersions(name, a, b, other) {
					return i, name, true
				}
			}
		}
	}
	return 0, "", false
}

func shareOperation(a, b admissionregistrationv1.RuleWithOperations) bool {
	return slices.ContainsFunc(a.Operations, func(o admissionregistrationv1.OperationType) bool {
		return o == "*" && len(b.Operations) > 0 || holds(b.Operations, o)
	})
}

// haveVersions reports whether a resource is known to have a version of each of two rules, by its definition, its
// types, or the table of Kubernetes' resources.
func (p webhookPass) haveVersions(name string, a, b admissionregistrationv1.RuleWithOperations, other *model.Webhook) bool {
	resource, _, _ := strings.Cut(name, "/")
	known, defined := p.Defined[resource+"."+a.APIGroups[0]]
	if !defined {
		for _, s := range p.pass.served {
			if s.group == a.APIGroups[0] && s.resource == name {
				known = append(known, s.version)
			}
		}
	}
	if !defined && len(known) == 0 {
		return p.Kind != nil && other.Kind != nil && p.Kind.Group == other.Kind.Group && p.Kind.Kind == other.Kind.Kind && p.Kind.Version != other.Kind.Version
	}
	has := func(rule admissionregistrationv1.RuleWithOperations) bool {
		return slices.ContainsFunc(rule.APIVersions, func(version string) bool { return slices.Contains(known, version) })
	}
	return has(a) && has(b)
}

// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// exact reports matchPolicy Exact beside rules that name versions. It reports nothing if other webhooks handle the
// other versions, or if there are no other versions.
func exact(p webhookPass) {
	if !p.isExact() {
		return
	}
	for _, rule := range p.Spec.Rules {
		if len(rule.APIVersions) > 0 && !slices.Contains(rule.APIVersions, "*") && !p.othersSee(rule) && !p.hasAllVersions(rule) {
			d := p.at("matchPolicy", "with matchPolicy Exact the webhook misses objects sent in another version than %s", strings.Join(rule.APIVersions, ", "))
			if p.Spec.MatchPolicy == nil {
				d.Hint = "set matchPolicy to Equivalent: the default of v1beta1 is Exact"
			}
			return
		}
	}
}

// othersSee reports whether another webhook of the same kind is for the same resources in other versions.
func (p webhookPass) othersSee(rule admissionregistrationv1.RuleWithOperations) bool {
	return slices.ContainsFunc(p.project.Webhooks(), func(w *model.Webhook) bool {
		return w.Mutating == p.Mutating && w != p.Webhook && slices.ContainsFunc(w.Spec.Rules, func(other admissionregistrationv1.RuleWithOperations) bool {
			return slices.Equal(other.APIGroups, rule.APIGroups) && slices.Equal(other.Resources, rule.Resources) && !slices.Equal(other.APIVersions, rule.APIVersions)
		})
	})
}

// hasAllVersions reports whether a rule names every version in which its resources are known to be served.
func (p webhookPass) hasAllVersions(rule admissionregistrationv1.RuleWithOperations) bool {
	for _, group := range rule.APIGroups {
		for _, r := range rule.Resources {
			resource, _, _ := strings.Cut(r, "/")
			served, isKnown := p.Served[resource+"."+group]
			if !isKnown || slices.ContainsFunc(served, func(version string) bool { return !slices.Contains(rule.APIVersions, version) }) {
				return false
			}
		}
	}
	return true
}

// selectorWithoutNamespace reports a namespaceSelector on rules for nothing but objects without a namespace.
func selectorWithoutNamespace(p webhookPass) {
	selector := p.Spec.NamespaceSelector
	if isEmpty(selector) || len(p.Spec.Rules) == 0 || onlyLeavesOut(selector) || slices.ContainsFunc(p.Spec.Rules, p.mayHaveNamespace) {
		return
	}
	p.at("namespaceSelector", "the webhook is for objects without a namespace, for which namespaceSelector is ignored")
}

// onlyLeavesOut reports a selector that names namespaces to leave out, as every webhook of a project may have it.
func onlyLeavesOut(s *metav1.LabelSelector) bool {
	return len(s.MatchLabels) == 0 && !slices.ContainsFunc(s.MatchExpressions, func(e metav1.LabelSelectorRequirement) bool {
		return e.Key != corev1.LabelMetadataName || e.Operator != metav1.LabelSelectorOpNotIn
	})
}

// mayHaveNamespace reports a rule that may match Namespaces or objects in them.
func (p pass) mayHaveNamespace(rule admissionregistrationv1.RuleWithOperations) bool {
	scoped := rule.Scope != nil && *rule.Scope == "Cluster"
	return len(rule.Resources) == 0 || len(rule.APIGroups) == 0 || slices.ContainsFunc(rule.Resources, func(entry string) bool {
		name, _, _ := strings.Cut(entry, "/")
		return name == "*" || name == "namespaces" || !scoped && slices.ContainsFunc(rule.APIGroups, func(group string) bool {
			return !slices.ContainsFunc(p.builtin, func(r model.BuiltinResource) bool { return r.Group == group && r.Name == name && !r.Namespaced })
		})
	})
}

// names reports that an entry of a rule's resources names a resource of a group, or "*" in it does where the rule
// is for that group alone.
func names(rule admissionregistrationv1.RuleWithOperations, entry, group, resource string) bool {
	name, _, _ := strings.Cut(entry, "/")
	if name == "*" {
		return len(rule.APIGroups) == 1 && rule.APIGroups[0] == group
	}
	return name == resource && holds(rule.APIGroups, group)
}

func reviews(p webhookPass) {
	p.ofGroups("%s are asked, not stored: API servers from 1.37 on call no webhook for them", "authentication.k8s.io", "authorization.k8s.io")
}

func exempt(p webhookPass) {
	if !strings.HasSuffix(p.Configuration, staticSuffix) { // those are called for them
		p.ofGroups("API servers call no webhook for %s", "admissionregistration.k8s.io")
	}
}

// ofGroups reports resources of groups of Kubernetes. The format is for the name of the resource.
func (p webhookPass) ofGroups(format string, groups ...string) {
	for i, rule := range p.Spec.Rules {
		for j, entry := range rule.Resources {
			k := slices.IndexFunc(p.builtin, func(r model.BuiltinResource) bool {
				return slices.Contains(groups, r.Group) && names(rule, entry, r.Group, r.Name)
			})
			if k >= 0 {
				p.at(fmt.Sprintf("rules[%d].resources[%d]", i, j), format, p.builtin[k].Name)
			}
		}
	}
}

// futileOperations reports DELETE in mutating webhooks, and CONNECT without a subresource.
func futileOperations(p webhookPass) {
	for i, rule := range p.Spec.Rules {
		isSub := func(r string) bool { return strings.Contains(r, "/") }
		for j, o := range rule.Operations {
			at := fmt.Sprintf("rules[%d].operations[%d]", i, j)
			switch {
			case p.Mutating && o == "DELETE":
				p.at(at, "a mutating webhook has nothing to change on DELETE").Hint = "use a validating webhook to deny it"
			case p.Mutating && o == "*" && !connectsOnly(rule):
				p.at(at, "* has DELETE in it, on which a mutating webhook has nothing to change").Hint = "name the operations: create, update"
			case o == "CONNECT" && len(rule.Resources) > 0 && !slices.ContainsFunc(rule.Resources, isSub):
				p.never(at, "CONNECT never happens to %s, only to subresources", strings.Join(rule.Resources, ", ")).Hint = "name the subresource, as in pods/exec, or remove CONNECT"
			}
		}
	}
}

// connectsOnly reports a rule for subresources alone, which are not deleted.
func connectsOnly(rule admissionregistrationv1.RuleWithOperations) bool {
	return !slices.ContainsFunc(rule.Resources, func(r string) bool {
		_, sub, isSub := strings.Cut(r, "/")
		return !isSub || sub == "*"
	})
}

// optOut reports labels by which users keep objects from a webhook.
func optOut(p webhookPass) {
	s := p.Spec.ObjectSelector
	creates := slices.ContainsFunc(p.Spec.Rules, func(r admissionregistrationv1.RuleWithOperations) bool { return holds(r.Operations, "CREATE") })
	if p.Mutating || s == nil || !creates {
		return
	}
	for _, e := range s.MatchExpressions {
		if e.Operator == metav1.LabelSelectorOpNotIn || e.Operator == metav1.LabelSelectorOpDoesNotExist {
			p.at("objectSelector", "whoever creates an object with the label %s keeps it from the webhook", e.Key)
			return
		}
	}
}

func untestedReinvocation(p webhookPass) {
	if policy := p.Spec.ReinvocationPolicy; policy != nil && *policy == "IfNeeded" && p.Handler != nil && !p.Tests {
		p.at("reinvocationPolicy", "nothing tests that the webhook leaves its own work alone")
	}
}

// unbundled reports settings that the bundle generator of operator-sdk loses, because a ClusterServiceVersion has no
// fields for them (github.com/operator-framework/api/pkg/operators/v1alpha1, WebhookDescription).
func unbundled(p webhookPass) {
	if !p.Bundled {
		return
	}
	if !isEmpty(p.Spec.NamespaceSelector) {
		p.at("namespaceSelector", "operator-sdk generate bundle loses namespaceSelector: OLM sets it to the namespaces of the OperatorGroup")
	}
	if len(p.OwnConditions()) > 0 {
		p.at("matchConditions", "operator-sdk generate bundle loses matchConditions: OLM calls the webhook for each request of its rules")
	}
}

// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// request is what a rule matches: an operation on a resource or subresource.
type request struct {
	operation  admissionregistrationv1.OperationType
	group      string
	resource   string // "pods", "pods/status"
	namespaced bool
}

// matchedBy is k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules, Matcher.Matches, whatever the version.
func (r request) matchedBy(rule admissionregistrationv1.RuleWithOperations) bool {
	return holds(rule.Operations, r.operation) && holds(rule.APIGroups, r.group) && matchesScope(rule, r.namespaced) &&
		slices.ContainsFunc(rule.Resources, func(pattern string) bool { return matchesResource(pattern, r.resource) })
}

func holds[T ~string](list []T, word T) bool {
	return slices.Contains(list, "*") || slices.Contains(list, word)
}

func matchesScope(rule admissionregistrationv1.RuleWithOperations, namespaced bool) bool {
	return rule.Scope == nil || *rule.Scope == "*" || (*rule.Scope == "Namespaced") == namespaced
}

// matchesResource: * covers no subresources, */* everything.
func matchesResource(pattern, resource string) bool {
	name, sub, _ := strings.Cut(resource, "/")
	wantName, wantSub, _ := strings.Cut(pattern, "/")
	return (wantName == "*" || wantName == name) && (wantSub == sub || wantSub == "*")
}

// isEmpty reports a selector that selects everything.
func isEmpty(s *metav1.LabelSelector) bool {
	return s == nil || len(s.MatchLabels)+len(s.MatchExpressions) == 0
}

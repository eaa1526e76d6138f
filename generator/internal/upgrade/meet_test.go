// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestMeet(t *testing.T) {
	exact, equivalent := admissionregistrationv1.Exact, admissionregistrationv1.Equivalent
	namespaced, cluster := admissionregistrationv1.NamespacedScope, admissionregistrationv1.ClusterScope
	webhook := func(edit func(*admissionregistrationv1.MutatingWebhook, *admissionregistrationv1.RuleWithOperations)) *Webhook {
		rule := admissionregistrationv1.RuleWithOperations{Operations: []admissionregistrationv1.OperationType{"CREATE"},
			Rule: admissionregistrationv1.Rule{APIGroups: []string{"shop.example.com"}, APIVersions: []string{"v1"}, Resources: []string{"orders"}}}
		w := &Webhook{Spec: admissionregistrationv1.MutatingWebhook{MatchPolicy: &exact, NamespaceSelector: &metav1.LabelSelector{}, ObjectSelector: &metav1.LabelSelector{}}}
		edit(&w.Spec, &rule)
		w.Spec.Rules = []admissionregistrationv1.RuleWithOperations{rule}
		return w
	}
	type spec = admissionregistrationv1.MutatingWebhook
	type rule = admissionregistrationv1.RuleWithOperations
	labels := func(key string, operator metav1.LabelSelectorOperator, values ...string) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key, Operator: operator, Values: values}}}
	}
	for name, test := range map[string]struct {
		a, b func(*spec, *rule)
		want bool
	}{
		"the same rule":                 {func(*spec, *rule) {}, func(*spec, *rule) {}, true},
		"another operation":             {func(*spec, *rule) {}, func(_ *spec, r *rule) { r.Operations = []admissionregistrationv1.OperationType{"DELETE"} }, false},
		"any operation":                 {func(*spec, *rule) {}, func(_ *spec, r *rule) { r.Operations = []admissionregistrationv1.OperationType{"*"} }, true},
		"another resource":              {func(*spec, *rule) {}, func(_ *spec, r *rule) { r.Resources = []string{"parcels"} }, false},
		"a subresource":                 {func(*spec, *rule) {}, func(_ *spec, r *rule) { r.Resources = []string{"orders/status"} }, false},
		"the resource and subresources": {func(*spec, *rule) {}, func(_ *spec, r *rule) { r.Resources = []string{"orders/*"} }, true},
		"any resource":                  {func(*spec, *rule) {}, func(_ *spec, r *rule) { r.Resources = []string{"*"} }, true},
		"another group":                 {func(*spec, *rule) {}, func(s *spec, r *rule) { s.MatchPolicy, r.APIGroups = &equivalent, []string{"example.org"} }, false},
		"groups of Kubernetes": {func(_ *spec, r *rule) { r.APIGroups = []string{"networking.k8s.io"} },
			func(s *spec, r *rule) { s.MatchPolicy, r.APIGroups = &equivalent, []string{"extensions"} }, true},
		"another version":               {func(*spec, *rule) {}, func(_ *spec, r *rule) { r.APIVersions = []string{"v2"} }, false},
		"another version by conversion": {func(*spec, *rule) {}, func(s *spec, r *rule) { s.MatchPolicy, r.APIVersions = &equivalent, []string{"v2"} }, true},
		"another scope":                 {func(_ *spec, r *rule) { r.Scope = &namespaced }, func(_ *spec, r *rule) { r.Scope = &cluster }, false},
		"other namespaces": {func(s *spec, _ *rule) { s.NamespaceSelector = labels("team", "In", "a", "b") },
			func(s *spec, _ *rule) { s.NamespaceSelector = labels("team", "In", "c") }, false},
		"some of the same namespaces": {func(s *spec, _ *rule) { s.NamespaceSelector = labels("team", "In", "a", "b") },
			func(s *spec, _ *rule) { s.NamespaceSelector = labels("team", "In", "b") }, true},
		"namespaces left out": {func(s *spec, _ *rule) { s.NamespaceSelector = labels("team", "NotIn", "a", "b") },
			func(s *spec, _ *rule) { s.NamespaceSelector = labels("team", "In", "b") }, false},
		"labels or none": {func(s *spec, _ *rule) { s.ObjectSelector = labels("team", "Exists") },
			func(s *spec, _ *rule) { s.ObjectSelector = labels("team", "DoesNotExist") }, false},
		"matchLabels": {func(s *spec, _ *rule) {
			s.ObjectSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"team": "a"}}
		},
			func(s *spec, _ *rule) { s.ObjectSelector = labels("team", "DoesNotExist") }, false},
		"labels of other keys": {func(s *spec, _ *rule) { s.ObjectSelector = labels("team", "Exists") },
			func(s *spec, _ *rule) { s.ObjectSelector = labels("shop", "DoesNotExist") }, true},
	} {
		if one, other := meet(webhook(test.a), webhook(test.b)), meet(webhook(test.b), webhook(test.a)); one != test.want || other != test.want {
			t.Errorf("%s: %t and the other way round %t, want %t", name, one, other, test.want)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"cmp"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Defaulted returns a webhook as an API server stores it: k8s.io/kubernetes/pkg/apis/admissionregistration/v1 and
// v1beta1, SetDefaults_MutatingWebhook, SetDefaults_ValidatingWebhook, SetDefaults_Rule and
// SetDefaults_ServiceReference. Validating drops the field that a validating webhook does not have.
func Defaulted(w admissionregistrationv1.MutatingWebhook, api string) admissionregistrationv1.MutatingWebhook {
	w = *w.DeepCopy()
	failure, match, timeout := admissionregistrationv1.Fail, admissionregistrationv1.Equivalent, int32(10)
	if api == "v1beta1" {
		failure, match, timeout = admissionregistrationv1.Ignore, admissionregistrationv1.Exact, 30
		w.SideEffects = cmp.Or(w.SideEffects, new(admissionregistrationv1.SideEffectClassUnknown))
		if len(w.AdmissionReviewVersions) == 0 {
			w.AdmissionReviewVersions = []string{"v1beta1"}
		}
	}
	w.FailurePolicy = cmp.Or(w.FailurePolicy, &failure)
	w.MatchPolicy = cmp.Or(w.MatchPolicy, &match)
	w.TimeoutSeconds = cmp.Or(w.TimeoutSeconds, &timeout)
	w.ReinvocationPolicy = cmp.Or(w.ReinvocationPolicy, new(admissionregistrationv1.NeverReinvocationPolicy))
	w.NamespaceSelector = cmp.Or(w.NamespaceSelector, &metav1.LabelSelector{})
	w.ObjectSelector = cmp.Or(w.ObjectSelector, &metav1.LabelSelector{})
	for i := range w.Rules {
		defaultScope(&w.Rules[i])
	}
	if w.ClientConfig.Service != nil {
		w.ClientConfig.Service.Port = Port(w.ClientConfig.Service.Port)
	}
	return w
}

// DefaultedMatch returns match constraints as an API server stores them (SetDefaults_MatchResources and
// SetDefaults_Rule).
func DefaultedMatch(m *admissionregistrationv1.MatchResources) *admissionregistrationv1.MatchResources {
	m = cmp.Or(m, &admissionregistrationv1.MatchResources{}).DeepCopy()
	m.MatchPolicy = cmp.Or(m.MatchPolicy, new(admissionregistrationv1.Equivalent))
	m.NamespaceSelector = cmp.Or(m.NamespaceSelector, &metav1.LabelSelector{})
	m.ObjectSelector = cmp.Or(m.ObjectSelector, &metav1.LabelSelector{})
	for _, rules := range [][]admissionregistrationv1.NamedRuleWithOperations{m.ResourceRules, m.ExcludeResourceRules} {
		for i := range rules {
			defaultScope(&rules[i].RuleWithOperations)
		}
	}
	return m
}

// Port returns the port of a Service, 443 by default.
func Port(port *int32) *int32 { return cmp.Or(port, new(int32(443))) }

func defaultScope(r *admissionregistrationv1.RuleWithOperations) {
	r.Scope = cmp.Or(r.Scope, new(admissionregistrationv1.AllScopes))
}

// SPDX-License-Identifier: Apache-2.0

package configuration

import (
	v1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// defaults are the values that an API server sets for absent fields of a webhook. They are taken from
// k8s.io/kubernetes/pkg/apis/admissionregistration/{v1,v1beta1}/defaults.go, which cannot be imported.
type defaults struct {
	failurePolicy  v1.FailurePolicyType
	matchPolicy    v1.MatchPolicyType
	sideEffects    *v1.SideEffectClass // nil where the version requires it
	timeoutSeconds int32
	reviewVersions []string
}

// defaultsOf returns the defaults of the version in which the object is written.
func defaultsOf(object *unstructured.Unstructured) defaults {
	if object.GroupVersionKind().Version == "v1" {
		return defaults{failurePolicy: v1.Fail, matchPolicy: v1.Equivalent, timeoutSeconds: 10}
	}
	return defaults{
		failurePolicy: v1.Ignore, matchPolicy: v1.Exact, sideEffects: new(v1.SideEffectClassUnknown), timeoutSeconds: 30, reviewVersions: []string{"v1beta1"},
	}
}

// fields are the fields that have defaults, of a webhook of either kind.
type fields struct {
	failurePolicy     **v1.FailurePolicyType
	matchPolicy       **v1.MatchPolicyType
	namespaceSelector **metav1.LabelSelector
	objectSelector    **metav1.LabelSelector
	sideEffects       **v1.SideEffectClass
	timeoutSeconds    **int32
	reviewVersions    *[]string
	rules             []v1.RuleWithOperations
}

func fieldsOfMutating(w *v1.MutatingWebhook) fields {
	return fields{
		&w.FailurePolicy, &w.MatchPolicy, &w.NamespaceSelector, &w.ObjectSelector, &w.SideEffects, &w.TimeoutSeconds,
		&w.AdmissionReviewVersions, w.Rules,
	}
}

func fieldsOfValidating(w *v1.ValidatingWebhook) fields {
	return fields{
		&w.FailurePolicy, &w.MatchPolicy, &w.NamespaceSelector, &w.ObjectSelector, &w.SideEffects, &w.TimeoutSeconds,
		&w.AdmissionReviewVersions, w.Rules,
	}
}

func (d defaults) fill(f fields) {
	fill(f.failurePolicy, d.failurePolicy)
	fill(f.matchPolicy, d.matchPolicy)
	fill(f.namespaceSelector, metav1.LabelSelector{})
	fill(f.objectSelector, metav1.LabelSelector{})
	fill(f.timeoutSeconds, d.timeoutSeconds)
	if d.sideEffects != nil {
		fill(f.sideEffects, *d.sideEffects)
	}
	if len(*f.reviewVersions) == 0 {
		*f.reviewVersions = d.reviewVersions
	}
	for i := range f.rules {
		fill(&f.rules[i].Scope, v1.AllScopes)
	}
}

func fill[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}

// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/spec"
)

// meet reports whether two webhooks may be called for one request. They are not if their rules or selectors exclude
// each other; conditions are not compared.
func meet(a, b *Webhook) bool {
	equivalent := *a.Spec.MatchPolicy == admissionregistrationv1.Equivalent || *b.Spec.MatchPolicy == admissionregistrationv1.Equivalent
	return !apart(a.Spec.NamespaceSelector, b.Spec.NamespaceSelector) && !apart(a.Spec.ObjectSelector, b.Spec.ObjectSelector) &&
		slices.ContainsFunc(a.Spec.Rules, func(one admissionregistrationv1.RuleWithOperations) bool {
			return slices.ContainsFunc(b.Spec.Rules, func(another admissionregistrationv1.RuleWithOperations) bool {
				return rulesMeet(one, another, equivalent)
			})
		})
}

// rulesMeet reports whether a request may match both rules. With matchPolicy Equivalent it may match a rule for another
// version, and for another group of Kubernetes' own.
func rulesMeet(a, b admissionregistrationv1.RuleWithOperations, equivalent bool) bool {
	own := func(groups []string) bool {
		return slices.ContainsFunc(groups, func(g string) bool { return !strings.Contains(g, ".") || strings.HasSuffix(g, ".k8s.io") })
	}
	return spec.Meet(a.Operations, b.Operations) &&
		(spec.Meet(a.APIGroups, b.APIGroups) || equivalent && own(a.APIGroups) && own(b.APIGroups)) &&
		(spec.Meet(a.APIVersions, b.APIVersions) || equivalent) &&
		spec.ResourcesMeet(a.Resources, b.Resources) && scopesMeet(a.Scope, b.Scope)
}

func scopesMeet(a, b *admissionregistrationv1.ScopeType) bool {
	return a == nil || b == nil || *a == *b || *a == admissionregistrationv1.AllScopes || *b == admissionregistrationv1.AllScopes
}

// apart reports whether a requirement of one selector contradicts one of the other, so that no object has labels for
// both.
func apart(a, b *metav1.LabelSelector) bool {
	return slices.ContainsFunc(requirements(a), func(one metav1.LabelSelectorRequirement) bool {
		return slices.ContainsFunc(requirements(b), func(another metav1.LabelSelectorRequirement) bool {
			// The other way round is the same, except for operators that do not exist.
			return requirementImplies(one, opposite(another)) && requirementImplies(another, opposite(one))
		})
	})
}

// opposite is the requirement that selects the other objects.
func opposite(r metav1.LabelSelectorRequirement) metav1.LabelSelectorRequirement {
	r.Operator = map[metav1.LabelSelectorOperator]metav1.LabelSelectorOperator{
		metav1.LabelSelectorOpIn: metav1.LabelSelectorOpNotIn, metav1.LabelSelectorOpNotIn: metav1.LabelSelectorOpIn,
		metav1.LabelSelectorOpExists: metav1.LabelSelectorOpDoesNotExist, metav1.LabelSelectorOpDoesNotExist: metav1.LabelSelectorOpExists,
	}[r.Operator]
	return r
}

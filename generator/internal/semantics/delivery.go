// SPDX-License-Identifier: Apache-2.0

package semantics

import (
	"cmp"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// deliver sets the fields of a webhook that depend on the deployment of its service: the CA bundle of the service's
// certificate, and the namespaces excluded from the webhook.
func (b *builder) deliver(w *model.Webhook) {
	config := &w.Spec.ClientConfig
	if s := config.Service; s != nil && s.Name == b.options.Service.Name && s.Namespace == b.options.Service.Namespace && config.CABundle == nil {
		config.CABundle = b.options.CABundle
	}
	if len(b.options.KeepOut) == 0 || !slices.ContainsFunc(w.Spec.Rules, matchesBuiltin) || selectsByName(w.Spec.NamespaceSelector) {
		return
	}
	w.KeptOut = true
	// Other webhooks may share this selector as the package's default.
	selector := cmp.Or(w.Spec.NamespaceSelector, &metav1.LabelSelector{}).DeepCopy()
	selector.MatchExpressions = append(selector.MatchExpressions, metav1.LabelSelectorRequirement{
		Key: corev1.LabelMetadataName, Operator: metav1.LabelSelectorOpNotIn, Values: b.options.KeepOut,
	})
	w.Spec.NamespaceSelector = selector
}

// matchesBuiltin reports whether a rule matches objects of Kubernetes itself, such as pods: the webhook's own server
// runs in one.
func matchesBuiltin(r admissionregistrationv1.RuleWithOperations) bool {
	return slices.ContainsFunc(r.APIGroups, func(group string) bool { return group == "*" || model.IsBuiltinGroup(group) })
}

// selectsByName reports whether a selector already selects namespaces by name.
func selectsByName(s *metav1.LabelSelector) bool {
	if s == nil {
		return false
	}
	_, byLabel := s.MatchLabels[corev1.LabelMetadataName]
	return byLabel || slices.ContainsFunc(s.MatchExpressions, func(r metav1.LabelSelectorRequirement) bool { return r.Key == corev1.LabelMetadataName })
}

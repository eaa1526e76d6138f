// SPDX-License-Identifier: Apache-2.0

// Package configuration reads MutatingWebhookConfigurations and ValidatingWebhookConfigurations as the API server holds
// them: in version v1, with every default filled in.
package configuration

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apiserver/pkg/admission/plugin/webhook"

	"github.com/webhook-gen/webhook-gen/explain/internal/object"
)

// Group is the API group of webhook configurations.
const Group = "admissionregistration.k8s.io"

// Set is the configurations that one API server knows. Within each list the names differ.
type Set struct {
	Mutating   []*v1.MutatingWebhookConfiguration
	Validating []*v1.ValidatingWebhookConfiguration
}

// Is reports whether an object is a webhook configuration.
func Is(o *unstructured.Unstructured) bool {
	kind := o.GroupVersionKind()
	return kind.Group == Group && (kind.Kind == "MutatingWebhookConfiguration" || kind.Kind == "ValidatingWebhookConfiguration")
}

// IsStatic reports a configuration for an API server's own disk, by its name. Its webhooks are called by rules of their
// own, for webhook configurations too (k8s.io/apiserver/pkg/admission/plugin/manifest).
func IsStatic(o *unstructured.Unstructured) bool {
	return strings.HasSuffix(o.GetName(), ".static.k8s.io")
}

// Add adds a webhook configuration. One of the same kind and name is an error: of two objects an API server has one.
func (s *Set) Add(o *unstructured.Unstructured) (err error) {
	switch kind := o.GroupVersionKind(); {
	case kind.Version != "v1" && kind.Version != "v1beta1":
		return fmt.Errorf("%s %s: versions v1 and v1beta1 are read, not %s", kind.Kind, o.GetName(), kind.Version)
	case kind.Kind == "MutatingWebhookConfiguration":
		s.Mutating, err = add(s.Mutating, &v1.MutatingWebhookConfiguration{}, o)
	default:
		s.Validating, err = add(s.Validating, &v1.ValidatingWebhookConfiguration{}, o)
	}
	return err
}

// add reads an object into a configuration, and adds it to the others of its kind. It reads v1, and v1beta1 as v1: the
// two differ in their defaults only, not in their fields. It drops fields that neither has, as an API server does.
func add[C metav1.Object](others []C, c C, o *unstructured.Unstructured) ([]C, error) {
	if err := object.Decode(withDefaults(o), c); err != nil {
		return others, err
	}
	if slices.ContainsFunc(others, func(other C) bool { return other.GetName() == c.GetName() }) {
		return others, fmt.Errorf("there are two %ss called %q", o.GetKind(), c.GetName())
	}
	return append(others, c), nil
}

// Webhooks lists the webhooks of all configurations, the mutating ones first.
func (s *Set) Webhooks() (all []webhook.WebhookAccessor) {
	for _, c := range s.Mutating {
		for i := range c.Webhooks {
			all = append(all, webhook.NewMutatingWebhookAccessor("", c.Name, &c.Webhooks[i]))
		}
	}
	for _, c := range s.Validating {
		for i := range c.Webhooks {
			all = append(all, webhook.NewValidatingWebhookAccessor("", c.Name, &c.Webhooks[i]))
		}
	}
	return all
}

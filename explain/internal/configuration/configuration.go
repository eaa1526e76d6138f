// SPDX-License-Identifier: Apache-2.0

// Package configuration reads MutatingWebhookConfigurations and ValidatingWebhookConfigurations as the API server holds
// them: in version v1, with every default filled in.
package configuration

import (
	"fmt"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Group is the API group of webhook configurations.
const Group = "admissionregistration.k8s.io"

// Set is the configurations that one API server knows. Within each list the names differ.
type Set struct {
	Mutating   []*v1.MutatingWebhookConfiguration
	Validating []*v1.ValidatingWebhookConfiguration
}

// Is reports whether an object is a webhook configuration.
func Is(object *unstructured.Unstructured) bool {
	kind := object.GroupVersionKind()
	return kind.Group == Group && (kind.Kind == "MutatingWebhookConfiguration" || kind.Kind == "ValidatingWebhookConfiguration")
}

// IsStatic reports a configuration for an API server's own disk, by its name. Its webhooks are called by rules of their
// own, for webhook configurations too (k8s.io/apiserver/pkg/admission/plugin/manifest).
func IsStatic(object *unstructured.Unstructured) bool {
	return strings.HasSuffix(object.GetName(), ".static.k8s.io")
}

// Add adds a webhook configuration. One of the same kind and name is an error: of two objects an API server has one.
func (s *Set) Add(object *unstructured.Unstructured) error {
	switch kind := object.GroupVersionKind(); {
	case kind.Version != "v1" && kind.Version != "v1beta1":
		return fmt.Errorf("%s %s: versions v1 and v1beta1 are read, not %s", kind.Kind, object.GetName(), kind.Version)
	case kind.Kind == "MutatingWebhookConfiguration":
		c, err := mutating(object)
		if err != nil {
			return fmt.Errorf("%s %s: %w", kind.Kind, object.GetName(), err)
		}
		for _, other := range s.Mutating {
			if other.Name == c.Name {
				return fmt.Errorf("there are two %ss called %q", kind.Kind, c.Name)
			}
		}
		s.Mutating = append(s.Mutating, c)
	default:
		c, err := validating(object)
		if err != nil {
			return fmt.Errorf("%s %s: %w", kind.Kind, object.GetName(), err)
		}
		for _, other := range s.Validating {
			if other.Name == c.Name {
				return fmt.Errorf("there are two %ss called %q", kind.Kind, c.Name)
			}
		}
		s.Validating = append(s.Validating, c)
	}
	return nil
}

func mutating(object *unstructured.Unstructured) (*v1.MutatingWebhookConfiguration, error) {
	c := &v1.MutatingWebhookConfiguration{}
	if err := decode(object, c); err != nil {
		return nil, err
	}
	for i := range c.Webhooks {
		w := &c.Webhooks[i]
		defaultsOf(object).fill(fieldsOfMutating(w))
		fill(&w.ReinvocationPolicy, v1.NeverReinvocationPolicy)
	}
	return c, nil
}

func validating(object *unstructured.Unstructured) (*v1.ValidatingWebhookConfiguration, error) {
	c := &v1.ValidatingWebhookConfiguration{}
	if err := decode(object, c); err != nil {
		return nil, err
	}
	for i := range c.Webhooks {
		defaultsOf(object).fill(fieldsOfValidating(&c.Webhooks[i]))
	}
	return c, nil
}

// decode reads v1, and v1beta1 as v1: the two differ in their defaults only, not in their fields. It drops fields that
// neither has, as an API server does.
func decode(object *unstructured.Unstructured, into any) error {
	return runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, into)
}

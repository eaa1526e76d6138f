// SPDX-License-Identifier: Apache-2.0

package arguments

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// lowercase denies ConfigMaps with capitals in their data.
type lowercase struct{}

func (lowercase) ValidateCreate(_ context.Context, r *admission.CreateRequest[corev1.ConfigMap]) error {
	return isLowercase(r.Object)
}

func (lowercase) ValidateUpdate(_ context.Context, r *admission.UpdateRequest[corev1.ConfigMap]) error {
	return isLowercase(r.Object)
}

func isLowercase(c *corev1.ConfigMap) error {
	var list field.ErrorList
	for key, value := range c.Data {
		if value != strings.ToLower(value) {
			list = append(list, field.Invalid(field.NewPath("data").Key(key), value, "must be lower case"))
		}
	}
	return list.ToAggregate()
}

// Ratcheting warns of errors that the stored object has.
//
// +webhook:validating(for: "v1/ConfigMap", name: ratcheting, operations: "create;update", namespaceSelector: "lowercase=ratchet", ratchet: true)
type Ratcheting struct{ lowercase }

// Rigid denies them.
//
// +webhook:validating(for: "v1/ConfigMap", name: rigid, operations: "create;update", namespaceSelector: "lowercase=rigid")
type Rigid struct{ lowercase }

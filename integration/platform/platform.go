// SPDX-License-Identifier: Apache-2.0

package platform

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// allow allows creation.
type allow struct{}

func (allow) ValidateCreate(context.Context, *admission.RawRequest) error { return nil }

// Ordinary is as the defaults have it.
//
// +webhook:validating(for: "v1/ConfigMap", name: ordinary, decode: none)
type Ordinary struct{ allow }

// Special has everything its own way.
//
// +webhook:validating(for: "v1/ConfigMap", name: special, decode: none, operations: "create;update",
// failurePolicy: Fail, matchPolicy: Equivalent, sideEffects: None, timeoutSeconds: 3, admissionReviewVersions: "v1",
// namespaceSelector: "platform=special", objectSelector: "tier=two",
// service: "integration-system/webhooks:8443", configuration: "platform-special")
type Special struct{ allow }

// ValidateUpdate allows.
func (Special) ValidateUpdate(context.Context, *admission.RawRequest) error { return nil }

// Lost has a Service without a server. The default of failurePolicy lets its objects pass.
//
// +webhook:validating(for: "v1/ConfigMap", name: lost, decode: none, service: "integration-system/nobody:8443")
type Lost struct{ allow }

// Precise is called for Fleets that are sent as v1.
//
// +webhook:validating(for: "github.com/webhook-gen/webhook-gen/integration/api/v1.Fleet", name: precise, decode: none)
type Precise struct{ allow }

// Early is called again, by default, when Late has changed the object.
//
// +webhook:mutating(for: "v1/ConfigMap", name: early, order: -1)
type Early struct{}

// DefaultCreate changes nothing.
func (Early) DefaultCreate(context.Context, *admission.CreateRequest[corev1.ConfigMap]) error {
	return nil
}

// Late changes the object.
//
// +webhook:mutating(for: "v1/ConfigMap", name: late)
type Late struct{}

// DefaultCreate leaves something to be seen.
func (Late) DefaultCreate(_ context.Context, r *admission.CreateRequest[corev1.ConfigMap]) error {
	r.Object.Data = map[string]string{"late": "was here"}
	return nil
}

// SPDX-License-Identifier: Apache-2.0

package arguments

import (
	"context"
	"strings"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	fleetv1 "github.com/webhook-gen/webhook-gen/integration/api/v1"
	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// Equivalent is called for Fleets of every version, and gets them as v1.
//
// +webhook:validating(for: "github.com/webhook-gen/webhook-gen/integration/api/v1.Fleet", name: equivalent, operations: "create", matchPolicy: Equivalent)
type Equivalent struct{}

// ValidateCreate denies, by a field that v1alpha1 has under another name, a fleet of more than 100 ships.
func (Equivalent) ValidateCreate(_ context.Context, r *admission.CreateRequest[fleetv1.Fleet]) error {
	if n := r.Object.Spec.Replicas; n != nil && *n > 100 {
		return field.Invalid(field.NewPath("spec", "replicas"), *n, "must be 100 at most")
	}
	return nil
}

// Exact is called for Fleets that are sent as v1 or as v1beta1, and gets them as they are sent.
//
// +webhook:validating(for: "github.com/webhook-gen/webhook-gen/integration/api/v1.Fleet", name: exact, operations: "create", decode: none, matchPolicy: Exact)
// +webhook:rule(versions: "v1beta1")
type Exact struct{ bystander }

// Older is called for Fleets that are sent as v1beta1, which its type is not of.
//
// +webhook:validating(for: "github.com/webhook-gen/webhook-gen/integration/api/v1.Fleet", name: older, operations: "create", decode: none,
// versions: "v1beta1", matchPolicy: Exact)
type Older struct{ bystander }

// Whole is called for changes of Fleets, but not of their subresources.
//
// +webhook:validating(for: "github.com/webhook-gen/webhook-gen/integration/api/v1.Fleet", name: whole, operations: "create;update;delete", decode: none)
type Whole struct{ bystander }

// Status is called when the status of a Fleet is set.
//
// +webhook:mutating(for: "github.com/webhook-gen/webhook-gen/integration/api/v1.Fleet", subresource: status, operations: "update")
type Status struct{}

// DefaultStatusUpdate sets a message if it is empty.
func (Status) DefaultStatusUpdate(_ context.Context, r *admission.UpdateRequest[fleetv1.Fleet]) error {
	for i := range r.Object.Status.Conditions {
		if c := &r.Object.Status.Conditions[i]; c.Message == "" {
			c.Message = strings.ToLower(c.Reason)
		}
	}
	return nil
}

// Scale is called when a Fleet is scaled.
//
// +webhook:validating(for: "github.com/webhook-gen/webhook-gen/integration/api/v1.Fleet", subresource: scale, operations: "update")
type Scale struct{}

// ValidateScaleUpdate denies more than 100 ships.
func (Scale) ValidateScaleUpdate(_ context.Context, r *admission.UpdateRequest[autoscalingv1.Scale]) error {
	if n := r.Object.Spec.Replicas; n > 100 {
		return field.Invalid(field.NewPath("spec", "replicas"), n, "must be 100 at most")
	}
	return nil
}

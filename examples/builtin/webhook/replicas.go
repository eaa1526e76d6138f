// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"context"
	"fmt"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// ReplicasWebhook is the limit of WorkloadWebhook where replicas are set by the subresource scale, as `kubectl scale`
// and autoscalers do.
//
// +webhook:validating(for: "apps/v1/Deployment", subresource: scale, operations: "update")
// +webhook:rule(resources: "statefulsets") # their scale, too, which is of the same type
type ReplicasWebhook struct {
	Max int
}

// The compiler reports a missing method of a marker's operation at this line.
var _ ReplicasWebhookScaleValidator = (*ReplicasWebhook)(nil)

// ValidateScaleUpdate denies to grow beyond the limit.
func (p *ReplicasWebhook) ValidateScaleUpdate(_ context.Context, r *admission.UpdateRequest[autoscalingv1.Scale]) error {
	old, err := r.OldObject()
	if err != nil {
		return err
	}
	return withinLimit(old.Spec.Replicas, r.Object.Spec.Replicas, p.Max)
}

// withinLimit denies to grow beyond the limit, in the field that workloads and Scale have alike.
func withinLimit(before, after int32, limit int) error {
	if int(after) <= limit || after <= before {
		return nil
	}
	return field.Invalid(field.NewPath("spec", "replicas"), after, fmt.Sprintf("must be %d at most", limit))
}

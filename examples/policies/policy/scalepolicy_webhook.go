package policy

import (
	"context"

	"example.com/policies/internal/webhook/admission"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
)

// A method that a marker asks for and that is missing here is reported at this line.
var _ ScalePolicyScaleValidator = (*ScalePolicy)(nil)

// ValidateScaleUpdate denies what must not become of r.OldObject, by an error.
func (w *ScalePolicy) ValidateScaleUpdate(ctx context.Context, r *admission.UpdateRequest[autoscalingv1.Scale]) error {
	return nil
}

package policy

import (
	"context"

	"example.com/policies/internal/webhook/admission"
	corev1 "k8s.io/api/core/v1"
)

// A method that a marker asks for and that is missing here is reported at this line.
var _ ExecPolicyExecValidator = (*ExecPolicy)(nil)

// ValidateExecConnect denies what must not be connected to, by an error.
func (w *ExecPolicy) ValidateExecConnect(ctx context.Context, r *admission.ConnectRequest[corev1.PodExecOptions]) error {
	return nil
}

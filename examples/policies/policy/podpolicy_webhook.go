package policy

import (
	"context"

	"example.com/policies/internal/webhook/admission"
	corev1 "k8s.io/api/core/v1"
)

// A method that a marker asks for and that is missing here is reported at this line.
var _ interface {
	PodPolicyDefaulter
	PodPolicyValidator
} = (*PodPolicy)(nil)

// DefaultCreate fills in what the user left open: it edits r.Object. An error denies the request.
func (w *PodPolicy) DefaultCreate(ctx context.Context, r *admission.CreateRequest[corev1.Pod]) error {
	return nil
}

// ValidateCreate denies what must not be created, by an error.
func (w *PodPolicy) ValidateCreate(ctx context.Context, r *admission.CreateRequest[corev1.Pod]) error {
	return nil
}

// ValidateUpdate denies what must not become of r.OldObject, by an error.
func (w *PodPolicy) ValidateUpdate(ctx context.Context, r *admission.UpdateRequest[corev1.Pod]) error {
	return nil
}

package policy

import (
	"context"

	"example.com/policies/internal/webhook/admission"
)

// WorkloadWebhook decides on each Workload.
type WorkloadWebhook struct{}

// A method that a marker asks for and that is missing here is reported at this line.
var _ WorkloadValidator = (*WorkloadWebhook)(nil)

// ValidateCreate denies what must not be created, by an error.
func (w *WorkloadWebhook) ValidateCreate(ctx context.Context, r *admission.CreateRequest[Workload]) error {
	return nil
}

// ValidateUpdate denies what must not become of r.OldObject, by an error.
func (w *WorkloadWebhook) ValidateUpdate(ctx context.Context, r *admission.UpdateRequest[Workload]) error {
	return nil
}

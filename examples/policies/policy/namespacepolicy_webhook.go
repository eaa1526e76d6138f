package policy

import (
	"context"

	"example.com/policies/internal/webhook/admission"
)

// A method that a marker asks for and that is missing here is reported at this line.
var _ NamespacePolicyValidator = (*NamespacePolicy)(nil)

// ValidateDelete denies what must not be deleted, by an error.
func (w *NamespacePolicy) ValidateDelete(ctx context.Context, r *admission.RawRequest) error {
	return nil
}

package v1

import (
	"context"

	cradmission "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	deskv1 "desk/api/v1"
	"desk/internal/webhook/admission"
)

// old is a validator of controller-runtime, which denies by the user of the request.
type old struct{}

func (old) ValidateCreate(ctx context.Context, object any) error {
	if r, err := cradmission.RequestFromContext(ctx); err == nil && r.Name == "" {
		return context.Canceled
	}
	return nil
}

// +kubebuilder:webhook:path=/old,mutating=false,failurePolicy=fail,sideEffects=None,groups=desk.example.com,resources=loans,verbs=create,versions=v1,name=old.example.com,admissionReviewVersions=v1

// Handwritten is called by controller-runtime.
type Handwritten struct{ old }

type LoanWebhook struct{ old old }

func (w *LoanWebhook) ValidateCreate(ctx context.Context, r *admission.CreateRequest[deskv1.Loan]) error { // want `LoanWebhook.ValidateCreate finds no request in its context \(RequestFromContext at validators.go:16, through ValidateCreate\)`
	return w.old.ValidateCreate(ctx, r.Object)
}

// ValidateUpdate asks nobody.
func (w *LoanWebhook) ValidateUpdate(ctx context.Context, r *admission.UpdateRequest[deskv1.Loan]) error {
	return nil
}

type FineWebhook struct{ old old }

// ValidateCreate provides the request itself.
func (w *FineWebhook) ValidateCreate(ctx context.Context, r *admission.CreateRequest[deskv1.Fine]) error {
	return w.old.ValidateCreate(cradmission.NewContextWithRequest(ctx, cradmission.Request{}), r.Object)
}

type VisitWebhook struct{ old old }

func (w *VisitWebhook) ValidateCreate(ctx context.Context, r *admission.CreateRequest[deskv1.Visit]) error {
	return w.old.ValidateCreate(ctx, r.Object)
}

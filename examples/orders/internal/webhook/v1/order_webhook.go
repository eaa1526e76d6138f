package v1

import (
	"context"

	shopv1 "example.com/orders/api/v1"
	"example.com/orders/internal/webhook/admission"
)

// OrderWebhook decides on each Order.
type OrderWebhook struct{}

// A method that a marker asks for and that is missing here is reported at this line.
var _ interface {
	OrderDefaulter
	OrderValidator
} = (*OrderWebhook)(nil)

// DefaultCreate fills in what the user left open: it edits r.Object. An error denies the request.
func (w *OrderWebhook) DefaultCreate(ctx context.Context, r *admission.CreateRequest[shopv1.Order]) error {
	return nil
}

// ValidateCreate denies what must not be created, by an error.
func (w *OrderWebhook) ValidateCreate(ctx context.Context, r *admission.CreateRequest[shopv1.Order]) error {
	return nil
}

// ValidateUpdate denies what must not become of r.OldObject, by an error.
func (w *OrderWebhook) ValidateUpdate(ctx context.Context, r *admission.UpdateRequest[shopv1.Order]) error {
	return nil
}

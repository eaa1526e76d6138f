package v2

import (
	"context"

	shopv2 "example.com/orders/api/v2"
	"example.com/orders/internal/webhook/admission"
)

// ShipmentWebhook decides on each Shipment.
type ShipmentWebhook struct{}

// A method that a marker asks for and that is missing here is reported at this line.
var _ ShipmentValidator = (*ShipmentWebhook)(nil)

// ValidateCreate denies what must not be created, by an error.
func (w *ShipmentWebhook) ValidateCreate(ctx context.Context, r *admission.CreateRequest[shopv2.Shipment]) error {
	return nil
}

// ValidateUpdate denies what must not become of r.OldObject, by an error.
func (w *ShipmentWebhook) ValidateUpdate(ctx context.Context, r *admission.UpdateRequest[shopv2.Shipment]) error {
	return nil
}

// ValidateDelete denies what must not be deleted, by an error.
func (w *ShipmentWebhook) ValidateDelete(ctx context.Context, r *admission.DeleteRequest[shopv2.Shipment]) error {
	return nil
}

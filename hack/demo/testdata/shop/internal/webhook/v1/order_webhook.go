package v1

import (
	"context"

	"k8s.io/apimachinery/pkg/util/validation/field"

	shopv1 "example.com/shop/api/v1"
	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// OrderWebhook decides on each Order.
type OrderWebhook struct{}

// The compiler reports a missing method of a marker's operation at this line.
var _ interface {
	OrderDefaulter
	OrderValidator
} = (*OrderWebhook)(nil)

// DefaultCreate sets the priority of an Order that has none.
func (w *OrderWebhook) DefaultCreate(_ context.Context, r *admission.CreateRequest[shopv1.Order]) error {
	if r.Object.Spec.Priority == "" {
		r.Object.Spec.Priority = "normal"
	}
	return nil
}

// ValidateCreate rejects an Order without a SKU.
func (w *OrderWebhook) ValidateCreate(_ context.Context, r *admission.CreateRequest[shopv1.Order]) error {
	if r.Object.Spec.SKU == "" {
		return field.Required(field.NewPath("spec", "sku"), "sku is required")
	}
	return nil
}

// ValidateUpdate rejects another SKU.
func (w *OrderWebhook) ValidateUpdate(_ context.Context, r *admission.UpdateRequest[shopv1.Order]) error {
	old, err := r.OldObject()
	if err != nil {
		return err
	}
	if r.Object.Spec.SKU != old.Spec.SKU {
		return field.Forbidden(field.NewPath("spec", "sku"), "an order keeps its article")
	}
	return nil
}

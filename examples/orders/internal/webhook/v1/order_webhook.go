// SPDX-License-Identifier: Apache-2.0

package v1

import (
	"cmp"
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	shopv1 "example.com/orders/api/v1"
	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// Stock is what an order is held to.
type Stock interface {
	// Limit returns how many of an article one order may ask for, and 0 for an article that is not sold.
	Limit(ctx context.Context, sku string) (int64, error)
}

// OrderWebhook decides on each Order.
type OrderWebhook struct {
	Stock Stock
}

// The compiler reports a missing method of a marker's operation at this line.
var _ interface {
	OrderDefaulter
	OrderValidator
} = (*OrderWebhook)(nil)

// DefaultCreate gives an order a priority.
func (w *OrderWebhook) DefaultCreate(_ context.Context, r *admission.CreateRequest[shopv1.Order]) error {
	spec := &r.Object.Spec
	spec.Priority = cmp.Or(spec.Priority, shopv1.PriorityNormal)
	return nil
}

// ValidateCreate denies an order that the shop could not carry out, with a cause for each field that is wrong. The
// priority of an order is put down in the audit log.
func (w *OrderWebhook) ValidateCreate(ctx context.Context, r *admission.CreateRequest[shopv1.Order]) error {
	r.AuditAnnotation("priority", string(r.Object.Spec.Priority))
	if r.Object.Spec.Note != "" {
		r.Warn("spec.note is deprecated, use spec.notes of shop.example.com/v2")
	}
	return w.check(ctx, &r.Object.Spec)
}

// ValidateUpdate denies changes of the article, and everything that ValidateCreate denies.
func (w *OrderWebhook) ValidateUpdate(ctx context.Context, r *admission.UpdateRequest[shopv1.Order]) error {
	old, err := r.OldObject()
	if err != nil {
		return err
	}
	if old.Spec.SKU != r.Object.Spec.SKU {
		return field.Forbidden(field.NewPath("spec", "sku"), "an order keeps its article")
	}
	return w.check(ctx, &r.Object.Spec)
}

// check holds an order to the stock. That the stock cannot be asked is no verdict on the order.
func (w *OrderWebhook) check(ctx context.Context, spec *shopv1.OrderSpec) error {
	limit, err := w.Stock.Limit(ctx, spec.SKU)
	if err != nil {
		return admission.Failure(fmt.Errorf("ask the stock for %q: %w", spec.SKU, err))
	}
	var wrong field.ErrorList
	path := field.NewPath("spec")
	if limit == 0 {
		wrong = append(wrong, field.NotFound(path.Child("sku"), spec.SKU))
	} else if spec.Quantity < 1 || spec.Quantity > limit {
		wrong = append(wrong, field.Invalid(path.Child("quantity"), spec.Quantity, fmt.Sprintf("must be 1 to %d", limit)))
	}
	switch spec.Priority {
	case shopv1.PriorityLow, shopv1.PriorityNormal, shopv1.PriorityHigh:
	default:
		wrong = append(wrong, field.NotSupported(path.Child("priority"), spec.Priority,
			[]shopv1.Priority{shopv1.PriorityLow, shopv1.PriorityNormal, shopv1.PriorityHigh}))
	}
	return wrong.ToAggregate()
}

// SPDX-License-Identifier: Apache-2.0

package v2

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	shopv2 "example.com/orders/api/v2"
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

// DefaultCreate gives an order a priority, and an item the quantity 1. It is called again when a later webhook has
// changed the order, which then finds nothing left to do.
func (w *OrderWebhook) DefaultCreate(_ context.Context, r *admission.CreateRequest[shopv2.Order]) error {
	spec := &r.Object.Spec
	spec.Priority = cmp.Or(spec.Priority, shopv2.PriorityNormal)
	for i := range spec.Items {
		spec.Items[i].Quantity = cmp.Or(spec.Items[i].Quantity, 1)
	}
	return nil
}

// ValidateCreate denies an order that the shop could not carry out, with a cause for each field that is wrong. The
// priority of an order is put down in the audit log.
func (w *OrderWebhook) ValidateCreate(ctx context.Context, r *admission.CreateRequest[shopv2.Order]) error {
	r.AuditAnnotation("priority", string(r.Object.Spec.Priority))
	return w.check(ctx, &r.Object.Spec)
}

// ValidateUpdate denies to take an article out of an order, and what ValidateCreate denies.
func (w *OrderWebhook) ValidateUpdate(ctx context.Context, r *admission.UpdateRequest[shopv2.Order]) error {
	old, err := r.OldObject()
	if err != nil {
		return err
	}
	for _, item := range old.Spec.Items {
		if !slices.ContainsFunc(r.Object.Spec.Items, func(i shopv2.Item) bool { return i.SKU == item.SKU }) {
			return field.Forbidden(field.NewPath("spec", "items"), fmt.Sprintf("an order keeps its article %s", item.SKU))
		}
	}
	return w.check(ctx, &r.Object.Spec)
}

// check holds an order to the stock. That the stock cannot be asked is no verdict on the order.
func (w *OrderWebhook) check(ctx context.Context, spec *shopv2.OrderSpec) error {
	var wrong field.ErrorList
	path := field.NewPath("spec")
	if len(spec.Items) == 0 {
		wrong = append(wrong, field.Required(path.Child("items"), "an order asks for something"))
	}
	for i, item := range spec.Items {
		at := path.Child("items").Index(i)
		if slices.ContainsFunc(spec.Items[:i], func(before shopv2.Item) bool { return before.SKU == item.SKU }) {
			wrong = append(wrong, field.Duplicate(at.Child("sku"), item.SKU))
			continue
		}
		limit, err := w.Stock.Limit(ctx, item.SKU)
		if err != nil {
			return admission.Failure(fmt.Errorf("ask the stock for %q: %w", item.SKU, err))
		}
		if limit == 0 {
			wrong = append(wrong, field.NotFound(at.Child("sku"), item.SKU))
		} else if item.Quantity < 1 || item.Quantity > limit {
			wrong = append(wrong, field.Invalid(at.Child("quantity"), item.Quantity, fmt.Sprintf("must be 1 to %d", limit)))
		}
	}
	switch spec.Priority {
	case shopv2.PriorityLow, shopv2.PriorityNormal, shopv2.PriorityHigh:
	default:
		wrong = append(wrong, field.NotSupported(path.Child("priority"), spec.Priority,
			[]shopv2.Priority{shopv2.PriorityLow, shopv2.PriorityNormal, shopv2.PriorityHigh}))
	}
	return wrong.ToAggregate()
}

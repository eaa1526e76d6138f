// SPDX-License-Identifier: Apache-2.0

package v2

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	shopv2 "example.com/orders/api/v2"
	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// ShipmentWebhook decides on each Shipment.
type ShipmentWebhook struct {
	// Carriers are the names of the shop's carriers.
	Carriers []string
}

// The compiler reports a missing method of a marker's operation at this line.
var _ ShipmentValidator = (*ShipmentWebhook)(nil)

// ValidateCreate denies an empty parcel, one that holds an order twice, and an unknown carrier.
func (w *ShipmentWebhook) ValidateCreate(_ context.Context, r *admission.CreateRequest[shopv2.Shipment]) error {
	return w.check(&r.Object.Spec)
}

// ValidateUpdate denies another content once a carrier has the parcel, and what ValidateCreate denies.
func (w *ShipmentWebhook) ValidateUpdate(_ context.Context, r *admission.UpdateRequest[shopv2.Shipment]) error {
	old, err := r.OldObject()
	if err != nil {
		return err
	}
	if old.Spec.Carrier.Name != "" && !slices.Equal(old.Spec.Orders, r.Object.Spec.Orders) {
		return field.Forbidden(field.NewPath("spec", "orders"), fmt.Sprintf("%s has the parcel", old.Spec.Carrier.Name))
	}
	return w.check(&r.Object.Spec)
}

// ValidateDelete denies, as a conflict, to forget a parcel that a carrier has.
func (w *ShipmentWebhook) ValidateDelete(_ context.Context, r *admission.DeleteRequest[shopv2.Shipment]) error {
	if carrier := r.OldObject.Spec.Carrier.Name; carrier != "" {
		return apierrors.NewConflict(schema.GroupResource{Group: r.Resource.Group, Resource: r.Resource.Resource}, r.Name,
			fmt.Errorf("%s has the parcel", carrier))
	}
	return nil
}

func (w *ShipmentWebhook) check(spec *shopv2.ShipmentSpec) error {
	var wrong field.ErrorList
	path := field.NewPath("spec")
	if len(spec.Orders) == 0 {
		wrong = append(wrong, field.Required(path.Child("orders"), "a parcel is not empty"))
	}
	for i, order := range spec.Orders {
		if slices.Contains(spec.Orders[:i], order) {
			wrong = append(wrong, field.Duplicate(path.Child("orders").Index(i), order))
		}
	}
	carrier := path.Child("carrier", "name")
	switch name := spec.Carrier.Name; {
	case name == "" && spec.Carrier.Express:
		wrong = append(wrong, field.Required(carrier, "express asks for a carrier"))
	case name != "" && !slices.Contains(w.Carriers, name):
		wrong = append(wrong, field.NotSupported(carrier, name, w.Carriers))
	}
	return wrong.ToAggregate()
}

// SPDX-License-Identifier: Apache-2.0

package v2

import (
	"net/http"
	"testing"

	shopv2 "example.com/orders/api/v2"
	"github.com/webhook-gen/webhook-gen/runtime/admission/admissiontest"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// newShipmentWebhook makes the webhook for tests, the generated ones included.
func newShipmentWebhook(t testing.TB) *ShipmentWebhook {
	t.Helper()
	return &ShipmentWebhook{Carriers: []string{"north", "south"}}
}

// sampleShipment is a valid object, with edits.
func sampleShipment(edit ...func(*shopv2.Shipment)) *shopv2.Shipment {
	object := &shopv2.Shipment{
		ObjectMeta: metav1.ObjectMeta{Name: "sample"},
		Spec:       shopv2.ShipmentSpec{Orders: []string{"first"}},
	}
	for _, e := range edit {
		e(object)
	}
	return object
}

func TestShipment(t *testing.T) {
	admissiontest.Table[shopv2.Shipment]{
		Webhooks: newWebhooks(t),
		Paths:    []string{ValidateShipmentPath},
		Kind:     admissiontest.Kind{APIVersion: "shop.example.com/v2", Kind: "Shipment"},
		Cases: []admissiontest.Case[shopv2.Shipment]{
			{
				Name:    "a parcel",
				Request: admissiontest.Create(sampleShipment()),
			},
			{
				Name:    "express by nobody",
				Request: admissiontest.Create(sampleShipment(func(s *shopv2.Shipment) { s.Spec.Carrier.Express = true })),
				Denied:  http.StatusUnprocessableEntity,
				Causes:  []string{"spec.carrier.name"},
			},
			{
				Name:    "a parcel is handed over",
				Request: admissiontest.Update(sampleShipment(), sampleShipment(func(s *shopv2.Shipment) { s.Spec.Carrier.Name = "north" })),
			},
			{
				Name:    "a parcel on its way is forgotten",
				Request: admissiontest.Delete(sampleShipment(func(s *shopv2.Shipment) { s.Spec.Carrier.Name = "north" })),
				Denied:  http.StatusConflict,
				Message: "north has the parcel",
			},
		},
	}.Run(t)
}

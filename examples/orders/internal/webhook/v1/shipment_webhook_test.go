// SPDX-License-Identifier: Apache-2.0

package v1

import (
	"fmt"
	"net/http"
	"testing"

	shopv1 "example.com/orders/api/v1"
	"github.com/webhook-gen/webhook-gen/runtime/admission/admissiontest"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// newShipmentWebhook makes the webhook for tests, the generated ones included.
func newShipmentWebhook(t testing.TB) *ShipmentWebhook {
	t.Helper()
	return &ShipmentWebhook{Carriers: []string{"north", "south"}}
}

// sampleShipment is a valid object, with edits.
func sampleShipment(edit ...func(*shopv1.Shipment)) *shopv1.Shipment {
	object := &shopv1.Shipment{
		ObjectMeta: metav1.ObjectMeta{Name: "sample"},
		Spec:       shopv1.ShipmentSpec{Orders: []string{"first"}},
	}
	for _, e := range edit {
		e(object)
	}
	return object
}

func onItsWay(s *shopv1.Shipment) { s.Spec.Carrier = "south" }

// TestShipments has webhook-gen answer for the policies of the API server, which decide before the webhook is called.
func TestShipments(t *testing.T) {
	orders := func(n int) func(*shopv1.Shipment) {
		return func(s *shopv1.Shipment) {
			s.Spec.Orders = nil
			for i := range n {
				s.Spec.Orders = append(s.Spec.Orders, fmt.Sprint("order-", i))
			}
		}
	}
	admissiontest.Table[shopv1.Shipment]{
		Webhooks: newWebhooks(t),
		Paths:    []string{ValidateShipmentPath},
		Policies: &admissiontest.Cluster{},
		Kind:     admissiontest.Kind{APIVersion: "shop.example.com/v1", Kind: "Shipment"},
		Cases: []admissiontest.Case[shopv1.Shipment]{
			{
				Name:    "a parcel",
				Request: admissiontest.Create(sampleShipment(onItsWay)),
			},
			{
				Name:    "an empty parcel",
				Request: admissiontest.Create(sampleShipment(func(s *shopv1.Shipment) { s.Spec.Orders = []string{} })),
				Denied:  http.StatusUnprocessableEntity,
				Causes:  []string{"spec.orders"},
			},
			{
				Name:    "a parcel is handed over",
				Request: admissiontest.Update(sampleShipment(), sampleShipment(onItsWay)),
			},
			{
				Name:    "a parcel on its way changes",
				Request: admissiontest.Update(sampleShipment(onItsWay), sampleShipment(onItsWay, func(s *shopv1.Shipment) { s.Spec.Orders = []string{"second"} })),
				Denied:  http.StatusUnprocessableEntity,
				Causes:  []string{"spec.orders"},
			},
			{
				Name:    "a parcel is forgotten",
				Request: admissiontest.Delete(sampleShipment()),
			},
			{
				Name:    "a parcel on its way is forgotten",
				Request: admissiontest.Delete(sampleShipment(onItsWay)),
				Denied:  http.StatusConflict,
				Message: "south has the parcel",
			},
			{
				Name:    "a full parcel",
				Request: admissiontest.Create(sampleShipment(orders(20))),
			},
			{
				Name:    "one order too many in a parcel on its way",
				Request: admissiontest.Update(sampleShipment(onItsWay), sampleShipment(onItsWay, orders(21))),
				Denied:  http.StatusUnprocessableEntity,
				Message: "spec.orders: at most 20 orders in a parcel",
			},
		},
	}.Run(t)
}

// SPDX-License-Identifier: Apache-2.0

package v1

import (
	"net/http"
	"testing"

	shopv1 "example.com/orders/api/v1"
	"example.com/orders/internal/stock"
	"github.com/webhook-gen/webhook-gen/runtime/admission/admissiontest"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// newOrderWebhook makes the webhook for tests, the generated ones included.
func newOrderWebhook(t testing.TB) *OrderWebhook {
	t.Helper()
	return &OrderWebhook{Stock: stock.Table{"tea": 100, "rare-tea": 1}}
}

// sampleOrder is a valid object, with edits.
func sampleOrder(edit ...func(*shopv1.Order)) *shopv1.Order {
	object := &shopv1.Order{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "sample"},
		Spec: shopv1.OrderSpec{
			SKU:      "tea",
			Quantity: 1,
		},
	}
	for _, e := range edit {
		e(object)
	}
	return object
}

func normal(o *shopv1.Order) { o.Spec.Priority = shopv1.PriorityNormal }

func TestOrderWebhook(t *testing.T) {
	admissiontest.Table[shopv1.Order]{
		Webhooks: newWebhooks(t),
		Paths:    []string{MutateOrderPath, ValidateOrderPath},
		Kind:     admissiontest.Kind{APIVersion: "shop.example.com/v1", Kind: "Order"},
		Cases: []admissiontest.Case[shopv1.Order]{
			{
				Name:    "an order gets a priority, which is put down in the audit log",
				Request: admissiontest.Create(sampleOrder()),
				Object:  sampleOrder(normal),
				Audit:   map[string]string{"priority": "normal"},
			},
			{
				Name:     "a note is deprecated",
				Request:  admissiontest.Create(sampleOrder(normal, func(o *shopv1.Order) { o.Spec.Note = "no nuts" })),
				Warnings: []string{"spec.note is deprecated, use spec.notes of shop.example.com/v2"},
			},
			{
				Name: "more than there is, and a priority that does not exist",
				Request: admissiontest.Create(sampleOrder(func(o *shopv1.Order) {
					o.Spec.Quantity, o.Spec.Priority = 101, "soon"
				})),
				Denied: http.StatusUnprocessableEntity,
				Causes: []string{"spec.quantity", "spec.priority"},
			},
			{
				Name:    "an order asks for more",
				Request: admissiontest.Update(sampleOrder(normal), sampleOrder(normal, func(o *shopv1.Order) { o.Spec.Quantity = 2 })),
			},
			{
				Name:    "an order becomes another one",
				Request: admissiontest.Update(sampleOrder(normal), sampleOrder(normal, func(o *shopv1.Order) { o.Spec.SKU = "rare-tea" })),
				Denied:  http.StatusUnprocessableEntity,
				Causes:  []string{"spec.sku"},
				Message: "an order keeps its article",
			},
		},
	}.Run(t)
}

// SPDX-License-Identifier: Apache-2.0

package v2

import (
	"net/http"
	"testing"

	shopv2 "example.com/orders/api/v2"
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
func sampleOrder(edit ...func(*shopv2.Order)) *shopv2.Order {
	object := &shopv2.Order{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "sample"},
		Spec:       shopv2.OrderSpec{Items: []shopv2.Item{{SKU: "tea"}, {SKU: "rare-tea"}}},
	}
	for _, e := range edit {
		e(object)
	}
	return object
}

// complete sets the defaults of the sample.
func complete(o *shopv2.Order) {
	o.Spec.Priority = shopv2.PriorityNormal
	for i := range o.Spec.Items {
		o.Spec.Items[i].Quantity = 1
	}
}

func TestOrderWebhook(t *testing.T) {
	admissiontest.Table[shopv2.Order]{
		Webhooks: newWebhooks(t),
		Paths:    []string{MutateOrderPath, ValidateOrderPath},
		Kind:     admissiontest.Kind{APIVersion: "shop.example.com/v2", Kind: "Order"},
		Cases: []admissiontest.Case[shopv2.Order]{
			{
				Name:    "an order gets a priority and quantities",
				Request: admissiontest.Create(sampleOrder()),
				Object:  sampleOrder(complete),
			},
			{
				Name:    "an order of nothing",
				Request: admissiontest.Create(sampleOrder(complete, func(o *shopv2.Order) { o.Spec.Items = []shopv2.Item{} })),
				Denied:  http.StatusUnprocessableEntity,
				Causes:  []string{"spec.items"},
			},
			{
				Name:    "an order loses an article",
				Request: admissiontest.Update(sampleOrder(complete), sampleOrder(complete, func(o *shopv2.Order) { o.Spec.Items = o.Spec.Items[:1] })),
				Denied:  http.StatusUnprocessableEntity,
				Causes:  []string{"spec.items"},
				Message: "an order keeps its article rare-tea",
			},
		},
	}.Run(t)
}

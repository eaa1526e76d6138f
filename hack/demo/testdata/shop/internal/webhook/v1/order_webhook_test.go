package v1

import (
	"net/http"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	shopv1 "example.com/shop/api/v1"
	"github.com/webhook-gen/webhook-gen/runtime/admission/admissiontest"
)

// newOrderWebhook makes the validator or defaulter for tests, the generated ones included.
func newOrderWebhook(t testing.TB) *OrderWebhook {
	t.Helper()
	return &OrderWebhook{}
}

// sampleOrder is a valid object, with edits.
func sampleOrder(edit ...func(*shopv1.Order)) *shopv1.Order {
	object := &shopv1.Order{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "sample"},
		Spec:       shopv1.OrderSpec{SKU: "tea", Priority: "normal"},
	}
	for _, e := range edit {
		e(object)
	}
	return object
}

func TestOrderWebhook(t *testing.T) {
	admissiontest.Table[shopv1.Order]{
		Webhooks: newWebhooks(t),
		Paths:    []string{MutateOrderPath, ValidateOrderPath},
		Kind:     admissiontest.Kind{APIVersion: "shop.example.com/v1", Kind: "Order"},
		Cases: []admissiontest.Case[shopv1.Order]{
			{
				Name:    "an order gets a priority",
				Request: admissiontest.Create(sampleOrder(func(o *shopv1.Order) { o.Spec.Priority = "" })),
				Object:  sampleOrder(),
			},
			{
				Name:    "an order without a SKU",
				Request: admissiontest.Create(sampleOrder(func(o *shopv1.Order) { o.Spec.SKU = "" })),
				Denied:  http.StatusUnprocessableEntity,
				Causes:  []string{"spec.sku"},
			},
			{
				Name:    "another article",
				Request: admissiontest.Update(sampleOrder(), sampleOrder(func(o *shopv1.Order) { o.Spec.SKU = "coffee" })),
				Denied:  http.StatusUnprocessableEntity,
				Causes:  []string{"spec.sku"},
			},
		},
	}.Run(t)
}

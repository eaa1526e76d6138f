// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/orders/internal/stock"
	webhookv1 "example.com/orders/internal/webhook/v1"
	webhookv2 "example.com/orders/internal/webhook/v2"
)

// register registers the webhooks of both versions.
func register(t *testing.T, handle func(path string, handler http.Handler)) {
	t.Helper()
	sold := stock.Table{"tea": 100, "rare-tea": 1}
	carriers := []string{"north", "south"}
	err := errors.Join(
		webhookv1.Webhooks{
			Order:    &webhookv1.OrderWebhook{Stock: sold},
			Shipment: &webhookv1.ShipmentWebhook{Carriers: carriers},
		}.Register(handle),
		webhookv2.Webhooks{
			Order:    &webhookv2.OrderWebhook{Stock: sold},
			Shipment: &webhookv2.ShipmentWebhook{Carriers: carriers},
		}.Register(handle),
	)
	if err != nil {
		t.Fatal(err)
	}
}

// Objects with a spec. Shipments are cluster-scoped.
func orderV1(spec string) string {
	return `{apiVersion: shop.example.com/v1, kind: Order, metadata: {name: first, namespace: shop}, spec: ` + spec + `}`
}

func orderV2(spec string) string {
	return `{apiVersion: shop.example.com/v2, kind: Order, metadata: {name: first, namespace: shop}, spec: ` + spec + `}`
}

func shipmentV1(spec string) string {
	return `{apiVersion: shop.example.com/v1, kind: Shipment, metadata: {name: parcel}, spec: ` + spec + `}`
}

func shipmentV2(spec string) string {
	return `{apiVersion: shop.example.com/v2, kind: Shipment, metadata: {name: parcel}, spec: ` + spec + `}`
}

// Requests for objects.
func create(version, resource, object string) request {
	return request{operation: admissionv1.Create, resource: resourceOf(version, resource), object: object}
}

func update(version, resource, oldObject, object string) request {
	return request{operation: admissionv1.Update, resource: resourceOf(version, resource), object: object, oldObject: oldObject}
}

func remove(version, resource, oldObject string) request {
	return request{operation: admissionv1.Delete, resource: resourceOf(version, resource), oldObject: oldObject}
}

func resourceOf(version, resource string) metav1.GroupVersionResource {
	return metav1.GroupVersionResource{Group: "shop.example.com", Version: version, Resource: resource}
}

// invalid is a denial for fields that are wrong.
func invalid(message string, fields ...string) verdict {
	return verdict{Code: http.StatusUnprocessableEntity, Message: message, Causes: fields}
}

// TestWebhooks has what every webhook decides.
func TestWebhooks(t *testing.T) {
	mux := http.NewServeMux()
	register(t, mux.Handle)
	server := httptest.NewServer(mux)
	defer server.Close()

	normal := map[string]string{"priority": "normal"}
	for name, test := range map[string]struct {
		path    string
		request request
		want    verdict
	}{
		"v1: an order gets a priority": {
			webhookv1.MutateOrderPath,
			create("v1", "orders", orderV1(`{sku: tea, quantity: 2}`)),
			verdict{Allowed: true, Object: orderV1(`{sku: tea, quantity: 2, priority: normal}`)},
		},
		"v1: an order keeps its priority": {
			webhookv1.MutateOrderPath,
			create("v1", "orders", orderV1(`{sku: tea, quantity: 2, priority: high}`)),
			verdict{Allowed: true},
		},
		"v1: an order keeps what the type does not know": {
			webhookv1.MutateOrderPath,
			create("v1", "orders", orderV1(`{sku: tea, quantity: 9007199254740993, future: [{id: 9007199254740995}]}`)),
			verdict{Allowed: true, Object: orderV1(`{sku: tea, quantity: 9007199254740993, future: [{id: 9007199254740995}], priority: normal}`)},
		},
		"v1: an order is allowed": {
			webhookv1.ValidateOrderPath,
			create("v1", "orders", orderV1(`{sku: tea, quantity: 100, priority: normal}`)),
			verdict{Allowed: true, Audit: normal},
		},
		"v1: an order with a note": {
			webhookv1.ValidateOrderPath,
			create("v1", "orders", orderV1(`{sku: tea, quantity: 1, priority: normal, note: no nuts}`)),
			verdict{Allowed: true, Audit: normal, Warnings: []string{"spec.note is deprecated, use spec.notes of shop.example.com/v2"}},
		},
		"v1: an order with two mistakes": {
			webhookv1.ValidateOrderPath,
			create("v1", "orders", orderV1(`{sku: tea, quantity: 101, priority: soon}`)),
			verdict{
				Code: http.StatusUnprocessableEntity,
				Message: `Order.shop.example.com "first" is invalid: [spec.quantity: Invalid value: 101: must be 1 to 100, ` +
					`spec.priority: Unsupported value: "soon": supported values: "low", "normal", "high"]`,
				Causes: []string{"spec.quantity", "spec.priority"},
				Audit:  map[string]string{"priority": "soon"},
			},
		},
		"v1: an order comes to ask for too much": {
			webhookv1.ValidateOrderPath,
			update("v1", "orders", orderV1(`{sku: tea, quantity: 1, priority: low}`), orderV1(`{sku: tea, quantity: 2000, priority: low}`)),
			invalid(`Order.shop.example.com "first" is invalid: spec.quantity: Invalid value: 2000: must be 1 to 100`, "spec.quantity"),
		},
		"v1: an order for something that is no longer sold": {
			webhookv1.ValidateOrderPath,
			update("v1", "orders", orderV1(`{sku: gold, quantity: 1, priority: low}`), orderV1(`{sku: gold, quantity: 2, priority: low}`)),
			verdict{Allowed: true, Warnings: []string{`as before: spec.sku: Not found: "gold"`}},
		},
		"v1: an order asks for more": {
			webhookv1.ValidateOrderPath,
			update("v1", "orders", orderV1(`{sku: tea, quantity: 1, priority: low}`), orderV1(`{sku: tea, quantity: 2, priority: low}`)),
			verdict{Allowed: true},
		},
		"v1: an order becomes another one": {
			webhookv1.ValidateOrderPath,
			update("v1", "orders", orderV1(`{sku: tea, quantity: 1, priority: low}`), orderV1(`{sku: rare-tea, quantity: 1, priority: low}`)),
			invalid(`Order.shop.example.com "first" is invalid: spec.sku: Forbidden: an order keeps its article`, "spec.sku"),
		},
		"v1: an order that is no longer valid loses its finalizer": {
			webhookv1.ValidateOrderPath,
			update("v1", "orders",
				`{apiVersion: shop.example.com/v1, kind: Order, metadata: {name: first, namespace: shop, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [shop.example.com/bill]}, spec: {sku: gold, quantity: 1}}`,
				`{apiVersion: shop.example.com/v1, kind: Order, metadata: {name: first, namespace: shop, deletionTimestamp: "2026-01-01T00:00:00Z"}, spec: {sku: gold, quantity: 1}}`),
			verdict{Allowed: true},
		},
		"v1: a review of another version": {
			webhookv1.ValidateOrderPath,
			create("v2", "orders", orderV2(`{items: []}`)),
			verdict{Failed: true, Code: http.StatusBadRequest, Message: "the object is Order of shop.example.com/v2 and webhook validate.orders.v1.shop.example.com is for Order of shop.example.com/v1: correct its rules or its path in the configuration"},
		},
		"v1: a shipment": {
			webhookv1.ValidateShipmentPath,
			create("v1", "shipments", shipmentV1(`{orders: [first, second], carrier: north}`)),
			verdict{Allowed: true},
		},
		"v1: a shipment of nothing by nobody": {
			webhookv1.ValidateShipmentPath,
			create("v1", "shipments", shipmentV1(`{orders: [], carrier: west}`)),
			invalid(`Shipment.shop.example.com "parcel" is invalid: [spec.orders: Required value: a parcel is not empty, `+
				`spec.carrier: Unsupported value: "west": supported values: "north", "south"]`, "spec.orders", "spec.carrier"),
		},
		"v1: a shipment is handed over": {
			webhookv1.ValidateShipmentPath,
			update("v1", "shipments", shipmentV1(`{orders: [first]}`), shipmentV1(`{orders: [first, second], carrier: south}`)),
			verdict{Allowed: true},
		},
		"v1: a shipment on its way changes": {
			webhookv1.ValidateShipmentPath,
			update("v1", "shipments", shipmentV1(`{orders: [first], carrier: south}`), shipmentV1(`{orders: [second], carrier: south}`)),
			invalid(`Shipment.shop.example.com "parcel" is invalid: spec.orders: Forbidden: south has the parcel`, "spec.orders"),
		},
		"v1: a shipment is forgotten": {
			webhookv1.ValidateShipmentPath,
			remove("v1", "shipments", shipmentV1(`{orders: [first]}`)),
			verdict{Allowed: true},
		},
		"v1: a shipment on its way is forgotten": {
			webhookv1.ValidateShipmentPath,
			remove("v1", "shipments", shipmentV1(`{orders: [first], carrier: south}`)),
			verdict{Code: http.StatusConflict, Message: `Operation cannot be fulfilled on shipments.shop.example.com "parcel": south has the parcel`},
		},

		"v2: an order gets a priority and quantities": {
			webhookv2.MutateOrderPath,
			create("v2", "orders", orderV2(`{items: [{sku: tea, quantity: 3}, {sku: rare-tea, wrap: red}]}`)),
			verdict{Allowed: true, Object: orderV2(`{items: [{sku: tea, quantity: 3}, {sku: rare-tea, wrap: red, quantity: 1}], priority: normal}`)},
		},
		"v2: an order is defaulted again": {
			webhookv2.MutateOrderPath,
			create("v2", "orders", orderV2(`{items: [{sku: tea, quantity: 1}], priority: normal}`)),
			verdict{Allowed: true},
		},
		"v2: an order is allowed": {
			webhookv2.ValidateOrderPath,
			create("v2", "orders", orderV2(`{items: [{sku: tea, quantity: 100}, {sku: rare-tea, quantity: 1}], priority: normal, notes: [no nuts]}`)),
			verdict{Allowed: true, Audit: normal},
		},
		"v2: an order with mistakes": {
			webhookv2.ValidateOrderPath,
			create("v2", "orders", orderV2(`{items: [{sku: tea, quantity: 1}, {sku: tea, quantity: 2}, {sku: rare-tea, quantity: 2}, {sku: gold, quantity: 1}], priority: normal}`)),
			verdict{
				Code: http.StatusUnprocessableEntity,
				Message: `Order.shop.example.com "first" is invalid: [spec.items[1].sku: Duplicate value: "tea", ` +
					`spec.items[2].quantity: Invalid value: 2: must be 1 to 1, spec.items[3].sku: Not found: "gold"]`,
				Causes: []string{"spec.items[1].sku", "spec.items[2].quantity", "spec.items[3].sku"},
				Audit:  normal,
			},
		},
		"v2: an order asks for more": {
			webhookv2.ValidateOrderPath,
			update("v2", "orders", orderV2(`{items: [{sku: tea, quantity: 1}], priority: low}`), orderV2(`{items: [{sku: rare-tea, quantity: 1}, {sku: tea, quantity: 1}], priority: low}`)),
			verdict{Allowed: true},
		},
		"v2: an order loses an article": {
			webhookv2.ValidateOrderPath,
			update("v2", "orders", orderV2(`{items: [{sku: tea, quantity: 1}], priority: low}`), orderV2(`{items: [{sku: rare-tea, quantity: 1}], priority: low}`)),
			invalid(`Order.shop.example.com "first" is invalid: spec.items: Forbidden: an order keeps its article tea`, "spec.items"),
		},
		"v2: a shipment": {
			webhookv2.ValidateShipmentPath,
			create("v2", "shipments", shipmentV2(`{orders: [first], carrier: {name: north, express: true}}`)),
			verdict{Allowed: true},
		},
		"v2: a shipment of an order twice, by nobody": {
			webhookv2.ValidateShipmentPath,
			create("v2", "shipments", shipmentV2(`{orders: [first, first], carrier: {express: true}}`)),
			invalid(`Shipment.shop.example.com "parcel" is invalid: [spec.orders[1]: Duplicate value: "first", `+
				`spec.carrier.name: Required value: express asks for a carrier]`, "spec.orders[1]", "spec.carrier.name"),
		},
		"v2: a shipment on its way changes": {
			webhookv2.ValidateShipmentPath,
			update("v2", "shipments", shipmentV2(`{orders: [first], carrier: {name: north}}`), shipmentV2(`{orders: [second], carrier: {name: north}}`)),
			invalid(`Shipment.shop.example.com "parcel" is invalid: spec.orders: Forbidden: north has the parcel`, "spec.orders"),
		},
		"v2: a shipment on its way is forgotten": {
			webhookv2.ValidateShipmentPath,
			remove("v2", "shipments", shipmentV2(`{orders: [first], carrier: {name: north}}`)),
			verdict{Code: http.StatusConflict, Message: `Operation cannot be fulfilled on shipments.shop.example.com "parcel": north has the parcel`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			test.request.check(t, server.Client(), server.URL+test.path, test.want)
		})
	}
}

// silent is a stock that cannot be asked.
type silent struct{}

func (silent) Limit(context.Context, string) (int64, error) { return 0, errors.New("nobody there") }

// TestStockCannotBeAsked wants no verdict then: whether the order is let pass is for the failurePolicy to say.
func TestStockCannotBeAsked(t *testing.T) {
	mux := http.NewServeMux()
	err := errors.Join(
		webhookv1.Webhooks{Order: &webhookv1.OrderWebhook{Stock: silent{}}, Shipment: &webhookv1.ShipmentWebhook{}}.Register(mux.Handle),
		webhookv2.Webhooks{Order: &webhookv2.OrderWebhook{Stock: silent{}}, Shipment: &webhookv2.ShipmentWebhook{}}.Register(mux.Handle),
	)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(mux)
	defer server.Close()

	create("v1", "orders", orderV1(`{sku: tea, quantity: 1}`)).check(t, server.Client(), server.URL+webhookv1.ValidateOrderPath,
		verdict{Failed: true, Code: http.StatusInternalServerError, Message: `webhook validate.orders.v1.shop.example.com: ask the stock for "tea": nobody there`})
	create("v2", "orders", orderV2(`{items: [{sku: tea, quantity: 1}]}`)).check(t, server.Client(), server.URL+webhookv2.ValidateOrderPath,
		verdict{Failed: true, Code: http.StatusInternalServerError, Message: `webhook validate.orders.v2.shop.example.com: ask the stock for "tea": nobody there`})
}

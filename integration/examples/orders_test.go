// SPDX-License-Identifier: Apache-2.0

package examples

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// shopObject makes an object of the shop.
func shopObject(version, kind, namespace, name string, spec map[string]any) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	o.SetAPIVersion("shop.example.com/" + version)
	o.SetKind(kind)
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}

// freeAddress returns an address that was free a moment ago: a manager does not report the address that it chose.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// TestOrders runs examples/orders on its controller-runtime manager under an API server: defaults, denials and
// conflicts, in both versions.
func TestOrders(t *testing.T) {
	s := onAPIServer(t)
	o := s.prepare(t, "../../examples/orders/config/webhook/manifests.yaml")
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(kubeconfig, s.kubeconfig, 0o600); err != nil {
		t.Fatal(err)
	}
	start(t, "../../examples/orders/cmd/manager", "-kubeconfig", kubeconfig, "-cert-dir", o.LocalServingCertDir, "-drain", "0s",
		"-webhook-port", strconv.Itoa(o.LocalServingPort), "-metrics-address", freeAddress(t), "-health-address", freeAddress(t))
	if err := o.Install(s.config); err != nil {
		t.Fatal(err)
	}
	s.namespace(t, "shop", nil)
	tea := func(quantity int64) map[string]any { return map[string]any{"sku": "tea", "quantity": quantity} }
	// Until the API server calls the webhooks, nothing gets a default; until they are served, nothing passes.
	eventually(t, func() error {
		probe := shopObject("v1", "Order", "shop", "probe", tea(1))
		if err := s.client.Create(t.Context(), probe, client.DryRunAll); err != nil {
			return err
		}
		if priority, _, _ := unstructured.NestedString(probe.Object, "spec", "priority"); priority == "" {
			return fmt.Errorf("no default")
		}
		return nil
	})

	t.Run("orders of v1", func(t *testing.T) {
		wantError(t, s.client.Create(t.Context(), shopObject("v1", "Order", "shop", "much", tea(101))), apierrors.IsInvalid,
			`admission webhook "validate.orders.v1.shop.example.com" denied the request`, "spec.quantity: Invalid value: 101: must be 1 to 100")
		order := shopObject("v1", "Order", "shop", "first", tea(2))
		if err := s.client.Create(t.Context(), order); err != nil {
			t.Fatal(err)
		}
		if priority, _, _ := unstructured.NestedString(order.Object, "spec", "priority"); priority != "normal" {
			t.Errorf("got priority %q", priority)
		}
		unstructured.SetNestedField(order.Object, "rare-tea", "spec", "sku")
		wantError(t, s.client.Update(t.Context(), order), apierrors.IsInvalid, "spec.sku: Forbidden: an order keeps its article")
	})

	t.Run("orders of v2", func(t *testing.T) {
		order := shopObject("v2", "Order", "shop", "second", map[string]any{"items": []any{map[string]any{"sku": "tea"}}})
		if err := s.client.Create(t.Context(), order); err != nil {
			t.Fatal(err)
		}
		items, _, _ := unstructured.NestedSlice(order.Object, "spec", "items")
		if items[0].(map[string]any)["quantity"] != int64(1) {
			t.Errorf("got items %v", items)
		}
		wantError(t, s.client.Create(t.Context(), shopObject("v2", "Order", "shop", "empty", map[string]any{"items": []any{}})), apierrors.IsInvalid,
			`admission webhook "validate.orders.v2.shop.example.com" denied the request`, "an order asks for something")
	})

	t.Run("shipments", func(t *testing.T) {
		parcel := shopObject("v1", "Shipment", "", "parcel", map[string]any{"orders": []any{"first"}, "carrier": "north"})
		if err := s.client.Create(t.Context(), parcel); err != nil {
			t.Fatal(err)
		}
		wantError(t, s.client.Delete(t.Context(), parcel), apierrors.IsConflict, "north has the parcel")
		unchecked := shopObject("v1", "Shipment", "", "unchecked", map[string]any{"orders": []any{}})
		unchecked.SetLabels(map[string]string{"shop.example.com/unchecked": "true"})
		if err := s.client.Create(t.Context(), unchecked); err != nil {
			t.Errorf("with the label that exempts it: %v", err)
		}
		unchecked = shopObject("v1", "Shipment", "", "checked", map[string]any{"orders": []any{}})
		wantError(t, s.client.Create(t.Context(), unchecked), apierrors.IsInvalid, "a parcel is not empty")
	})

	t.Run("a policy beside the webhooks", func(t *testing.T) {
		s.install(t, "../../examples/orders/config/webhook/policies.yaml")
		orders := make([]any, 21)
		for i := range orders {
			orders[i] = fmt.Sprint("order-", i)
		}
		full := shopObject("v1", "Shipment", "", "full", map[string]any{"orders": orders})
		full.SetLabels(map[string]string{"shop.example.com/unchecked": "true"})
		eventually(t, func() error {
			err := s.client.Create(t.Context(), full.DeepCopy(), client.DryRunAll)
			if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "at most 20 orders in a parcel") {
				return errors.Join(errors.New("not enforced"), err)
			}
			return nil
		})
		// As in TestShipments of the example, the policy decides before the webhook: the webhook would deny the change of a
		// parcel on its way.
		parcel := shopObject("v1", "Shipment", "", "parcel", nil)
		if err := s.client.Get(t.Context(), client.ObjectKeyFromObject(parcel), parcel); err != nil {
			t.Fatal(err)
		}
		parcel.Object["spec"] = map[string]any{"orders": orders, "carrier": "north"}
		if err := s.client.Update(t.Context(), parcel); err == nil || strings.Contains(err.Error(), "webhook") {
			t.Errorf("the policy does not decide: %v", err)
		}
	})
}

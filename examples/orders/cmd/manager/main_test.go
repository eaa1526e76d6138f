// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	webhookv1 "example.com/orders/internal/webhook/v1"
	webhookv2 "example.com/orders/internal/webhook/v2"
)

// Reviews of an order that is denied and of one that is allowed.
const (
	denied = `{"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": {"uid": "1", "operation": "CREATE",
		"kind": {"group": "shop.example.com", "version": "v1", "kind": "Order"},
		"resource": {"group": "shop.example.com", "version": "v1", "resource": "orders"},
		"name": "first", "namespace": "shop", "userInfo": {"username": "alice"},
		"object": {"apiVersion": "shop.example.com/v1", "kind": "Order", "metadata": {"name": "first"},
			"spec": {"sku": "tea", "quantity": 0, "priority": "low"}}}}`
	allowed = `{"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": {"uid": "2", "operation": "CREATE",
		"kind": {"group": "shop.example.com", "version": "v2", "kind": "Order"},
		"resource": {"group": "shop.example.com", "version": "v2", "resource": "orders"},
		"name": "first", "namespace": "shop", "userInfo": {"username": "alice"},
		"object": {"apiVersion": "shop.example.com/v2", "kind": "Order", "metadata": {"name": "first"},
			"spec": {"items": [{"sku": "tea", "quantity": 1}], "priority": "low"}}}}`
)

// TestManager takes the manager through its life, without an API server: it becomes ready, answers reviews of both
// versions of the API over TLS, counts them, and is told to stop while it is called. No call fails. A call
// that is under way when the manager's context ends has a context that has not ended.
func TestManager(t *testing.T) {
	p := start(t, "-drain", "1s")

	answer, err := call(p.client, "https://"+p.address+webhookv1.ValidateOrderPath, denied)
	if err != nil || !strings.Contains(answer, `"code":422`) {
		t.Errorf("the order is not denied with 422: %v %s", err, answer)
	}
	answer, err = call(p.client, "https://"+p.address+webhookv2.ValidateOrderPath, allowed)
	if err != nil || !strings.Contains(answer, `"allowed":true`) {
		t.Errorf("the order is not allowed: %v %s", err, answer)
	}
	p.wantMetrics(t,
		`webhook_admission_requests_total{code="422",operation="CREATE",verdict="denied",webhook="validate.orders.v1.shop.example.com"} 1`,
		`webhook_admission_requests_total{code="200",operation="CREATE",verdict="allowed",webhook="validate.orders.v2.shop.example.com"} 1`,
		`controller_runtime_webhook_requests_total{code="200",webhook="/validate-shop-example-com-v1-order"} 1`,
	)

	underWay := p.begin(t, webhookv2.ValidateOrderPath, allowed)
	stop := make(chan struct{})
	var callers sync.WaitGroup
	var calls [8]int
	for i := range calls {
		callers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if _, err := call(p.client, "https://"+p.address+webhookv2.ValidateOrderPath, allowed); err != nil {
					t.Errorf("call %d of caller %d: %v", calls[i], i, err)
					return
				}
				calls[i]++
			}
		})
	}
	time.Sleep(100 * time.Millisecond)
	if err := p.process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.waitReady(t, http.StatusInternalServerError)
	time.Sleep(500 * time.Millisecond) // API servers turn away within the drain period.
	close(stop)
	callers.Wait()
	p.client.CloseIdleConnections() // A server that shuts down waits 5 seconds for a request on a new one.
	for i, n := range calls {
		if n == 0 {
			t.Errorf("caller %d made no call", i)
		}
	}

	p.waitClosed(t)
	if answer := underWay(); !strings.HasPrefix(answer, "HTTP/1.1 200 OK") || !strings.Contains(answer, `"allowed":true`) {
		t.Errorf("the call under way got %q", answer)
	}
	if err := p.wait(); err != nil {
		t.Errorf("the program ended with %v\n%s", err, p.log())
	}
}

// TestCommandLine has what ends the program at once.
func TestCommandLine(t *testing.T) {
	var stderr bytes.Buffer
	if err := run(t.Context(), []string{"-nonsense"}, &stderr); err == nil || !strings.Contains(stderr.String(), "-cert-dir") {
		t.Errorf("an unknown flag: %v, %s", err, &stderr)
	}
	if err := run(t.Context(), []string{"-kubeconfig", "missing"}, &stderr); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("a kubeconfig that is not there: %v", err)
	}
}

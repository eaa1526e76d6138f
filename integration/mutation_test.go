// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"testing"

	"github.com/webhook-gen/webhook-gen/integration/arguments"
)

// TestOrder has webhooks called by their order and not by their names, where these differ.
func TestOrder(t *testing.T) {
	e := onAPIServer(t)
	object := configMap(e.namespace(t, nil), "first", map[string]string{"topic": "order"})
	e.create(t, object)
	if got, want := object.Data["visited"], "curlew bittern avocet "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestReinvocationPolicy has one of two webhooks called again, after the changes of a later one.
func TestReinvocationPolicy(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	object := configMap(namespace, "first", map[string]string{"topic": "reinvocation"})
	e.create(t, object)
	again, once := e.calls.about(arguments.MutateAgainPath, namespace), e.calls.about(arguments.MutateOncePath, namespace)
	if len(again) != 2 || len(once) != 1 {
		t.Errorf("called %d times and %d times", len(again), len(once))
	}
	if object.Data["seen-by-again"] != "was here" || object.Data["seen-by-once"] != "" {
		t.Errorf("got %v", object.Data)
	}
}

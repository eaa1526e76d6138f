// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/webhook-gen/webhook-gen/integration/arguments"
)

// TestService has webhooks called at the Service, the port and the path that their markers or their package's name.
func TestService(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	e.create(t, configMap(namespace, "first", map[string]string{"topic": "elsewhere"}))
	main := e.calls.one(t, arguments.ValidateEverythingPath, namespace)
	if main.server != "webhooks.integration-system.svc" || main.port != mainPort {
		t.Errorf("called at %s port %d", main.server, main.port)
	}
	annex := e.calls.one(t, "/upstairs/second-door", namespace)
	if annex.server != "annex.integration-system.svc" || annex.port != annexPort {
		t.Errorf("called at %s port %d", annex.server, annex.port)
	}
}

// TestURL calls a webhook at its URL, without a Service.
func TestURL(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	const host = outsideHost + ":10443"
	e.create(t, configMap(namespace, "inside", nil))
	if slices.Contains(e.proxy.hosts(), host) {
		t.Errorf("%s is called without need", host)
	}
	e.create(t, configMap(namespace, "outside", map[string]string{"topic": "outside"}))
	if !slices.Contains(e.proxy.hosts(), host) {
		t.Errorf("%s is not called, but %v", host, e.proxy.hosts())
	}
	if got := e.calls.one(t, "/outside", namespace); got.server != outsideHost {
		t.Errorf("called as %s", got.server)
	}
}

// TestCABundle has webhooks whose server's certificate has another signature than their marker's, or their package's,
// caBundle. The API server does not call them.
func TestCABundle(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	for _, topic := range []string{"distrusted", "sealed"} {
		err := e.client.Create(t.Context(), configMap(namespace, topic, map[string]string{"topic": topic}))
		if !apierrors.IsInternalError(err) || !strings.Contains(err.Error(), "certificate signed by unknown authority") {
			t.Errorf("%s: got %v", topic, err)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/webhook-gen/webhook-gen/integration/arguments"
)

// TestFailurePolicy creates objects whose webhooks fail: the server cannot be reached, or the validator returns an
// error. Half of the webhooks have failurePolicy Ignore, and the objects pass.
func TestFailurePolicy(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	for topic, reason := range map[string]string{
		"closed":         `service "nobody" not found`,
		"failing-closed": "the lookup failed",
		"open":           "",
		"failing-open":   "",
	} {
		err := e.client.Create(t.Context(), configMap(namespace, topic, map[string]string{"topic": topic}))
		if reason == "" && err != nil {
			t.Errorf("%s: got %v", topic, err)
		}
		if reason != "" && (!apierrors.IsInternalError(err) || !strings.Contains(err.Error(), reason)) {
			t.Errorf("%s: got %v, want %s", topic, err, reason)
		}
	}
	for _, path := range []string{arguments.ValidateClosedPath, arguments.ValidateOpenPath} {
		e.calls.want(t, path, namespace)
	}
	e.calls.want(t, arguments.ValidateFailingClosedPath, namespace, "CREATE failing-closed")
	e.calls.want(t, arguments.ValidateFailingOpenPath, namespace, "CREATE failing-open")
	for key, value := range e.auditAnnotations(t, namespace, "failing-open") {
		if strings.HasPrefix(key, "failed-open.validating.webhook.admission.k8s.io/") &&
			value == "failingopen.validate.configmaps.v1.integration.example.com" {
			return
		}
	}
	t.Error("the audit log does not say that a webhook has failed open")
}

// TestTimeoutSeconds has a webhook take longer than it has, and another one as long as it may.
func TestTimeoutSeconds(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	t.Run("too long", func(t *testing.T) {
		t.Parallel()
		start := time.Now()
		err := e.client.Create(t.Context(), configMap(namespace, "hurried", map[string]string{"topic": "hurried"}))
		if took := time.Since(start); !apierrors.IsInternalError(err) || took < time.Second || took >= arguments.Thought {
			t.Errorf("got, after %v, %v", took, err)
		}
		if got := e.calls.one(t, arguments.ValidateHurriedPath, namespace); got.timeout != "1s" {
			t.Errorf("the webhook was told %s", got.timeout)
		}
	})
	t.Run("in time", func(t *testing.T) {
		t.Parallel()
		start := time.Now()
		err := e.client.Create(t.Context(), configMap(namespace, "patient", map[string]string{"topic": "patient"}))
		if took := time.Since(start); err != nil || took < arguments.Thought {
			t.Errorf("got, after %v, %v", took, err)
		}
		if got := e.calls.one(t, arguments.ValidatePatientPath, namespace); got.timeout != "20s" {
			t.Errorf("the webhook was told %s", got.timeout)
		}
	})
}

// TestPatch sets timeoutSeconds by a patch: the API server grants 13 seconds, where the default is 10.
func TestPatch(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	e.create(t, configMap(namespace, "first", nil))
	for path, want := range map[string]string{
		arguments.ValidatePatchedPath:          "13s",
		arguments.ValidatePatchedUnpatchedPath: "10s",
	} {
		if got := e.calls.one(t, path, namespace); got.timeout != want {
			t.Errorf("%s: got %s, want %s", path, got.timeout, want)
		}
	}
}

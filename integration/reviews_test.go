// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"slices"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/webhook-gen/webhook-gen/integration/arguments"
)

// TestAdmissionReviewVersions has webhooks called with reviews of the version that they name first.
func TestAdmissionReviewVersions(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	e.create(t, configMap(namespace, "first", nil))
	for path, want := range map[string]string{
		arguments.ValidateEverythingPath: "admission.k8s.io/v1",
		arguments.ValidateModernPath:     "admission.k8s.io/v1",
		arguments.ValidateAncientPath:    "admission.k8s.io/v1beta1",
	} {
		if got := e.calls.one(t, path, namespace); got.version != want {
			t.Errorf("%s: got %s, want %s", path, got.version, want)
		}
	}
}

// TestDryRun calls webhooks without side effects in a dry run: their requests have dryRun set.
func TestDryRun(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	object := configMap(namespace, "first", nil)
	e.create(t, object, client.DryRunAll)
	for _, path := range []string{arguments.ValidatePurePath, arguments.ValidateCarefulPath} {
		if dry := e.calls.one(t, path, namespace).request.DryRun; dry == nil || !*dry {
			t.Errorf("%s: got dryRun %v", path, dry)
		}
	}
	if err := e.client.Get(t.Context(), client.ObjectKeyFromObject(object), object); !apierrors.IsNotFound(err) {
		t.Errorf("the object is stored: %v", err)
	}
}

// TestSideEffects changes a webhook of the manifest: it removes sideEffects, or sets it to Some or Unknown. The API
// server refuses each, because it could not do dry runs.
func TestSideEffects(t *testing.T) {
	e := onAPIServer(t)
	for name, value := range map[string]*admissionregistrationv1.SideEffectClass{
		"none said": nil,
		"Some":      new(admissionregistrationv1.SideEffectClassSome),
		"Unknown":   new(admissionregistrationv1.SideEffectClassUnknown),
	} {
		err := e.tryWith(t, arguments.ValidatePurePath, func(w *admissionregistrationv1.ValidatingWebhook) { w.SideEffects = value })
		if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "sideEffects: Required value: must specify one of None, NoneOnDryRun") &&
			!strings.Contains(err.Error(), `sideEffects: Unsupported value`) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for _, value := range []admissionregistrationv1.SideEffectClass{"None", "NoneOnDryRun"} {
		err := e.tryWith(t, arguments.ValidatePurePath, func(w *admissionregistrationv1.ValidatingWebhook) { w.SideEffects = &value })
		if err != nil {
			t.Errorf("%s: got %v", value, err)
		}
	}
}

// tryWith does a dry run of the webhook configuration with one webhook changed.
func (e *environment) tryWith(t *testing.T, path string, edit func(*admissionregistrationv1.ValidatingWebhook)) error {
	t.Helper()
	configuration := &admissionregistrationv1.ValidatingWebhookConfiguration{}
	if err := e.client.Get(t.Context(), client.ObjectKey{Name: "validating-webhook-configuration"}, configuration); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(configuration.Webhooks, func(w admissionregistrationv1.ValidatingWebhook) bool {
		return w.ClientConfig.Service != nil && *w.ClientConfig.Service.Path == path
	})
	if i < 0 {
		t.Fatalf("no webhook has the path %s", path)
	}
	edit(&configuration.Webhooks[i])
	return e.client.Update(t.Context(), configuration, client.DryRunAll)
}

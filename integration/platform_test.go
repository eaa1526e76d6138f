// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"context"
	"slices"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/webhook-gen/webhook-gen/integration/arguments"
	"github.com/webhook-gen/webhook-gen/integration/platform"
)

// TestDefaults has two webhooks: one sets no arguments and gets its package's defaults, and one sets all arguments and
// keeps its own.
func TestDefaults(t *testing.T) {
	e := onAPIServer(t)
	one, two := map[string]string{"tier": "one"}, map[string]string{"tier": "two"}
	ours := e.namespace(t, map[string]string{"platform": "yes"})
	special := e.namespace(t, map[string]string{"platform": "special"})
	for _, namespace := range []string{ours, special} {
		for name, labels := range map[string]map[string]string{"one": one, "two": two} {
			object := configMap(namespace, name, labels)
			e.create(t, object)
			if err := e.client.Update(t.Context(), object); err != nil {
				t.Fatal(err)
			}
		}
		e.calls.want(t, arguments.ValidateEverythingPath, namespace, "CREATE one", "CREATE two", "UPDATE one", "UPDATE two")
	}

	// namespaceSelector, objectSelector, operations
	e.calls.want(t, platform.ValidateOrdinaryPath, ours, "CREATE one")
	e.calls.want(t, platform.ValidateOrdinaryPath, special)
	e.calls.want(t, platform.ValidateSpecialPath, ours)
	e.calls.want(t, platform.ValidateSpecialPath, special, "CREATE two", "UPDATE two")
	// reinvocationPolicy
	if early := e.calls.about(platform.MutateEarlyPath, ours); len(early) != 2 {
		t.Errorf("%s is called %d times", platform.MutateEarlyPath, len(early))
	}
	// failurePolicy: without a server for the webhook, the object has passed.
	e.calls.want(t, platform.ValidateLostPath, ours)
	// matchPolicy
	for _, version := range []string{"v1", "v1alpha1"} {
		fleet := newFleet(version, ours, version, nil)
		fleet.SetLabels(one)
		e.create(t, fleet)
	}
	e.calls.want(t, platform.ValidatePrecisePath, ours, "CREATE v1")
	e.calls.want(t, arguments.ValidateEquivalentPath, ours, "CREATE v1", "CREATE v1alpha1")
	// timeoutSeconds, admissionReviewVersions, service
	for _, call := range e.calls.about(platform.ValidateOrdinaryPath, ours) {
		if call.timeout != "7s" || call.version != "admission.k8s.io/v1beta1" || call.server != "annex.integration-system.svc" || call.port != annexPort {
			t.Errorf("got %+v", call)
		}
	}
	for _, call := range e.calls.about(platform.ValidateSpecialPath, special) {
		if call.timeout != "3s" || call.version != "admission.k8s.io/v1" || call.server != "webhooks.integration-system.svc" || call.port != mainPort {
			t.Errorf("got %+v", call)
		}
	}
}

// TestConfiguration finds the configurations of a package by their names, labels and annotations, and deletes one. Then
// the API server no longer calls its webhooks, but still calls the webhooks of the others.
func TestConfiguration(t *testing.T) {
	e := onAPIServer(t)
	var mutating admissionregistrationv1.MutatingWebhookConfigurationList
	var validating admissionregistrationv1.ValidatingWebhookConfigurationList
	for _, list := range []client.ObjectList{&mutating, &validating} {
		if err := e.client.List(t.Context(), list, client.MatchingLabels{"team": "platform"}); err != nil {
			t.Fatal(err)
		}
	}
	if len(mutating.Items) != 1 || len(validating.Items) != 1 {
		t.Fatalf("the label has %d and %d configurations", len(mutating.Items), len(validating.Items))
	}
	for _, meta := range []metav1.ObjectMeta{mutating.Items[0].ObjectMeta, validating.Items[0].ObjectMeta} {
		if meta.Name != "platform" || meta.Annotations["example.com/page"] != "https://platform.example.com" {
			t.Errorf("got %s with %v", meta.Name, meta.Annotations)
		}
	}
	for _, webhook := range validating.Items[0].Webhooks {
		if *webhook.SideEffects != admissionregistrationv1.SideEffectClassNoneOnDryRun {
			t.Errorf("%s has side effects %s", webhook.Name, *webhook.SideEffects)
		}
	}
	if err := e.client.List(t.Context(), &mutating, client.MatchingLabels{"team": "special"}); err != nil || len(mutating.Items) != 0 {
		t.Errorf("a configuration for validating webhooks alone has others, too: %v, %v", mutating.Items, err)
	}
	special := &admissionregistrationv1.ValidatingWebhookConfiguration{}
	if err := e.client.Get(t.Context(), client.ObjectKey{Name: "platform-special"}, special); err != nil {
		t.Fatal(err)
	}
	if special.Labels["team"] != "special" || len(special.Webhooks) != 1 || *special.Webhooks[0].SideEffects != admissionregistrationv1.SideEffectClassNone {
		t.Errorf("got %v with %v", special.Labels, special.Webhooks)
	}
	namespace := e.namespace(t, map[string]string{"platform": "special"})
	two := map[string]string{"tier": "two"}
	e.create(t, configMap(namespace, "with", two))
	if err := e.client.Delete(t.Context(), special); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		special.ResourceVersion, special.UID = "", ""
		if err := e.client.Create(context.Background(), special); err != nil {
			t.Error(err)
		}
	})
	// API servers notice after a moment.
	called := func() []call { return e.calls.about(platform.ValidateSpecialPath, namespace) }
	for range 200 {
		before := len(called())
		e.create(t, configMap(namespace, "without", two), client.DryRunAll)
		if len(called()) == before {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	e.create(t, configMap(namespace, "after", two))
	if !slices.ContainsFunc(called(), func(c call) bool { return c.request.Name == "with" }) ||
		slices.ContainsFunc(called(), func(c call) bool { return c.request.Name == "after" }) {
		t.Errorf("got %v", called())
	}
	if !slices.ContainsFunc(e.calls.about(arguments.ValidateEverythingPath, namespace), func(c call) bool { return c.request.Name == "after" }) {
		t.Error("the other configurations are gone, too")
	}
}

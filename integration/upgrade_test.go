// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/webhook-gen/webhook-gen/integration/arguments"
)

// These tests check the statements of docs/guides/upgrade.md about running clusters. The tests name their rules.

// validating is a configuration for ConfigMaps of a topic, which is also its name.
func (e *environment) validating(topic, path string, failure admissionregistrationv1.FailurePolicyType, operation admissionregistrationv1.OperationType) *admissionregistrationv1.ValidatingWebhookConfiguration {
	none := admissionregistrationv1.SideEffectClassNone
	return &admissionregistrationv1.ValidatingWebhookConfiguration{
		TypeMeta:   metav1.TypeMeta{APIVersion: "admissionregistration.k8s.io/v1", Kind: "ValidatingWebhookConfiguration"},
		ObjectMeta: metav1.ObjectMeta{Name: topic},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name: topic + ".upgrade.example.com",
			ClientConfig: admissionregistrationv1.WebhookClientConfig{CABundle: e.ca,
				Service: &admissionregistrationv1.ServiceReference{Namespace: serviceNamespace, Name: mainService, Path: &path, Port: new(int32(mainPort))}},
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Operations: []admissionregistrationv1.OperationType{operation},
				Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
			}},
			ObjectSelector:          &metav1.LabelSelector{MatchLabels: map[string]string{"topic": topic}},
			FailurePolicy:           &failure,
			SideEffects:             &none,
			AdmissionReviewVersions: []string{"v1"},
		}},
	}
}

// install has a configuration in the cluster for as long as the test takes.
func (e *environment) installFor(t *testing.T, configuration client.Object) {
	t.Helper()
	e.create(t, configuration)
	t.Cleanup(func() {
		if err := e.client.Delete(context.Background(), configuration); err != nil && !apierrors.IsNotFound(err) {
			t.Error(err)
		}
	})
}

// eventually waits until it is so: an API server takes up configurations and definitions after a moment.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for range 1000 {
		if so() {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("not in 20 seconds: %s", what)
}

// TestUpgradePathGone has a configuration call a server that lacks the path (G3, G5): failurePolicy decides.
func TestUpgradePathGone(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	e.installFor(t, e.validating("path-open", "/from-another-release", admissionregistrationv1.Ignore, admissionregistrationv1.Create))
	e.installFor(t, e.validating("path-closed", "/from-another-release", admissionregistrationv1.Fail, admissionregistrationv1.Create))
	var err error
	eventually(t, "the API server calls the webhook", func() bool {
		err = e.client.Create(t.Context(), configMap(namespace, "closed", map[string]string{"topic": "path-closed"}), client.DryRunAll)
		return err != nil
	})
	if !apierrors.IsInternalError(err) || !strings.Contains(err.Error(), "failed calling webhook") || !strings.Contains(err.Error(), `no webhook is served at "/from-another-release"`) {
		t.Errorf("with Fail: got %v", err)
	}
	open := configMap(namespace, "open", map[string]string{"topic": "path-open"})
	e.create(t, open)
	eventually(t, "the audit log says that it failed open", func() bool {
		for key, value := range e.auditAnnotations(t, namespace, "open") {
			if strings.HasPrefix(key, "failed-open.validating.webhook.admission.k8s.io/") && value == "path-open.upgrade.example.com" {
				return true
			}
		}
		return false
	})
}

// TestUpgradeMatchesMore has a configuration name an operation that the generated handler at its path is not for, as a
// new configuration does to an old server (G6).
func TestUpgradeMatchesMore(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	e.create(t, configMap(namespace, "one", map[string]string{"topic": "more"}))
	e.installFor(t, e.validating("more", arguments.ValidatePurePath, admissionregistrationv1.Fail, admissionregistrationv1.Delete))
	var err error
	eventually(t, "the API server calls the webhook", func() bool {
		err = e.client.Delete(t.Context(), configMap(namespace, "one", nil), client.DryRunAll)
		return err != nil
	})
	if !apierrors.IsInternalError(err) || !strings.Contains(err.Error(), `the operation is "DELETE"`) {
		t.Errorf("got %v", err)
	}
}

// TestUpgradeConfigurationGone has a configuration of another name beside the one that it replaces (G15): both call.
func TestUpgradeConfigurationGone(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	old := e.validating("twice", arguments.ValidatePurePath, admissionregistrationv1.Fail, admissionregistrationv1.Create)
	e.installFor(t, old)
	now := old.DeepCopy()
	now.ObjectMeta = metav1.ObjectMeta{Name: "twice-renamed"}
	e.installFor(t, now)
	// The path has a webhook of its own in the manifest, for every ConfigMap.
	calls := func(name string) int {
		e.create(t, configMap(namespace, name, map[string]string{"topic": "twice"}))
		return len(slices.DeleteFunc(e.calls.about(arguments.ValidatePurePath, namespace), func(c call) bool { return c.request.Name != name }))
	}
	n := 0
	called := func(times int) func() bool {
		return func() bool {
			n++
			return calls(fmt.Sprintf("map-%d", n)) == times
		}
	}
	eventually(t, "both call, and the manifest's own", called(3))
	if err := e.client.Delete(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	eventually(t, "one calls, and the manifest's own", called(2))
}

// TestUpgradeRenamed renames the webhook of a configuration after somebody else injected a caBundle (G14). An injector
// that updates loses its caBundle; an injector that applies owns the rest of the old entry.
func TestUpgradeRenamed(t *testing.T) {
	e := onAPIServer(t)
	for injector, inject := range map[string]func(name string) error{
		"updates": func(name string) error {
			injected := &admissionregistrationv1.ValidatingWebhookConfiguration{}
			if err := e.client.Get(t.Context(), client.ObjectKey{Name: name}, injected); err != nil {
				return err
			}
			injected.Webhooks[0].ClientConfig.CABundle = e.ca
			return e.client.Update(t.Context(), injected, client.FieldOwner("injector"))
		},
		"applies": func(name string) error {
			return e.client.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(&unstructured.Unstructured{Object: object{
				"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration", "metadata": object{"name": name},
				"webhooks": []any{object{"name": name + ".upgrade.example.com", "clientConfig": object{"caBundle": base64.StdEncoding.EncodeToString(e.ca)}}},
			}}), client.FieldOwner("injector"))
		},
	} {
		t.Run(injector, func(t *testing.T) {
			configuration := e.validating("renamed-"+injector, "/", admissionregistrationv1.Ignore, admissionregistrationv1.Create)
			configuration.Webhooks[0].ClientConfig.CABundle = nil
			apply := func() (applied *admissionregistrationv1.ValidatingWebhookConfiguration, err error) {
				content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(configuration)
				if err != nil {
					t.Fatal(err)
				}
				err = e.client.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(&unstructured.Unstructured{Object: content}), client.FieldOwner("deployer"))
				applied = &admissionregistrationv1.ValidatingWebhookConfiguration{}
				if err == nil {
					err = e.client.Get(t.Context(), client.ObjectKeyFromObject(configuration), applied)
				}
				return applied, err
			}
			if _, err := apply(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { e.client.Delete(context.Background(), configuration) })
			if err := inject(configuration.Name); err != nil {
				t.Fatal(err)
			}
			if again, err := apply(); err != nil || len(again.Webhooks[0].ClientConfig.CABundle) == 0 {
				t.Errorf("the same name: %v, %v", again.Webhooks, err)
			}
			configuration.Webhooks[0].Name = "other.upgrade.example.com"
			switch now, err := apply(); {
			case injector == "updates" && (err != nil || len(now.Webhooks) != 1 || len(now.Webhooks[0].ClientConfig.CABundle) > 0):
				t.Errorf("another name: got %v, %v, want a webhook without caBundle", now.Webhooks, err)
			case injector == "applies" && (!apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "webhooks[0].sideEffects: Required value")):
				t.Errorf("another name: got %v", err)
			}
		})
	}
}

// kites is a definition whose versions are given as "name served storage"; a field of each version is in no other.
func kites(versions ...string) *apiextensionsv1.CustomResourceDefinition {
	crd := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "kites.upgrade.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "upgrade.example.com", Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "kites", Singular: "kite", Kind: "Kite", ListKind: "KiteList"},
		},
	}
	text := apiextensionsv1.JSONSchemaProps{Type: "string"}
	for _, v := range versions {
		words := strings.Fields(v)
		crd.Spec.Versions = append(crd.Spec.Versions, apiextensionsv1.CustomResourceDefinitionVersion{
			Name: words[0], Served: slices.Contains(words, "served"), Storage: slices.Contains(words, "storage"),
			Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
				"spec": {Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"colour": text, "onlyIn" + words[0]: text}}}}},
		})
	}
	return crd
}

// TestUpgradeVersions removes a version of a kind step by step, as in docs/guides/upgrade.md, and first in other ways
// (G17, G18, G19, G21).
func TestUpgradeVersions(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	definition := kites("v1beta1 served storage", "v1 served")
	e.installFor(t, definition)
	kite := func(version string) *unstructured.Unstructured {
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(schema.GroupVersionKind{Group: "upgrade.example.com", Version: version, Kind: "Kite"})
		u.SetNamespace(namespace)
		u.SetName("kite")
		return u
	}
	get := func(version string) (*unstructured.Unstructured, error) {
		u := kite(version)
		return u, e.client.Get(t.Context(), client.ObjectKeyFromObject(u), u)
	}
	written := kite("v1beta1")
	written.Object["spec"] = object{"colour": "red", "onlyInv1beta1": "x"}
	eventually(t, "the kind is served", func() bool {
		return e.client.Create(t.Context(), written.DeepCopy()) == nil
	})

	// Without a conversion, a field of one version is gone when the object is written as the other (G21).
	var other *unstructured.Unstructured
	eventually(t, "v1 is served", func() bool {
		var err error
		other, err = get("v1")
		return err == nil
	})
	wantPart(t, other, "spec", object{"colour": "red"})
	if err := e.client.Update(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	if back, err := get("v1beta1"); err != nil {
		t.Error(err)
	} else {
		wantPart(t, back, "spec", object{"colour": "red"})
	}

	apply := func(versions ...string) error {
		now := &apiextensionsv1.CustomResourceDefinition{}
		if err := e.client.Get(t.Context(), client.ObjectKeyFromObject(definition), now); err != nil {
			t.Fatal(err)
		}
		now.Spec.Versions = kites(versions...).Spec.Versions
		return e.client.Update(t.Context(), now)
	}
	stored := func(want ...string) {
		t.Helper()
		now := &apiextensionsv1.CustomResourceDefinition{}
		eventually(t, "status.storedVersions is "+strings.Join(want, ", "), func() bool {
			if err := e.client.Get(t.Context(), client.ObjectKeyFromObject(definition), now); err != nil {
				t.Fatal(err)
			}
			return cmp.Equal(now.Status.StoredVersions, want)
		})
	}
	if err := apply("v1 served storage"); !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), `status.storedVersions[0]: Invalid value: "v1beta1"`) {
		t.Errorf("v1beta1 taken away while it is stored: got %v", err)
	}
	if err := apply("v1beta1 served", "v1 served storage"); err != nil {
		t.Fatal(err)
	}
	stored("v1beta1", "v1")
	if err := apply("v1beta1", "v1 served storage"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "v1beta1 is not found", func() bool {
		_, err := get("v1beta1")
		return apierrors.IsNotFound(err)
	})
	if _, err := get("v1"); err != nil {
		t.Errorf("what is stored as v1beta1: %v", err)
	}
	if err := apply("v1 served storage"); !apierrors.IsInvalid(err) {
		t.Errorf("v1beta1 taken away before status.storedVersions says so: got %v", err)
	}
	again, err := get("v1")
	if err != nil {
		t.Fatal(err)
	}
	if err := e.client.Update(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	now := &apiextensionsv1.CustomResourceDefinition{}
	if err := e.client.Get(t.Context(), client.ObjectKeyFromObject(definition), now); err != nil {
		t.Fatal(err)
	}
	now.Status.StoredVersions = []string{"v1"}
	if err := e.client.Status().Update(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	if err := apply("v1 served storage"); err != nil {
		t.Errorf("v1beta1 taken away in the end: %v", err)
	}
}

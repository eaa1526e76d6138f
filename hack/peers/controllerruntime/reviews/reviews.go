// SPDX-License-Identifier: Apache-2.0

// Package reviews makes the admission reviews for the tests of this module, sends them, and processes the answers as
// the API server does.
package reviews

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// PodKind returns the kind of Pod.
func PodKind() metav1.GroupVersionKind { return metav1.GroupVersionKind{Version: "v1", Kind: "Pod"} }

// Pod is a Pod of 4.5 kB as a controller creates it and the API server sends it on.
//
//go:embed testdata/pod.json
var Pod []byte

// Of returns the body that the API server would send, marshalled by k8s.io/api as there.
func Of(t testing.TB, operation admissionv1.Operation, kind metav1.GroupVersionKind, object, old []byte) []byte {
	t.Helper()
	dryRun := false
	resource := metav1.GroupVersionResource{Group: kind.Group, Version: kind.Version, Resource: "pods"}
	options := map[admissionv1.Operation]json.RawMessage{
		admissionv1.Create: json.RawMessage(`{"kind":"CreateOptions","apiVersion":"meta.k8s.io/v1","fieldManager":"kube-controller-manager"}`),
		admissionv1.Update: json.RawMessage(`{"kind":"UpdateOptions","apiVersion":"meta.k8s.io/v1","fieldManager":"kube-controller-manager"}`),
		admissionv1.Delete: json.RawMessage(`{"kind":"DeleteOptions","apiVersion":"meta.k8s.io/v1"}`),
	}[operation]
	body, err := json.Marshal(admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{Kind: "AdmissionReview", APIVersion: "admission.k8s.io/v1"},
		Request: &admissionv1.AdmissionRequest{
			UID:             "705ab4f5-6393-11e8-b7cc-42010a800002",
			Kind:            kind,
			Resource:        resource,
			RequestKind:     &kind,
			RequestResource: &resource,
			Name:            "web-5d4f8c7b9d-x2x7k",
			Namespace:       "shop",
			Operation:       operation,
			UserInfo: authenticationv1.UserInfo{
				Username: "system:serviceaccount:kube-system:replicaset-controller",
				UID:      "1a2b3c4d-0000-4000-8000-000000000001",
				Groups:   []string{"system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"},
			},
			Object:    runtime.RawExtension{Raw: object},
			OldObject: runtime.RawExtension{Raw: old},
			DryRun:    &dryRun,
			Options:   runtime.RawExtension{Raw: options},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return append(body, '\n')
}

// Ask sends a review to a handler and returns the response.
func Ask(t testing.TB, h http.Handler, body []byte) *admissionv1.AdmissionResponse {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/?timeout=10s", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(w.Body.Bytes(), &review); err != nil || review.Response == nil {
		t.Fatalf("HTTP %d: %s", w.Code, w.Body)
	}
	return review.Response
}

// Patched returns the object after the webhook, as the API server makes it: by evanphx/json-patch v4.
func Patched(t testing.TB, object []byte, response *admissionv1.AdmissionResponse) []byte {
	t.Helper()
	if !response.Allowed {
		t.Fatalf("denied: %+v", response.Result)
	}
	if len(response.Patch) == 0 {
		return object
	}
	patch, err := jsonpatch.DecodePatch(response.Patch)
	if err != nil {
		t.Fatalf("%v: %s", err, response.Patch)
	}
	after, err := patch.Apply(object)
	if err != nil {
		t.Fatalf("%v:\n%s\n%s", err, response.Patch, object)
	}
	return after
}

// Mutated sends the object through a mutating webhook with the defaulter edit.
func Mutated[T any](t testing.TB, object []byte, edit func(*T)) []byte {
	h := admission.Mutating("differential.example.com", admission.OnCreate(
		func(_ context.Context, r *admission.CreateRequest[T]) error { edit(r.Object); return nil }))
	return Patched(t, object, Ask(t, h, Of(t, admissionv1.Create, metav1.GroupVersionKind{Kind: "X"}, object, nil)))
}

// Parse parses JSON. Numbers keep their text.
func Parse(t testing.TB, text []byte) any {
	var x any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&x); err != nil {
		t.Fatal(err)
	}
	return x
}

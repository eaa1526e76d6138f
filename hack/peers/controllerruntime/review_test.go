// SPDX-License-Identifier: Apache-2.0

package controllerruntime

import (
	_ "embed"
	"encoding/json"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// pod is a Pod of 4.5 kB as a controller creates it and the API server sends it on.
//
//go:embed testdata/pod.json
var pod []byte

// review returns the body that the API server would send, in its own way of writing: k8s.io/api marshals it.
func review(t testing.TB, operation admissionv1.Operation, kind metav1.GroupVersionKind, object, old []byte) []byte {
	t.Helper()
	dryRun := false
	resource := metav1.GroupVersionResource{Group: kind.Group, Version: kind.Version, Resource: "pods"}
	options := map[admissionv1.Operation]string{
		admissionv1.Create: `{"kind":"CreateOptions","apiVersion":"meta.k8s.io/v1","fieldManager":"kube-controller-manager"}`,
		admissionv1.Update: `{"kind":"UpdateOptions","apiVersion":"meta.k8s.io/v1","fieldManager":"kube-controller-manager"}`,
		admissionv1.Delete: `{"kind":"DeleteOptions","apiVersion":"meta.k8s.io/v1"}`,
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
			Options:   raw(options),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return append(body, '\n')
}

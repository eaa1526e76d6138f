// SPDX-License-Identifier: Apache-2.0

package admission_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

func ExampleMutating() {
	handler := admission.Mutating("label.pods.example.com", admission.ForKind("v1", "Pod"),
		admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[corev1.Pod]) error {
			r.Object.Spec.PriorityClassName = "standard"
			r.Warn("pods get a priority class")
			return nil
		}))

	body := `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"1","operation":"CREATE",` +
		`"kind":{"group":"","version":"v1","kind":"Pod"},"object":{"metadata":{"name":"web"},"spec":{"future":1}}}}`
	r := httptest.NewRequest(http.MethodPost, "/?timeout=10s", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	fmt.Println(w.Body)
	// Output:
	// {"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"1","allowed":true,"patch":"W3sib3AiOiJhZGQiLCJwYXRoIjoiL3NwZWMvcHJpb3JpdHlDbGFzc05hbWUiLCJ2YWx1ZSI6InN0YW5kYXJkIn1d","patchType":"JSONPatch","warnings":["pods get a priority class"]}}
}

// A rule about users and operations needs no object.
func ExampleOn() {
	handler := admission.Validating("guard.example.com",
		admission.On(admission.Delete, func(_ context.Context, r *admission.RawRequest) error {
			if r.UserInfo.Username != "admin" {
				return fmt.Errorf("%s may not delete %s", r.UserInfo.Username, r.Name)
			}
			return nil
		}))
	fmt.Println(handler.Name())
	// Output: guard.example.com
}

// A validator is tested without a server.
func ExampleNewUpdateRequest() {
	keepNode := func(_ context.Context, r *admission.UpdateRequest[corev1.Pod]) error {
		old, err := r.OldObject()
		if err != nil {
			return err
		}
		if old.Spec.NodeName != r.Object.Spec.NodeName {
			return fmt.Errorf("a pod stays on %s", old.Spec.NodeName)
		}
		return nil
	}
	old := &corev1.Pod{Spec: corev1.PodSpec{NodeName: "a"}}
	fmt.Println(keepNode(context.Background(), admission.NewUpdateRequest(old, &corev1.Pod{})))
	// Output: a pod stays on a
}

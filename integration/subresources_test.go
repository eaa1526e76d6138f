// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"

	"github.com/webhook-gen/webhook-gen/integration/arguments"
)

// TestStatus has a webhook called, and change the object, when the status is set, and at no other time.
func TestStatus(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	fleet := newFleet("v1", namespace, "fleet", map[string]any{"replicas": int64(1)})
	e.create(t, fleet)
	unstructured.SetNestedField(fleet.Object, int64(2), "spec", "replicas")
	if err := e.client.Update(t.Context(), fleet); err != nil {
		t.Fatal(err)
	}
	e.calls.want(t, arguments.MutateStatusStatusPath, namespace)

	fleet.Object["status"] = map[string]any{"conditions": []any{map[string]any{
		"type": "Ready", "status": "True", "reason": "Moored", "message": "", "lastTransitionTime": "2026-01-02T03:04:05Z",
	}}}
	if err := e.client.Status().Update(t.Context(), fleet); err != nil {
		t.Fatal(err)
	}
	e.calls.want(t, arguments.MutateStatusStatusPath, namespace, "UPDATE fleet")
	e.calls.want(t, arguments.ValidateWholePath, namespace, "CREATE fleet", "UPDATE fleet")
	conditions, _, _ := unstructured.NestedSlice(e.getFleet(t, "v1", namespace, "fleet").Object, "status", "conditions")
	if len(conditions) != 1 || conditions[0].(map[string]any)["message"] != "moored" {
		t.Errorf("got conditions %v", conditions)
	}
}

// TestScale has a webhook called with a Scale, and deny, when a Fleet is scaled, in each version.
func TestScale(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	e.create(t, newFleet("v1", namespace, "fleet", map[string]any{"replicas": int64(1)}))
	for _, version := range []string{"v1", "v1alpha1"} {
		fleet := newFleet(version, namespace, "fleet", nil)
		e.scale(t, fleet, 50)
		err := e.tryScale(t, fleet, 101)
		if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "must be 100 at most") {
			t.Errorf("%s: got %v", version, err)
		}
	}
	for _, call := range e.calls.about(arguments.ValidateScaleScalePath, namespace) {
		if call.request.Kind != (metav1.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}) || call.request.SubResource != "scale" {
			t.Errorf("got kind %v, subresource %s", call.request.Kind, call.request.SubResource)
		}
	}
	e.calls.want(t, arguments.ValidateScaleScalePath, namespace, "UPDATE fleet")
	e.calls.want(t, arguments.ValidateWholePath, namespace, "CREATE fleet")
}

// TestConnect has a webhook called with the options of a connection, and deny it.
func TestConnect(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	e.create(t, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "pod"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
	})
	e.calls.want(t, arguments.ValidateExecExecPath, namespace)
	clientset, err := kubernetes.NewForConfig(e.config)
	if err != nil {
		t.Fatal(err)
	}
	exec := func(tty string) error {
		return clientset.CoreV1().RESTClient().Post().Namespace(namespace).Resource("pods").Name("pod").SubResource("exec").
			Param("command", "id").Param("stdout", "true").Param("tty", tty).Do(t.Context()).Error()
	}
	if err := exec("true"); !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "no terminals") {
		t.Errorf("with a terminal: got %v", err)
	}
	// A pod that no kubelet runs cannot be connected to, which is found out after admission.
	if err := exec("false"); err == nil || apierrors.IsForbidden(err) {
		t.Errorf("without a terminal: got %v", err)
	}
	e.calls.want(t, arguments.ValidateExecExecPath, namespace, "CONNECT pod")
}

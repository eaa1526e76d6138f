// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/integration/arguments"
)

// TestOperations has a webhook called for the operations that it names.
func TestOperations(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	object := configMap(namespace, "first", nil)
	e.create(t, object)
	if err := e.client.Update(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	if err := e.client.Delete(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	e.calls.want(t, arguments.ValidateUpdatesPath, namespace, "UPDATE first")
	e.calls.want(t, arguments.ValidateEverythingPath, namespace, "CREATE first", "UPDATE first", "DELETE first")
}

// TestRules has two webhooks of one type with further rules: some rules for both webhooks, and some for one.
func TestRules(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	e.create(t, configMap(namespace, "configmap", nil))
	e.create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "secret"}})
	labels := map[string]string{"app": "first"}
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "deployment"},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
			},
		},
	}
	e.create(t, deployment)
	deployment.Labels = labels
	if err := e.client.Update(t.Context(), deployment); err != nil {
		t.Fatal(err)
	}
	fleet := newFleet("v1", namespace, "fleet", map[string]any{"replicas": int64(1)})
	e.create(t, fleet)
	e.scale(t, fleet, 2)
	e.calls.want(t, arguments.ValidateWidePath, namespace,
		"CREATE configmap", "CREATE secret", "UPDATE deployment", "UPDATE fleet")
	e.calls.want(t, arguments.ValidateWideWiderPath, namespace, "CREATE configmap", "CREATE secret")
}

// TestPackageRule calls the webhook of a package for one of two resources that share a name and their stored objects.
func TestPackageRule(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	about := corev1.ObjectReference{Kind: "ConfigMap", Namespace: namespace, Name: "first"}
	e.create(t, &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: namespace, Name: "core"},
		InvolvedObject: about,
	})
	e.create(t, &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "events"},
		EventTime:  metav1.NowMicro(), ReportingController: "example.com/suite", ReportingInstance: "one",
		Action: "Test", Reason: "Tested", Type: "Normal", Regarding: about,
	})
	e.calls.want(t, arguments.EventsPath, namespace, "CREATE events")
}

// TestScope has webhooks for all resources of a group called for those with a namespace, without one, and with or
// without.
func TestScope(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	e.create(t, newFleet("v1", namespace, "fleet", nil))
	e.create(t, newHarbour("harbour"))
	const none = ""
	e.calls.want(t, arguments.ValidateNamespacedPath, namespace, "CREATE fleet")
	e.calls.want(t, arguments.ValidateNamespacedPath, none)
	e.calls.want(t, arguments.ValidateClusterwidePath, namespace)
	e.calls.want(t, arguments.ValidateClusterwidePath, none, "CREATE harbour")
	e.calls.want(t, arguments.ValidateAnywherePath, namespace, "CREATE fleet")
	e.calls.want(t, arguments.ValidateAnywherePath, none, "CREATE harbour")
	// The scope of one rule among others.
	e.calls.want(t, arguments.ValidateWideWiderPath, namespace)
	e.calls.want(t, arguments.ValidateWideWiderPath, none, "CREATE harbour")
}

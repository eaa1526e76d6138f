// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/webhook-gen/webhook-gen/integration/arguments"
)

// configMap returns an object of the kind that most webhooks here are called for.
func configMap(namespace, name string, labels map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: labels}}
}

// TestNamespaceSelector has a webhook called in the namespaces that its selector matches, and nowhere else.
func TestNamespaceSelector(t *testing.T) {
	e := onAPIServer(t)
	for _, test := range []struct {
		labels map[string]string
		called bool
	}{
		{map[string]string{"environment": "prod"}, true},
		{map[string]string{"environment": "staging"}, true},
		{map[string]string{"environment": "dev"}, false},
		{map[string]string{"environment": "prod", "legacy": ""}, false},
		{nil, false},
	} {
		namespace := e.namespace(t, test.labels)
		e.create(t, configMap(namespace, "first", nil))
		e.calls.want(t, arguments.ValidateEverythingPath, namespace, "CREATE first")
		if test.called {
			e.calls.want(t, arguments.ValidateInNamespacesPath, namespace, "CREATE first")
		} else {
			e.calls.want(t, arguments.ValidateInNamespacesPath, namespace)
		}
	}
}

// TestObjectSelector calls a webhook for objects that its selector matches now, or matched before the request.
func TestObjectSelector(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	public := configMap(namespace, "public", map[string]string{"audience": "public"})
	e.create(t, public)
	internal := configMap(namespace, "internal", map[string]string{"audience": "internal"})
	e.create(t, internal)
	e.create(t, configMap(namespace, "unlabelled", nil))
	for _, object := range []client.Object{public, internal} {
		object.SetLabels(nil)
		if err := e.client.Update(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	e.calls.want(t, arguments.ValidateWithLabelsPath, namespace, "CREATE public", "UPDATE public")
	e.calls.want(t, arguments.ValidateEverythingPath, namespace,
		"CREATE public", "CREATE internal", "CREATE unlabelled", "UPDATE public", "UPDATE internal")
}

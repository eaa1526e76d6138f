// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// fleets names Fleet in a version.
func fleets(version string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "fleet.example.com", Version: version, Kind: "Fleet"}
}

// newFleet makes a Fleet as JSON has it, and so with fields that a Go type would leave out.
func newFleet(version, namespace, name string, spec map[string]any) *unstructured.Unstructured {
	fleet := &unstructured.Unstructured{Object: map[string]any{}}
	fleet.SetGroupVersionKind(fleets(version))
	fleet.SetNamespace(namespace)
	fleet.SetName(name)
	if spec != nil {
		fleet.Object["spec"] = spec
	}
	return fleet
}

// newHarbour makes a Harbour, which has no namespace.
func newHarbour(name string) *unstructured.Unstructured {
	harbour := &unstructured.Unstructured{Object: map[string]any{}}
	harbour.SetAPIVersion("fleet.example.com/v1")
	harbour.SetKind("Harbour")
	harbour.SetName(name)
	return harbour
}

// getFleet reads a Fleet in a version.
func (e *environment) getFleet(t *testing.T, version, namespace, name string) *unstructured.Unstructured {
	t.Helper()
	fleet := &unstructured.Unstructured{}
	fleet.SetGroupVersionKind(fleets(version))
	if err := e.client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, fleet); err != nil {
		t.Fatalf("get %s as %s: %v", name, version, err)
	}
	return fleet
}

// tryScale sets the replicas of a Fleet by its subresource, as `kubectl scale` does.
func (e *environment) tryScale(t *testing.T, fleet *unstructured.Unstructured, replicas int64) error {
	t.Helper()
	scale := &unstructured.Unstructured{}
	scale.SetGroupVersionKind(autoscalingv1.SchemeGroupVersion.WithKind("Scale"))
	if err := e.client.SubResource("scale").Get(t.Context(), fleet, scale); err != nil {
		t.Fatal(err)
	}
	if err := unstructured.SetNestedField(scale.Object, replicas, "spec", "replicas"); err != nil {
		t.Fatal(err)
	}
	return e.client.SubResource("scale").Update(t.Context(), fleet, client.WithSubResourceBody(scale))
}

func (e *environment) scale(t *testing.T, fleet *unstructured.Unstructured, replicas int64) {
	t.Helper()
	if err := e.tryScale(t, fleet, replicas); err != nil {
		t.Fatal(err)
	}
}

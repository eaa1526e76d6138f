// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"fmt"
	"hash/fnv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/webhook-gen/webhook-gen/runtime/conversion"
)

// forged is an annotation for v1 that anybody may write: the digest of a value needs no secret.
func forged(t *testing.T, changes ...string) map[string]string {
	t.Helper()
	return map[string]string{conversion.Annotation: `{"v1":[` + strings.Join(changes, ",") + `]}`}
}

// replacing is a change of a value, in JSON, into another one.
func replacing(at, was, is string) string {
	h := fnv.New64a()
	h.Write([]byte(was))
	return fmt.Sprintf(`{"at":%s,"was":"%016x","is":%s}`, at, h.Sum64(), is)
}

// TestForgedAnnotation writes Fleets in v1alpha1 with a contradicting annotation: on creation, and in a patch of the
// annotation alone. The API server stores the Fleet's own values.
func TestForgedAnnotation(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	evil := forged(t,
		replacing(`["spec","cargo"]`, `"Tea"`, `"Spices"`),
		replacing(`["spec","replicas"]`, `3`, `666`),
		replacing(`["spec","ships",{"name":"argo"},"tons"]`, `90`, `1`),
		replacing(`["spec","owners"]`, `["anna"]`, `["mallory"]`),
		// Only the hub has these fields.
		`{"at":["spec","docking","pilot"],"is":true}`, `{"at":["spec","ships",{"name":"argo"},"flag"],"is":"black"}`,
	)
	check := func() {
		t.Helper()
		got := e.getFleet(t, "v1", namespace, "fleet")
		for path, want := range map[string]string{"replicas": "3", "cargo": "Tea", "owners": "[anna]"} {
			if value, _, _ := unstructured.NestedFieldNoCopy(got.Object, "spec", path); fmt.Sprint(value) != want {
				t.Errorf("%s is stored as %v, want %s", path, value, want)
			}
		}
		if text := fmt.Sprint(got.Object["spec"]); strings.Contains(text, "black") || strings.Contains(text, "pilot") {
			t.Errorf("stored is %s", text)
		}
		wantPart(t, e.getFleet(t, "v1alpha1", namespace, "fleet"), "spec", first())
	}
	fleet := newFleet("v1alpha1", namespace, "fleet", first())
	fleet.SetAnnotations(evil)
	e.create(t, fleet)
	check()

	patched := e.getFleet(t, "v1alpha1", namespace, "fleet")
	before := patched.DeepCopy()
	patched.SetAnnotations(evil)
	if err := e.client.Patch(t.Context(), patched, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	check()
}

// TestListWithWhatDoesNotFit stores Fleets in v1 that v1alpha1 cannot represent: one is too large for the annotation,
// and one has a time that Go cannot read. Lists in both versions contain them. They can be written back in v1, but not
// in v1alpha1.
func TestListWithWhatDoesNotFit(t *testing.T) {
	e := onAPIServer(t)
	// No webhook is called for this namespace: webhooks would refuse a time that Go cannot read.
	namespace := e.namespace(t, map[string]string{"crowded": "yes"})
	e.create(t, newFleet("v1", namespace, "fine", hub()))
	large := hub()
	large["ships"] = []any{object{"name": "argo", "tons": int64(90), "flag": strings.Repeat("x", 300000)}, object{"name": "beagle", "flag": "red"}}
	e.create(t, newFleet("v1", namespace, "large", large))
	odd := newFleet("v1", namespace, "odd", hub())
	e.create(t, odd)
	status := moored()
	status["conditions"].([]any)[0].(object)["lastTransitionTime"] = "2026-01-02t03:04:05z"
	odd.Object["status"] = status
	if err := e.client.Status().Update(t.Context(), odd); err != nil {
		t.Fatal(err)
	}

	for _, version := range versions {
		var list unstructured.UnstructuredList
		list.SetAPIVersion(odd.GroupVersionKind().Group + "/" + version)
		list.SetKind("FleetList")
		if err := e.client.List(t.Context(), &list, client.InNamespace(namespace)); err != nil {
			t.Fatalf("%s: %v", version, err)
		}
		if len(list.Items) != 3 {
			t.Errorf("%d Fleets in %s, want 3", len(list.Items), version)
		}
	}
	if mark := e.getFleet(t, "v1alpha1", namespace, "large").GetAnnotations()[conversion.Annotation]; !strings.Contains(mark, `{"cut":1}`) || !strings.Contains(mark, `"red"`) {
		t.Errorf("the annotation is %.300s", mark)
	}
	for _, name := range []string{"large", "odd"} {
		read := e.getFleet(t, "v1alpha1", namespace, name)
		unstructured.SetNestedField(read.Object, int64(4), "spec", "size")
		if err := e.client.Update(t.Context(), read); err == nil || !strings.Contains(err.Error(), namespace+"/"+name+": 1 values of v1 do not fit") {
			t.Errorf("%s is written in v1alpha1: %v", name, err)
		}
		stored := e.getFleet(t, "v1", namespace, name)
		unstructured.SetNestedField(stored.Object, int64(4), "spec", "replicas")
		if err := e.client.Update(t.Context(), stored); err != nil {
			t.Errorf("%s is written in v1: %v", name, err)
		}
		// The API server refuses a deletion in v1alpha1, too, because the webhooks receive the Fleet in v1.
		if err := e.client.Delete(t.Context(), stored); err != nil {
			t.Errorf("%s is deleted in v1: %v", name, err)
		}
	}
	fine := e.getFleet(t, "v1alpha1", namespace, "fine")
	unstructured.SetNestedField(fine.Object, int64(4), "spec", "size")
	if err := e.client.Update(t.Context(), fine); err != nil {
		t.Error(err)
	}
}

// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/webhook-gen/webhook-gen/runtime/conversion"
)

// listFleets lists the Fleets of a namespace in a version.
func (e *environment) listFleets(t *testing.T, version, namespace string) []unstructured.Unstructured {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(fleets(version))
	start := time.Now()
	if err := e.client.List(ctx, list, client.InNamespace(namespace)); err != nil {
		t.Fatalf("list as %s: %v", version, err)
	}
	t.Logf("%d Fleets listed as %s in %s", len(list.Items), version, time.Since(start).Round(time.Millisecond))
	return list.Items
}

// TestAnnotationOfManyKeys stores a Fleet of many ships with an annotation of a client: a step of it has thousands of
// keys. Lists in the other version answer, before and after a restart of the webhook.
func TestAnnotationOfManyKeys(t *testing.T) {
	e := onAPIServer(t)
	e.conversions.withoutKeys(t)
	namespace := e.namespace(t, map[string]string{"crowded": "yes"})
	var keys strings.Builder
	for i := range 14000 {
		fmt.Fprintf(&keys, `,"%x":1`, i)
	}
	spec := object{"ships": []any{}}
	for i := range 20000 {
		spec["ships"] = append(spec["ships"].([]any), object{"name": fmt.Sprint("s", i)})
	}
	for stored, other := range map[string]string{"v1": "v1alpha1", "v1alpha1": "v1"} {
		t.Run("written in "+stored, func(t *testing.T) {
			name := "fleet-" + stored
			fleet := newFleet(stored, namespace, name, spec)
			fleet.SetAnnotations(map[string]string{conversion.Annotation: fmt.Sprintf(
				`{%q:[{"at":["spec","ships",{"name":"s1"%s},"tons"],"is":1},{"at":["spec","ships",{"name":"s2"},"tons"],"is":2}]}`, other, keys.String())})
			e.create(t, fleet)
			check := func() {
				t.Helper()
				all := e.listFleets(t, other, namespace)
				if len(all) != 1 {
					t.Fatalf("%d Fleets", len(all))
				}
				ships, _, _ := unstructured.NestedSlice(all[0].Object, "spec", "ships")
				if len(ships) != 20000 {
					t.Errorf("%d ships", len(ships))
				}
			}
			check()
			e.conversions.withoutKeys(t) // a new handler, as after a restart
			check()
			if err := e.client.Delete(t.Context(), newFleet(other, namespace, name, nil)); err != nil {
				t.Error(err)
			}
		})
	}
}

// kubectlApply does what kubectl apply does without --server-side: a three-way merge of the live object, the manifest,
// and the manifest that was applied before.
func (e *environment) kubectlApply(t *testing.T, manifest *unstructured.Unstructured) {
	t.Helper()
	const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"
	live := e.getFleet(t, manifest.GroupVersionKind().Version, manifest.GetNamespace(), manifest.GetName())
	text, err := json.Marshal(manifest.Object)
	if err != nil {
		t.Fatal(err)
	}
	modified := manifest.DeepCopy()
	modified.SetAnnotations(map[string]string{lastApplied: string(text)})
	after, err := json.Marshal(modified.Object)
	if err != nil {
		t.Fatal(err)
	}
	before, err := json.Marshal(live.Object)
	if err != nil {
		t.Fatal(err)
	}
	patch, err := jsonmergepatch.CreateThreeWayJSONMergePatch([]byte(live.GetAnnotations()[lastApplied]), after, before)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.client.Patch(t.Context(), live, client.RawPatch(types.MergePatchType, patch)); err != nil {
		t.Fatalf("kubectl apply of %s as %s: %v", manifest.GetName(), manifest.GetAPIVersion(), err)
	}
}

// TestKubectlKeeps writes a Fleet of the hub in an older version, in the ways of kubectl. The annotation keeps what the
// older version lacks, and managedFields name every writer.
func TestKubectlKeeps(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	e.create(t, newFleet("v1", namespace, "fleet", hub()))
	want := hub()
	check := func(way string, managers ...string) {
		t.Helper()
		fleet := e.getFleet(t, "v1", namespace, "fleet")
		if diff := cmp.Diff(want, fleet.Object["spec"]); diff != "" {
			t.Errorf("after %s (- want, + got):\n%s", way, diff)
		}
		for _, version := range versions {
			found := map[string]bool{}
			for _, m := range e.getFleet(t, version, namespace, "fleet").GetManagedFields() {
				found[m.Manager+" "+string(m.Operation)+" "+m.APIVersion] = true
			}
			for _, m := range managers {
				if !found[m] {
					t.Errorf("after %s, %s has the managers %v, want %s", way, version, found, m)
				}
			}
		}
	}

	manifest := newFleet("v1alpha1", namespace, "fleet", object{"size": int64(4), "cargo": "tea",
		"ships": []any{object{"name": "argo", "tons": int64(91)}, object{"name": "beagle"}}})
	e.kubectlApply(t, manifest)
	want["replicas"], want["cargo"] = int64(4), "Tea"
	want["ships"].([]any)[0].(object)["tons"] = int64(91)
	check("apply")

	delete(manifest.Object["spec"].(object), "cargo")
	manifest.Object["spec"].(object)["ships"] = []any{object{"name": "argo", "tons": int64(92)}, object{"name": "beagle"}, object{"name": "cutty"}}
	e.kubectlApply(t, manifest)
	delete(want, "cargo")
	want["ships"].([]any)[0].(object)["tons"] = int64(92)
	want["ships"] = append(want["ships"].([]any), object{"name": "cutty"})
	check("the second apply")

	edited := e.getFleet(t, "v1alpha1", namespace, "fleet")
	before := edited.DeepCopy()
	unstructured.SetNestedField(edited.Object, int64(5), "spec", "size")
	edit := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := e.client.Patch(t.Context(), edited, edit, client.FieldOwner("kubectl-edit")); err != nil {
		t.Fatal(err)
	}
	want["replicas"] = int64(5)
	check("edit", "kubectl-edit Update fleet.example.com/v1alpha1")

	replaced := e.getFleet(t, "v1beta1", namespace, "fleet")
	unstructured.SetNestedField(replaced.Object, int64(6), "spec", "replicas")
	if err := e.client.Update(t.Context(), replaced, client.FieldOwner("kubectl-replace")); err != nil {
		t.Fatal(err)
	}
	want["replicas"] = int64(6)
	check("replace", "kubectl-replace Update fleet.example.com/v1beta1")

	for i, version := range []string{"v1alpha1", "v1", "v1beta1", "v1alpha1"} {
		name := map[string]string{"v1alpha1": "size"}[version]
		if name == "" {
			name = "replicas"
		}
		configuration := client.ApplyConfigurationFromUnstructured(newFleet(version, namespace, "fleet", object{name: int64(7 + i)}))
		if err := e.client.Apply(t.Context(), configuration, client.FieldOwner("applier"), client.ForceOwnership); err != nil {
			t.Fatalf("apply as %s: %v", version, err)
		}
		want["replicas"] = int64(7 + i)
		check("server-side apply as "+version, "applier Apply fleet.example.com/"+version)
	}

	bare := newFleet("v1alpha1", namespace, "fleet", object{"size": int64(1)})
	bare.SetResourceVersion(e.getFleet(t, "v1", namespace, "fleet").GetResourceVersion())
	if err := e.client.Update(t.Context(), bare); err != nil {
		t.Fatal(err)
	}
	want = object{"replicas": int64(1), "pace": "steady"} // without the annotation, its values are replaced, too
	check("replace by a manifest")
}

// storeAll writes objects of a resource, with its group as in fleet.example.com/fleets, to etcd as the API server
// stores them: 10,000 creations would take a minute.
func (e *environment) storeAll(t *testing.T, resource string, all []*unstructured.Unstructured) {
	t.Helper()
	type put struct {
		Key   []byte `json:"key"`
		Value []byte `json:"value"`
	}
	for some := range slices.Chunk(all, 128) { // operations of a transaction
		var transaction struct {
			Success []map[string]put `json:"success"`
		}
		for _, o := range some {
			o.SetUID(uuid.NewUUID())
			o.SetCreationTimestamp(metav1.Now())
			o.SetGeneration(1)
			text, err := json.Marshal(o.Object)
			if err != nil {
				t.Fatal(err)
			}
			key := fmt.Sprintf("/registry/%s/%s/%s", resource, o.GetNamespace(), o.GetName())
			transaction.Success = append(transaction.Success, map[string]put{"requestPut": {[]byte(key), text}})
		}
		body, err := json.Marshal(transaction)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.Post(e.etcd+"/v3/kv/txn", "application/json", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			t.Fatalf("etcd answers %s: %.300s", answer.Status, text)
		}
	}
}

// TestListOf10000 lists 10,000 Fleets in a version in which they are not stored. One Fleet has a time that Go cannot
// read, and one has an annotation that takes too much work.
func TestListOf10000(t *testing.T) {
	e := onAPIServer(t)
	e.conversions.withoutKeys(t)
	const n = 10000
	namespace := e.namespace(t, map[string]string{"crowded": "yes"})
	var all []*unstructured.Unstructured
	for i := range n - 2 {
		all = append(all, newFleet("v1", namespace, fmt.Sprintf("fleet-%04d", i), object{"replicas": int64(i % 100), "owners": []any{"a", "b"}}))
	}
	e.storeAll(t, "fleet.example.com/fleets", all)
	broken := newFleet("v1", namespace, "broken", hub())
	e.create(t, broken)
	status := moored()
	status["conditions"].([]any)[0].(object)["lastTransitionTime"] = "2026-01-02t03:04:05z"
	broken.Object["status"] = status
	if err := e.client.Status().Update(t.Context(), broken); err != nil {
		t.Fatal(err)
	}
	hostile := newFleet("v1", namespace, "hostile", hub())
	hostile.SetAnnotations(map[string]string{conversion.Annotation: `{"v1alpha1":[` + strings.Repeat(`{"at":["spec","motto"],"is":"x","on":[{"at":["spec"],"is":"x"}]},`, 2000) + `{}]}`})
	e.create(t, hostile)
	for _, version := range []string{"v1alpha1", "v1"} {
		all := e.listFleets(t, version, namespace)
		if len(all) != n {
			t.Fatalf("%d Fleets as %s, want %d", len(all), version, n)
		}
		if version == "v1" {
			continue
		}
		for i := range all {
			if size, _, _ := unstructured.NestedInt64(all[i].Object, "spec", "size"); all[i].GetName() == fmt.Sprintf("fleet-%04d", i-1) && size != int64((i-1)%100) {
				t.Fatalf("%s has the size %d", all[i].GetName(), size)
			}
		}
	}
}

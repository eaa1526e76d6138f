// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// versions are the versions of Fleet. The first one is the hub.
var versions = []string{"v1", "v1beta1", "v1alpha1"}

// object is JSON, as a test writes it.
type object = map[string]any

// first is a Fleet in its first version: with the fields that only this version has, and fields that others have in
// another form.
func first() object {
	return object{
		"size":           int64(3),
		"cargo":          "tea",
		"owner":          "anna",
		"dockingTimeout": "1m30.5s",
		"ships":          []any{object{"name": "argo", "tons": int64(90)}, object{"name": "beagle"}},
		"route":          "Canton/London",
		"motto":          "eastward",
	}
}

// hub is a Fleet with every field of the hub.
func hub() object {
	return object{
		"replicas": int64(3),
		"cargo":    "Spices",
		"owners":   []any{"anna", "bert"},
		"docking":  object{"timeoutSeconds": int64(90), "pilot": true},
		"ships":    []any{object{"name": "argo", "tons": int64(90), "flag": "blue"}, object{"name": "beagle", "flag": "red"}},
		"route":    []any{"Canton", "Cape Town", "London"},
	}
}

// moored is a status with fields that v1alpha1 lacks.
func moored() object {
	return object{
		"replicas": int64(3),
		"conditions": []any{object{
			"type": "Ready", "status": "True", "reason": "Moored", "message": "all of them", "lastTransitionTime": "2026-01-02T03:04:05Z",
		}},
	}
}

// wantPart checks that a part of a Fleet has exactly this content.
func wantPart(t *testing.T, fleet *unstructured.Unstructured, part string, want object) {
	t.Helper()
	got, _, err := unstructured.NestedMap(fleet.Object, part)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s of %s, %s (- want, + got):\n%s", part, fleet.GetName(), fleet.GetAPIVersion(), diff)
	}
}

// TestConversionFromSpoke writes a Fleet in its first version, and reads it in all.
func TestConversionFromSpoke(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	e.create(t, newFleet("v1alpha1", namespace, "fleet", first()))
	wantPart(t, e.getFleet(t, "v1alpha1", namespace, "fleet"), "spec", first())
	ships, owners, route := first()["ships"], []any{"anna"}, []any{"Canton", "London"}
	wantPart(t, e.getFleet(t, "v1", namespace, "fleet"), "spec", object{
		"replicas": int64(3), "cargo": "Tea", "owners": owners, "docking": object{"timeoutSeconds": int64(90)}, "ships": ships, "route": route,
		"pace": "steady",
	})
	wantPart(t, e.getFleet(t, "v1beta1", namespace, "fleet"), "spec", object{
		"replicas": int64(3), "cargo": "Tea", "owners": owners, "dockingTimeoutSeconds": int64(90), "ships": ships, "route": route,
		"pace": "steady",
	})
}

// TestConversionFromHub writes a Fleet in the version of the hub, and reads it in all.
func TestConversionFromHub(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	e.create(t, newFleet("v1", namespace, "fleet", hub()))
	wantPart(t, e.getFleet(t, "v1", namespace, "fleet"), "spec", hub())
	wantPart(t, e.getFleet(t, "v1alpha1", namespace, "fleet"), "spec", object{
		"size": int64(3), "cargo": "spices", "owner": "anna", "dockingTimeout": "1m30s",
		"ships": []any{object{"name": "argo", "tons": int64(90)}, object{"name": "beagle"}},
		"route": "Canton/Cape Town/London",
	})
}

// TestConversionKeeps edits a Fleet in each version, its metadata and a field. Every other version keeps the fields
// that the editor's version lacks.
func TestConversionKeeps(t *testing.T) {
	e := onAPIServer(t)
	replicas := map[string]string{"v1": "replicas", "v1beta1": "replicas", "v1alpha1": "size"}
	for _, writer := range []string{"v1", "v1alpha1"} {
		for _, editor := range versions {
			t.Run(writer+" edited as "+editor, func(t *testing.T) {
				namespace := e.namespace(t, nil)
				spec := hub()
				if writer == "v1alpha1" {
					spec = first()
				}
				fleet := newFleet(writer, namespace, "fleet", spec)
				e.create(t, fleet)
				if writer == "v1" {
					fleet.Object["status"] = moored()
					if err := e.client.Status().Update(t.Context(), fleet); err != nil {
						t.Fatal(err)
					}
				}
				edited := e.getFleet(t, editor, namespace, "fleet")
				edited.SetLabels(map[string]string{"edited": editor})
				unstructured.SetNestedField(edited.Object, int64(4), "spec", replicas[editor])
				if err := e.client.Update(t.Context(), edited); err != nil {
					t.Fatal(err)
				}
				spec[replicas[writer]] = int64(4)
				after := e.getFleet(t, writer, namespace, "fleet")
				if after.GetLabels()["edited"] != editor {
					t.Errorf("got labels %v", after.GetLabels())
				}
				wantPart(t, after, "spec", spec)
				if writer == "v1" {
					wantPart(t, after, "status", moored())
				}
			})
		}
	}
}

// TestConversionDefaults writes a field that spokes leave out if it is false, and whose default in the hub is true. The
// written value stays, through edits in every version.
func TestConversionDefaults(t *testing.T) {
	e := onAPIServer(t)
	for name, test := range map[string]struct {
		writer string
		cover  object
		want   bool
	}{
		"left out in a spoke": {"v1alpha1", object{"company": "Lloyd"}, false},
		"false in a spoke":    {"v1beta1", object{"company": "Lloyd", "stolen": false}, false},
		"true in a spoke":     {"v1beta1", object{"company": "Lloyd", "stolen": true}, true},
		"left out in the hub": {"v1", object{"company": "Lloyd"}, true},
		"false in the hub":    {"v1", object{"company": "Lloyd", "stolen": false}, false},
	} {
		t.Run(name, func(t *testing.T) {
			namespace := e.namespace(t, nil)
			e.create(t, newFleet(test.writer, namespace, "fleet", object{"cover": test.cover}))
			for _, editor := range append([]string{""}, versions...) {
				if editor != "" {
					edited := e.getFleet(t, editor, namespace, "fleet")
					unstructured.SetNestedField(edited.Object, "Lloyd of "+editor, "spec", "cover", "company")
					if err := e.client.Update(t.Context(), edited); err != nil {
						t.Fatal(err)
					}
				}
				for _, version := range versions {
					fleet := e.getFleet(t, version, namespace, "fleet")
					stolen, found, err := unstructured.NestedBool(fleet.Object, "spec", "cover", "stolen")
					if err != nil || stolen != test.want || version == "v1" && !found {
						t.Errorf("after an edit in %q, %s has %v (found: %v, error: %v), want %v", editor, version, stolen, found, err, test.want)
					}
				}
			}
		})
	}
}

// edit changes a Fleet in a version, and returns it in another one.
func (e *environment) edit(t *testing.T, namespace, version, then string, change func(*unstructured.Unstructured)) *unstructured.Unstructured {
	t.Helper()
	fleet := e.getFleet(t, version, namespace, "fleet")
	change(fleet)
	if err := e.client.Update(t.Context(), fleet); err != nil {
		t.Fatal(err)
	}
	return e.getFleet(t, then, namespace, "fleet")
}

// TestConversionElement edits a field of the first version that is one element of a list in the hub. Other elements
// stay, and a removed element does not come back.
func TestConversionElement(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	other, trade := object{"kind": "Fishing", "number": "7"}, object{"kind": "Trade", "number": "1"}
	e.create(t, newFleet("v1", namespace, "fleet", object{"licences": []any{other}}))
	licence := func(number string) func(*unstructured.Unstructured) {
		return func(fleet *unstructured.Unstructured) {
			if _, found, _ := unstructured.NestedFieldNoCopy(fleet.Object, "spec", "licence"); found && number == "1" {
				t.Errorf("v1alpha1 has a licence: %v", fleet.Object["spec"])
			}
			fleet.Object["spec"] = object{"licence": number}
		}
	}
	wantPart(t, e.edit(t, namespace, "v1alpha1", "v1", licence("1")), "spec", object{"licences": []any{other, trade}})
	after := e.edit(t, namespace, "v1", "v1alpha1", func(fleet *unstructured.Unstructured) {
		fleet.Object["spec"] = object{"licences": []any{other}}
	})
	if got, found, _ := unstructured.NestedFieldNoCopy(after.Object, "spec", "licence"); found {
		t.Errorf("the removed licence %v is back", got)
	}
	wantPart(t, e.edit(t, namespace, "v1alpha1", "v1", func(fleet *unstructured.Unstructured) {
		fleet.SetLabels(map[string]string{"edited": "true"})
	}), "spec", object{"licences": []any{other}})
}

// TestConversionDependence keeps a field that a function of the first version cannot make again, until the list that it
// made in the hub changes.
func TestConversionDependence(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	e.create(t, newFleet("v1alpha1", namespace, "fleet", object{"watch": "Ned  Tom"}))
	after := e.edit(t, namespace, "v1", "v1alpha1", func(fleet *unstructured.Unstructured) {
		wantPart(t, fleet, "spec", object{"watches": []any{"Ned", "Tom"}, "pace": "steady"})
		unstructured.SetNestedField(fleet.Object, "fast", "spec", "pace")
	})
	wantPart(t, after, "spec", object{"watch": "Ned  Tom", "pace": "fast"})
	after = e.edit(t, namespace, "v1", "v1alpha1", func(fleet *unstructured.Unstructured) {
		unstructured.RemoveNestedField(fleet.Object, "spec", "watches")
	})
	wantPart(t, after, "spec", object{"pace": "fast"})
	wantPart(t, e.getFleet(t, "v1", namespace, "fleet"), "spec", object{"pace": "fast"})
}

// TestConversionLabels maps a label to one with another key, unless the object has a label of its own under that key.
// No label is lost by edits in any version.
func TestConversionLabels(t *testing.T) {
	e := onAPIServer(t)
	const mapped = "fleet.example.com/owner"
	for name, test := range map[string]struct {
		labels map[string]string
		first  string // the owner in v1alpha1
	}{
		"mapped": {map[string]string{mapped: "Company"}, "Company"},
		"taken":  {map[string]string{mapped: "Company", "owner": "hub"}, "hub"},
	} {
		t.Run(name, func(t *testing.T) {
			namespace := e.namespace(t, nil)
			fleet := newFleet("v1", namespace, "fleet", hub())
			fleet.SetLabels(test.labels)
			e.create(t, fleet)
			for _, editor := range versions {
				after := e.edit(t, namespace, editor, "v1", func(fleet *unstructured.Unstructured) {
					labels := fleet.GetLabels()
					if editor == "v1alpha1" && labels["owner"] != test.first {
						t.Errorf("v1alpha1 has labels %v", labels)
					}
					labels["edited"] = editor
					fleet.SetLabels(labels)
				})
				want := maps.Clone(test.labels)
				want["edited"] = editor
				if got := after.GetLabels(); !maps.Equal(got, want) {
					t.Errorf("after an edit in %s, v1 has labels %v, want %v", editor, got, want)
				}
			}
		})
	}
}

// TestConversionReads reads the annotation of conversions by hand that were there before: with the object of the hub,
// from which v1alpha1 has been made.
func TestConversionReads(t *testing.T) {
	e := onAPIServer(t)
	e.conversions.withoutKeys(t) // with keys, the annotation of others would have to be accepted
	namespace := e.namespace(t, nil)
	fleet := newFleet("v1alpha1", namespace, "fleet", object{"owner": "Company", "licence": "1", "pace": "fast"})
	const annotation = "fleet.example.com/v1"
	fleet.SetAnnotations(map[string]string{annotation: `{"apiVersion": "fleet.example.com/v1", "kind": "Fleet",
  "spec": {"owners": ["Company", "Crown"], "licences": [{"kind": "Fishing"}, {"kind": "Trade", "number": "1"}],
  "docking": {"pilot": true}, "pace": "fast"}}`})
	e.create(t, fleet)
	got := e.getFleet(t, "v1", namespace, "fleet")
	wantPart(t, got, "spec", object{"owners": []any{"Company", "Crown"}, "docking": object{"pilot": true}, "pace": "fast",
		"licences": []any{object{"kind": "Fishing"}, object{"kind": "Trade", "number": "1"}}})
	if text, found := got.GetAnnotations()[annotation]; found {
		t.Errorf("the annotation is still there: %s", text)
	}
}

// TestConversionKeepsAround removes, and then sets, half of one object of the hub through the first version. The half
// that the first version lacks stays.
func TestConversionKeepsAround(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	e.create(t, newFleet("v1", namespace, "fleet", hub()))
	for _, timeout := range []string{"", "30s"} {
		old := e.getFleet(t, "v1alpha1", namespace, "fleet")
		want := hub()
		if timeout == "" {
			unstructured.RemoveNestedField(old.Object, "spec", "dockingTimeout")
			want["docking"] = object{"pilot": true}
		} else {
			unstructured.SetNestedField(old.Object, timeout, "spec", "dockingTimeout")
			want["docking"] = object{"pilot": true, "timeoutSeconds": int64(30)}
		}
		if err := e.client.Update(t.Context(), old); err != nil {
			t.Fatal(err)
		}
		wantPart(t, e.getFleet(t, "v1", namespace, "fleet"), "spec", want)
	}
}

// TestConversionStatus sets the status in the first version: the version's own fields are dropped by a marker, and the
// fields that it lacks stay.
func TestConversionStatus(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	fleet := newFleet("v1", namespace, "fleet", hub())
	e.create(t, fleet)
	fleet.Object["status"] = moored()
	if err := e.client.Status().Update(t.Context(), fleet); err != nil {
		t.Fatal(err)
	}
	old := e.getFleet(t, "v1alpha1", namespace, "fleet")
	wantPart(t, old, "status", object{"replicas": int64(3)})
	old.Object["status"] = object{"replicas": int64(2), "phase": "Sailing"}
	if err := e.client.Status().Update(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	wantPart(t, e.getFleet(t, "v1alpha1", namespace, "fleet"), "status", object{"replicas": int64(2)})
	want := moored()
	want["replicas"] = int64(2)
	wantPart(t, e.getFleet(t, "v1", namespace, "fleet"), "status", want)
	wantPart(t, e.getFleet(t, "v1", namespace, "fleet"), "spec", hub())
}

// TestConversionList lists 1000 Fleets in another version than they are stored in, which the API server has converted
// by a call for all of them.
func TestConversionList(t *testing.T) {
	e := onAPIServer(t)
	const n = 1000
	namespace := e.namespace(t, map[string]string{"crowded": "yes"})
	var writers sync.WaitGroup
	e.conversions.forget()
	for writer := range 10 {
		writers.Go(func() {
			for i := writer; i < n; i += 10 {
				spec := hub()
				spec["replicas"] = int64(i % 100)
				if err := e.client.Create(t.Context(), newFleet("v1", namespace, fmt.Sprintf("fleet-%03d", i), spec)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	writers.Wait()
	t.Logf("%d Fleets written with %d conversions", n, e.conversions.count())
	for version, replicas := range map[string]string{"v1alpha1": "size", "v1beta1": "replicas"} {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(fleets(version))
		e.conversions.forget()
		start := time.Now()
		if err := e.client.List(t.Context(), list, client.InNamespace(namespace)); err != nil {
			t.Fatal(err)
		}
		t.Logf("%d Fleets listed as %s in %v, with %d calls", n, version, time.Since(start), e.conversions.count())
		if len(list.Items) != n {
			t.Fatalf("%s: got %d", version, len(list.Items))
		}
		for i, fleet := range list.Items {
			got, _, _ := unstructured.NestedInt64(fleet.Object, "spec", replicas)
			if fleet.GetName() != fmt.Sprintf("fleet-%03d", i) || got != int64(i%100) || fleet.GetAPIVersion() != "fleet.example.com/"+version {
				t.Fatalf("%s: item %d is %v", version, i, fleet.Object)
			}
		}
	}
}

// apply applies the fields of one of several owners to a Fleet.
func (e *environment) apply(t *testing.T, namespace, owner, version string, spec object) {
	t.Helper()
	configuration := client.ApplyConfigurationFromUnstructured(newFleet(version, namespace, "fleet", spec))
	if err := e.client.Apply(t.Context(), configuration, client.FieldOwner(owner)); err != nil {
		t.Fatalf("%s applies as %s: %v", owner, version, err)
	}
}

// TestConversionApply has three owners apply their fields to a Fleet, in three versions. Then one of them drops a
// field: the fields of the others stay.
func TestConversionApply(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	e.apply(t, namespace, "captain", "v1alpha1", object{
		"motto": "eastward", "dockingTimeout": "1m30.5s", "route": "Canton/London", "ships": []any{object{"name": "argo", "tons": int64(90)}},
	})
	e.apply(t, namespace, "purser", "v1beta1", object{"owners": []any{"anna", "bert"}, "ships": []any{object{"name": "argo", "flag": "blue"}}})
	e.apply(t, namespace, "admiral", "v1", object{"docking": object{"pilot": true}, "ships": []any{object{"name": "beagle", "flag": "red"}}})
	wantPart(t, e.getFleet(t, "v1", namespace, "fleet"), "spec", object{
		"owners":  []any{"anna", "bert"},
		"docking": object{"timeoutSeconds": int64(90), "pilot": true},
		"ships":   []any{object{"name": "argo", "tons": int64(90), "flag": "blue"}, object{"name": "beagle", "flag": "red"}},
		"route":   []any{"Canton", "London"},
		"pace":    "steady",
	})
	wantPart(t, e.getFleet(t, "v1alpha1", namespace, "fleet"), "spec", object{
		"owner": "anna", "dockingTimeout": "1m30.5s", "motto": "eastward", "route": "Canton/London",
		"ships": []any{object{"name": "argo", "tons": int64(90)}, object{"name": "beagle"}},
	})

	e.apply(t, namespace, "captain", "v1alpha1", object{"motto": "eastward"})
	wantPart(t, e.getFleet(t, "v1", namespace, "fleet"), "spec", object{
		"owners":  []any{"anna", "bert"},
		"docking": object{"pilot": true},
		"ships":   []any{object{"name": "argo", "flag": "blue"}, object{"name": "beagle", "flag": "red"}},
		"pace":    "steady",
	})
	wantPart(t, e.getFleet(t, "v1alpha1", namespace, "fleet"), "spec", object{
		"owner": "anna", "motto": "eastward",
		"ships": []any{object{"name": "argo"}, object{"name": "beagle"}},
	})
}

// TestConversionApplyParts has an owner drop half of one object of the hub from its configuration.
func TestConversionApplyParts(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	e.apply(t, namespace, "purser", "v1beta1", object{"dockingTimeoutSeconds": int64(90), "pilot": true})
	e.apply(t, namespace, "admiral", "v1", object{"cargo": "Tea"})
	e.apply(t, namespace, "purser", "v1beta1", object{"dockingTimeoutSeconds": int64(90)})
	wantPart(t, e.getFleet(t, "v1", namespace, "fleet"), "spec", object{"docking": object{"timeoutSeconds": int64(90)}, "cargo": "Tea"})
}

// TestConversionStorage stores Fleets in one version after the other, as a migration does that writes each of them
// again. In the version that a Fleet was written in, no field is missing.
func TestConversionStorage(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	e.create(t, newFleet("v1alpha1", namespace, "first", first()))
	whole := newFleet("v1", namespace, "hub", hub())
	e.create(t, whole)
	whole.Object["status"] = moored()
	if err := e.client.Status().Update(t.Context(), whole); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.store(context.Background(), t, "v1") })
	for _, version := range []string{"v1beta1", "v1alpha1", "v1"} {
		e.store(t.Context(), t, version)
		for _, name := range []string{"first", "hub"} {
			if err := e.client.Update(t.Context(), e.getFleet(t, "v1beta1", namespace, name)); err != nil {
				t.Fatal(err)
			}
		}
		wantPart(t, e.getFleet(t, "v1alpha1", namespace, "first"), "spec", first())
		wantPart(t, e.getFleet(t, "v1", namespace, "hub"), "spec", hub())
		wantPart(t, e.getFleet(t, "v1", namespace, "hub"), "status", moored())
	}
}

// store makes a version of Fleet the one that is stored, and waits until it is.
func (e *environment) store(ctx context.Context, t *testing.T, version string) {
	t.Helper()
	crd := &apiextensionsv1.CustomResourceDefinition{}
	err := e.client.Get(ctx, client.ObjectKey{Name: "fleets.fleet.example.com"}, crd)
	if err != nil {
		t.Fatal(err)
	}
	for i := range crd.Spec.Versions {
		crd.Spec.Versions[i].Storage = crd.Spec.Versions[i].Name == version
	}
	if err := e.client.Update(ctx, crd); err != nil {
		t.Fatal(err)
	}
	other := "v1"
	if version == other {
		other = "v1beta1"
	}
	for range 500 {
		e.conversions.forget()
		probe := newFleet(other, serviceNamespace, "probe", nil)
		probe.SetGenerateName("probe-")
		if err := e.client.Create(ctx, probe, client.DryRunAll); err != nil {
			t.Fatal(err)
		}
		if e.conversions.largest("fleet.example.com/"+version) > 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("%s is not stored", version)
}

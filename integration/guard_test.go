// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	fleetv1 "github.com/webhook-gen/webhook-gen/integration/api/v1"
	"github.com/webhook-gen/webhook-gen/runtime/admission"
	"github.com/webhook-gen/webhook-gen/runtime/conversion"
)

// defaultPilot has a webhook set docking.pilot, which v1alpha1 does not have, to true in all Fleets of a namespace, in
// the hub's version.
func defaultPilot(t *testing.T, e *environment, namespace string) {
	t.Helper()
	yes := true
	setPilot := func(fleet *fleetv1.Fleet) error {
		if fleet.Spec.Docking == nil {
			fleet.Spec.Docking = &fleetv1.Docking{}
		}
		if fleet.Spec.Docking.Pilot == nil {
			fleet.Spec.Docking.Pilot = &yes
		}
		return nil
	}
	server := httptest.NewTLSServer(admission.Mutating("pilot.fleets.example.com",
		admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[fleetv1.Fleet]) error { return setPilot(r.Object) }),
		admission.OnUpdate(func(_ context.Context, r *admission.UpdateRequest[fleetv1.Fleet]) error { return setPilot(r.Object) })))
	t.Cleanup(server.Close)
	none, fail, equivalent := admissionregistrationv1.SideEffectClassNone, admissionregistrationv1.Fail, admissionregistrationv1.Equivalent
	e.installFor(t, &admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "pilot-" + namespace},
		Webhooks: []admissionregistrationv1.MutatingWebhook{{
			Name: "pilot.fleets.example.com",
			ClientConfig: admissionregistrationv1.WebhookClientConfig{
				URL:      &server.URL,
				CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
			},
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update},
				Rule:       admissionregistrationv1.Rule{APIGroups: []string{"fleet.example.com"}, APIVersions: []string{"v1"}, Resources: []string{"fleets"}},
			}},
			NamespaceSelector:       &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": namespace}},
			MatchPolicy:             &equivalent,
			FailurePolicy:           &fail,
			SideEffects:             &none,
			AdmissionReviewVersions: []string{"v1"},
		}}})
	eventually(t, "Fleets get a pilot", func() bool {
		probe := newFleet("v1", namespace, "probe", object{})
		if err := e.client.Create(t.Context(), probe, client.DryRunAll); err != nil {
			t.Fatal(err)
		}
		pilot, _, _ := unstructured.NestedBool(probe.Object, "spec", "docking", "pilot")
		return pilot
	})
}

// quiet is the label of namespaces in which the webhooks of the manifest leave Fleets alone.
func quiet() map[string]string { return map[string]string{"crowded": "yes"} }

// annotationsOf are the two annotations of the conversion.
func annotationsOf(fleet *unstructured.Unstructured) map[string]string {
	return map[string]string{conversion.Annotation: fleet.GetAnnotations()[conversion.Annotation], conversion.Signature: fleet.GetAnnotations()[conversion.Signature]}
}

// writes are the ways in which a client of v1alpha1 writes a Fleet that exists. Each sets the size, and the annotations
// unless they are nil.
var writes = map[string]func(e *environment, t *testing.T, fleet *unstructured.Unstructured, size int64, annotations map[string]string) error{
	"merge patch": func(e *environment, t *testing.T, fleet *unstructured.Unstructured, size int64, annotations map[string]string) error {
		patch := object{"spec": object{"size": size}}
		if annotations != nil {
			patch["metadata"] = object{"annotations": annotations}
		}
		return e.patch(t, fleet, types.MergePatchType, patch)
	},
	"JSON patch": func(e *environment, t *testing.T, fleet *unstructured.Unstructured, size int64, annotations map[string]string) error {
		patch := []object{{"op": "add", "path": "/spec/size", "value": size}}
		if annotations != nil {
			patch = append(patch, object{"op": "add", "path": "/metadata/annotations", "value": annotations})
		}
		return e.patch(t, fleet, types.JSONPatchType, patch)
	},
	"edit": func(e *environment, t *testing.T, fleet *unstructured.Unstructured, size int64, annotations map[string]string) error {
		edited := fleet.DeepCopy()
		unstructured.SetNestedField(edited.Object, size, "spec", "size")
		if annotations != nil {
			edited.SetAnnotations(annotations)
		}
		return e.client.Patch(t.Context(), edited, client.MergeFromWithOptions(fleet, client.MergeFromWithOptimisticLock{}))
	},
	"replace": func(e *environment, t *testing.T, fleet *unstructured.Unstructured, size int64, annotations map[string]string) error {
		replaced := fleet.DeepCopy()
		unstructured.SetNestedField(replaced.Object, size, "spec", "size")
		if annotations != nil {
			replaced.SetAnnotations(annotations)
		}
		return e.client.Update(t.Context(), replaced)
	},
	"apply": func(e *environment, t *testing.T, fleet *unstructured.Unstructured, size int64, annotations map[string]string) error {
		applied := newFleet("v1alpha1", fleet.GetNamespace(), fleet.GetName(), object{"size": size})
		applied.SetAnnotations(annotations)
		return e.client.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(applied), client.FieldOwner("applier"), client.ForceOwnership)
	},
}

// TestGuardWithHubDefaulter has a webhook default a field that only the hub has, which gives every Fleet of v1alpha1
// the annotation. A value that an administrator has set in the hub survives each way to write the Fleet in v1alpha1.
func TestGuardWithHubDefaulter(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, quiet())
	defaultPilot(t, e, namespace)
	guarded := func(t *testing.T, name string) object {
		t.Helper()
		spec := hub()
		spec["docking"].(object)["pilot"] = false // which the default would set
		e.create(t, newFleet("v1", namespace, name, spec))
		want := hub()
		want["docking"].(object)["pilot"] = false
		return want
	}

	t.Run("create", func(t *testing.T) {
		e.create(t, newFleet("v1alpha1", namespace, "created", first()))
		wantPart(t, e.getFleet(t, "v1alpha1", namespace, "created"), "spec", first())
		e.wantPilot(t, namespace, "created", true)
		generated := newFleet("v1alpha1", namespace, "", first())
		generated.SetGenerateName("generated-")
		e.create(t, generated)
		wantPart(t, e.getFleet(t, "v1alpha1", namespace, generated.GetName()), "spec", first())
		e.wantPilot(t, namespace, generated.GetName(), true)
	})
	for way, write := range writes {
		t.Run(way, func(t *testing.T) {
			name := inName(way)
			want := guarded(t, name)
			for size := int64(4); size < 6; size++ {
				if err := write(e, t, e.getFleet(t, "v1alpha1", namespace, name), size, nil); err != nil {
					t.Fatal(err)
				}
				want["replicas"] = size
				wantPart(t, e.getFleet(t, "v1", namespace, name), "spec", want)
			}
		})
	}
	t.Run("status", func(t *testing.T) {
		want := guarded(t, "status")
		whole := e.getFleet(t, "v1", namespace, "status")
		whole.Object["status"] = moored()
		if err := e.client.Status().Update(t.Context(), whole); err != nil {
			t.Fatal(err)
		}
		old := e.getFleet(t, "v1alpha1", namespace, "status")
		old.Object["status"] = object{"replicas": int64(2)}
		if err := e.client.Status().Update(t.Context(), old); err != nil {
			t.Fatal(err)
		}
		status := moored()
		status["replicas"] = int64(2)
		wantPart(t, e.getFleet(t, "v1", namespace, "status"), "status", status)
		wantPart(t, e.getFleet(t, "v1", namespace, "status"), "spec", want)
	})
	t.Run("storage migration", func(t *testing.T) {
		want := guarded(t, "stored")
		e.create(t, newFleet("v1alpha1", namespace, "stored-first", first()))
		t.Cleanup(func() { e.store(context.Background(), t, "v1") })
		for _, version := range []string{"v1alpha1", "v1"} {
			e.store(t.Context(), t, version)
			for _, name := range []string{"stored", "stored-first"} {
				if err := e.client.Update(t.Context(), e.getFleet(t, "v1beta1", namespace, name)); err != nil {
					t.Fatal(err)
				}
			}
			wantPart(t, e.getFleet(t, "v1", namespace, "stored"), "spec", want)
			wantPart(t, e.getFleet(t, "v1alpha1", namespace, "stored-first"), "spec", first())
			e.wantPilot(t, namespace, "stored-first", true)
		}
	})
	t.Run("restore of a backup", func(t *testing.T) {
		want := guarded(t, "saved")
		backup := e.getFleet(t, "v1alpha1", namespace, "saved")
		if err := e.client.Delete(t.Context(), backup.DeepCopy()); err != nil {
			t.Fatal(err)
		}
		backup.SetResourceVersion("")
		backup.SetUID("")
		another := backup.DeepCopy()
		e.create(t, backup)
		wantPart(t, e.getFleet(t, "v1", namespace, "saved"), "spec", want)
		another.SetName("another")
		e.create(t, another)
		e.wantPilot(t, namespace, "another", true)
	})
	// As documented: without the annotation, values of the hub alone are gone, and the default applies.
	t.Run("replace without the annotation", func(t *testing.T) {
		guarded(t, "bare")
		bare := e.getFleet(t, "v1alpha1", namespace, "bare")
		bare.SetAnnotations(nil)
		if err := e.client.Update(t.Context(), bare); err != nil {
			t.Fatal(err)
		}
		wantPart(t, e.getFleet(t, "v1", namespace, "bare"), "spec", object{
			"replicas": int64(3), "cargo": "Spices", "owners": []any{"anna"}, "docking": object{"timeoutSeconds": int64(90), "pilot": true},
			"ships": []any{object{"name": "argo", "tons": int64(90)}, object{"name": "beagle"}}, "route": []any{"Canton", "Cape Town", "London"},
			"pace": "steady", // as if the Fleet had been created in v1alpha1
		})
	})
}

// TestGuardAgainstHostileAnnotations has a user of v1alpha1 try to do without the pilot that the hub's default
// prescribes: by an annotation of his own, of another Fleet, and by an old one of the same Fleet.
func TestGuardAgainstHostileAnnotations(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, quiet())
	defaultPilot(t, e, namespace)
	donor := newFleet("v1", namespace, "donor", hub())
	unstructured.SetNestedField(donor.Object, false, "spec", "docking", "pilot")
	e.create(t, donor)
	copied := annotationsOf(e.getFleet(t, "v1alpha1", namespace, "donor"))
	if copied[conversion.Signature] == "" {
		t.Error("the donor's annotation is not signed")
	}
	noPilot := forged(t, `{"at":["spec","docking","pilot"],"is":false}`, `{"at":["spec","ships",{"name":"argo"},"flag"],"is":"black"}`, replacing(`["spec","cargo"]`, `"Tea"`, `"Spices"`))
	stolen := map[string]string{conversion.Annotation: noPilot[conversion.Annotation], conversion.Signature: copied[conversion.Signature]}
	spec := first()
	delete(spec, "motto") // which only v1alpha1 has
	for name, annotations := range map[string]map[string]string{"forged": noPilot, "copied": copied, "forged with a copied signature": stolen} {
		t.Run(name, func(t *testing.T) {
			check := func(fleet string, size int64) {
				t.Helper()
				e.wantPilot(t, namespace, fleet, true)
				want := first()
				want["size"] = size
				delete(want, "motto")
				wantPart(t, e.getFleet(t, "v1alpha1", namespace, fleet), "spec", want)
				if flag := fmt.Sprint(e.getFleet(t, "v1", namespace, fleet).Object["spec"].(object)["ships"]); flag != "[map[name:argo tons:90] map[name:beagle]]" {
					t.Errorf("the ships are %s", flag)
				}
			}
			id := inName(name)
			created := newFleet("v1alpha1", namespace, id+"-created", spec)
			created.SetAnnotations(annotations)
			e.create(t, created)
			check(id+"-created", 3)
			for way, write := range writes {
				fleet := newFleet("v1alpha1", namespace, id+"-"+inName(way), spec)
				e.create(t, fleet)
				if err := write(e, t, e.getFleet(t, "v1alpha1", namespace, fleet.GetName()), 4, annotations); err != nil {
					t.Fatalf("%s: %v", way, err)
				}
				check(fleet.GetName(), 4)
			}
			status := e.getFleet(t, "v1alpha1", namespace, id+"-created")
			status.SetAnnotations(annotations)
			status.Object["status"] = object{"replicas": int64(1)}
			if err := e.client.Status().Update(t.Context(), status); err != nil {
				t.Fatal(err)
			}
			check(id+"-created", 3)
		})
	}
	// As documented for old annotations of the same Fleet.
	t.Run("replayed", func(t *testing.T) {
		fleet := newFleet("v1", namespace, "replayed", hub())
		unstructured.SetNestedField(fleet.Object, false, "spec", "docking", "pilot")
		e.create(t, fleet)
		old := annotationsOf(e.getFleet(t, "v1alpha1", namespace, "replayed"))
		for _, step := range []struct {
			value any
			path  []string
		}{{true, []string{"docking", "pilot"}}, {"Tea", []string{"cargo"}}, {[]any{"carla"}, []string{"owners"}}} {
			fleet = e.getFleet(t, "v1", namespace, "replayed")
			unstructured.SetNestedField(fleet.Object, step.value, append([]string{"spec"}, step.path...)...)
			if err := e.client.Update(t.Context(), fleet); err != nil {
				t.Fatal(err)
			}
		}
		if err := writes["merge patch"](e, t, e.getFleet(t, "v1alpha1", namespace, "replayed"), 4, old); err != nil {
			t.Fatal(err)
		}
		want := hub()
		want["replicas"], want["cargo"] = int64(4), "Tea" // as the Fleet itself says
		want["owners"] = []any{"carla", "bert"}           // the first as the Fleet says, the others as it once had them
		want["docking"].(object)["pilot"] = false         // as it once had it
		wantPart(t, e.getFleet(t, "v1", namespace, "replayed"), "spec", want)
	})
}

// inName is a text as a part of an object's name.
func inName(text string) string { return strings.ReplaceAll(strings.ToLower(text), " ", "-") }

// wantPilot wants docking.pilot of a Fleet to be stored so.
func (e *environment) wantPilot(t *testing.T, namespace, name string, want bool) {
	t.Helper()
	got, _, err := unstructured.NestedFieldNoCopy(e.getFleet(t, "v1", namespace, name).Object, "spec", "docking", "pilot")
	if diff := cmp.Diff(any(want), got); err != nil || diff != "" {
		t.Errorf("docking.pilot of %s (- want, + got):\n%s", name, diff)
	}
}

// patch patches a Fleet in the version that it is in.
func (e *environment) patch(t *testing.T, fleet *unstructured.Unstructured, kind types.PatchType, patch any) error {
	t.Helper()
	text, err := json.Marshal(patch)
	if err != nil {
		t.Fatal(err)
	}
	return e.client.Patch(t.Context(), fleet.DeepCopy(), client.RawPatch(kind, text))
}

// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/webhook-gen/webhook-gen/integration/arguments"
)

// TestDeleting has an object that is older than a rule, and that the rule denies. It is deleted, and its finalizer is
// removed: with deleting: check it stays.
func TestDeleting(t *testing.T) {
	e := onAPIServer(t)
	for _, test := range []struct {
		seals, path string
		// goes says that the finalizer can be removed, and changes that the data can change meanwhile.
		goes, changes bool
		// called says that the API server calls the webhook to remove the finalizer.
		called bool
	}{
		{"check", arguments.ValidateDeletingCheckPath, false, false, true},
		{"skip", arguments.ValidateDeletingSkipPath, true, true, false},
		{"unchanged", arguments.ValidateDeletingUnchangedPath, true, false, false},
		{"guarded", arguments.ValidateDeletingGuardedPath, true, false, true},
	} {
		t.Run(test.seals, func(t *testing.T) {
			namespace := e.namespace(t, nil)
			old, alive := configMap(namespace, "old", nil), configMap(namespace, "alive", nil)
			old.Finalizers = []string{"integration.example.com/last"}
			e.create(t, old)
			e.create(t, alive)
			e.begin(t, configMap(namespace, "new", nil), "seals", test.seals)
			if err := e.client.Delete(t.Context(), old); err != nil {
				t.Fatal(err)
			}

			err := merge(t, e.client, old, `{"data":{"other":"yes"}}`)
			if test.changes && err != nil || !test.changes && !apierrors.IsInvalid(err) {
				t.Errorf("while the object is being deleted, its data changes: %v", err)
			}
			calls := len(e.calls.about(test.path, namespace))
			err = merge(t, e.client, old, `{"metadata":{"finalizers":null}}`)
			if test.goes && err != nil || !test.goes && !apierrors.IsInvalid(err) {
				t.Errorf("the finalizer is removed: %v", err)
			}
			if called := len(e.calls.about(test.path, namespace)) > calls; called != test.called {
				t.Errorf("to remove the finalizer, the webhook is called: %v, want %v", called, test.called)
			}
			err = e.client.Get(t.Context(), client.ObjectKeyFromObject(old), &corev1.ConfigMap{})
			if gone := apierrors.IsNotFound(err); gone != test.goes {
				t.Errorf("the object is gone: %v, want %v: %v", gone, test.goes, err)
			}
			// Objects that live on are checked as before.
			if err := merge(t, e.client, alive, `{"metadata":{"annotations":{"a":"b"}}}`); !apierrors.IsInvalid(err) {
				t.Errorf("an update of an object that is not being deleted: %v", err)
			}
			if err := e.client.Create(t.Context(), configMap(namespace, "new", nil)); !apierrors.IsInvalid(err) {
				t.Errorf("a new object: %v", err)
			}
		})
	}
}

// begin labels the namespace of an invalid object, so that a rule begins there, and waits until the API server has the
// object denied.
func (e *environment) begin(t *testing.T, invalid client.Object, label, value string) {
	t.Helper()
	namespace := &corev1.Namespace{}
	if err := e.client.Get(t.Context(), types.NamespacedName{Name: invalid.GetNamespace()}, namespace); err != nil {
		t.Fatal(err)
	}
	if err := merge(t, e.client, namespace, `{"metadata":{"labels":{"`+label+`":"`+value+`"}}}`); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		err := e.client.Create(t.Context(), invalid.DeepCopyObject().(client.Object), client.DryRunAll)
		if apierrors.IsInvalid(err) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the rule does not begin: %v", err)
		}
	}
}

// merge applies a merge patch.
func merge(t *testing.T, user client.Client, object client.Object, patch string) error {
	t.Helper()
	return user.Patch(t.Context(), object.DeepCopyObject().(client.Object), client.RawPatch(types.MergePatchType, []byte(patch)))
}

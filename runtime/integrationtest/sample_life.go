// SPDX-License-Identifier: Apache-2.0

package integrationtest

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// live takes a sample through its life, in each version that the API server has of it.
func (s *apiServer) live(t *testing.T, sample sample) {
	ctx := t.Context()
	key := client.ObjectKeyFromObject(sample)
	s.namespace(t, key.Namespace)

	if err := s.client.Create(ctx, sample.DeepCopy(), client.DryRunAll); err != nil {
		t.Fatalf("%s: create it, dry run: %v", sample.position, err)
	}
	if err := s.client.Get(ctx, key, sample.DeepCopy()); !apierrors.IsNotFound(err) {
		t.Fatalf("%s: a dry run has created it: %v", sample.position, err)
	}
	if err := s.client.Create(ctx, sample.DeepCopy()); err != nil {
		t.Fatalf("%s: create it: %v", sample.position, err)
	}
	for _, gv := range s.versions[sample.GroupVersionKind().GroupKind()] {
		t.Run(gv.Version, func(t *testing.T) { s.change(t, gv.WithKind(sample.GetKind()), key) })
	}
	s.remove(t, sample.Unstructured)
}

// deny creates a sample that must be refused, with each expected part of the message. A failure is no denial.
func (s *apiServer) deny(t *testing.T, sample sample) {
	if len(sample.denied) == 0 {
		t.Fatalf("%s: say why it is denied, in a comment: # denied: a part of the message", sample.position)
	}
	s.namespace(t, sample.GetNamespace())
	for _, options := range [][]client.CreateOption{{client.DryRunAll}, nil} {
		err := s.client.Create(t.Context(), sample.DeepCopy(), options...)
		var status apierrors.APIStatus
		switch {
		case err == nil && options == nil:
			s.remove(t, sample.Unstructured)
			t.Errorf("%s: allowed, and must be denied with: %s", sample.position, strings.Join(sample.denied, "; "))
		case err == nil:
			t.Errorf("%s: a dry run is allowed, and must be denied", sample.position)
		case !errors.As(err, &status) || status.Status().Code >= http.StatusInternalServerError:
			t.Errorf("%s: failed, and must be denied: %v", sample.position, err)
		default:
			for _, part := range sample.denied {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%s: the message must contain: %s\nit is: %v", sample.position, part, err)
				}
			}
		}
	}
}

// change reads and changes an object in a version.
func (s *apiServer) change(t *testing.T, kind schema.GroupVersionKind, key client.ObjectKey) {
	ctx := t.Context()
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(kind)
	if err := s.client.Get(ctx, key, object); err != nil {
		t.Fatalf("read it: %v", err)
	}
	object.SetLabels(with(object.GetLabels(), "integration", "update-"+kind.Version))
	if err := s.client.Update(ctx, object.DeepCopy(), client.DryRunAll); err != nil {
		t.Errorf("update it, dry run: %v", err)
	}
	if err := s.client.Update(ctx, object); err != nil {
		t.Fatalf("update it: %v", err)
	}
	again := object.DeepCopy()
	if err := s.client.Update(ctx, again); err != nil || again.GetResourceVersion() != object.GetResourceVersion() {
		t.Errorf("write back what is there: %v (-was +is)\n%s", err, cmp.Diff(object.Object, again.Object))
	}
	applied := &unstructured.Unstructured{}
	applied.SetGroupVersionKind(kind)
	applied.SetNamespace(key.Namespace)
	applied.SetName(key.Name)
	applied.SetLabels(map[string]string{"integration": "apply-" + kind.Version})
	err := s.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(applied), client.FieldOwner("integration"), client.ForceOwnership)
	if err != nil {
		t.Errorf("apply a part of it: %v", err)
	}
	if err := s.client.Get(ctx, key, object); err != nil || object.GetLabels()["integration"] != "apply-"+kind.Version {
		t.Errorf("read what was applied: %v, labels %v", err, object.GetLabels())
	}
	if s.scales[kind] {
		s.scale(t, object)
	}
}

// scale sets the replicas that an object has already: what that is called for is the webhook of the subresource.
func (s *apiServer) scale(t *testing.T, object *unstructured.Unstructured) {
	scale := &unstructured.Unstructured{}
	scale.SetGroupVersionKind(schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"})
	if err := s.client.SubResource("scale").Get(t.Context(), object, scale); err != nil {
		t.Errorf("read its scale: %v", err)
		return
	}
	if err := s.client.SubResource("scale").Update(t.Context(), object, client.WithSubResourceBody(scale)); err != nil {
		t.Errorf("scale it: %v", err)
	}
}

// remove deletes an object. A validator may deny that, but a webhook that fails fails the test.
func (s *apiServer) remove(t *testing.T, sample *unstructured.Unstructured) {
	for _, options := range [][]client.DeleteOption{{client.DryRunAll}, {client.GracePeriodSeconds(0)}} {
		err := s.client.Delete(t.Context(), sample.DeepCopy(), options...)
		var status apierrors.APIStatus
		switch {
		case err == nil:
		case errors.As(err, &status) && status.Status().Code < http.StatusInternalServerError:
			t.Logf("a validator denies its deletion: %v", err)
		default:
			t.Errorf("delete it: %v", err)
		}
	}
}

// namespace makes sure that there is a namespace.
func (s *apiServer) namespace(t *testing.T, name string) {
	if name == "" {
		return
	}
	err := s.client.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
}

func with(labels map[string]string, key, value string) map[string]string {
	if labels == nil {
		labels = map[string]string{}
	}
	labels[key] = value
	return labels
}

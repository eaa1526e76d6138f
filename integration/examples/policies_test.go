// SPDX-License-Identifier: Apache-2.0

package examples

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestPolicies has an API server enforce the policies of examples/policies. One that serves no mutating policies yet,
// before Kubernetes 1.36, enforces the validating ones.
func TestPolicies(t *testing.T) {
	const namespace, finalizer = "caches", "example.com/last"
	s := onAPIServer(t)
	s.namespace(t, namespace, nil)
	s.namespace(t, "caches-strict", map[string]string{"images": "strict"})
	limits := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "caches.example.com/v1", "kind": "Limits", "metadata": map[string]any{"name": "caches"}, "spec": map[string]any{"replicas": int64(3)},
	}}
	if err := s.client.Create(t.Context(), limits); err != nil {
		t.Fatal(err)
	}
	cache := func(name string, spec map[string]any) *unstructured.Unstructured {
		o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "caches.example.com/v1", "kind": "Cache", "spec": map[string]any{"tier": "small", "size": "1Gi"}}}
		o.SetNamespace(namespace)
		o.SetName(name)
		for field, value := range spec {
			unstructured.SetNestedField(o.Object, value, "spec", field)
		}
		return o
	}
	old := cache("old", map[string]any{"replicas": int64(9)})
	old.SetFinalizers([]string{finalizer})
	if err := s.client.Create(t.Context(), old); err != nil {
		t.Fatal(err)
	}

	mutating := s.install(t, "../../examples/policies/config/webhook/policies.yaml")
	c, warnings := s.warned(t)
	eventually(t, func() error { // the API server reads policies and parameters a moment later
		err := c.Create(t.Context(), cache("probe", map[string]any{"replicas": int64(4)}), client.DryRunAll)
		if !apierrors.IsRequestEntityTooLargeError(err) || !strings.Contains(err.Error(), "spec.replicas: at most 3, not 4") {
			return errors.Join(errors.New("it is not enforced"), err)
		}
		return nil
	})
	if mutating {
		eventually(t, func() error {
			o := cache("probe", nil)
			if err := c.Create(t.Context(), o, client.DryRunAll); err != nil {
				return err
			}
			if n, _, _ := unstructured.NestedInt64(o.Object, "spec", "replicas"); n != 1 {
				return errors.New("no default")
			}
			return nil
		})
	}

	first := cache("first", map[string]any{"replicas": int64(3)})
	if err := c.Create(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	unstructured.SetNestedField(first.Object, "large", "spec", "tier")
	wantError(t, c.Update(t.Context(), first), apierrors.IsForbidden, "a cache keeps its tier")
	wantError(t, c.Create(t.Context(), cache("second", map[string]any{"size": "65Gi"})), apierrors.IsInvalid, "at most 64Gi")
	peers := []any{map[string]any{"zone": "a", "address": "first"}, map[string]any{"zone": "a", "address": "second"}}
	wantError(t, c.Create(t.Context(), cache("second", map[string]any{"peers": peers})), apierrors.IsInvalid, "a zone has one peer")

	// An object that is older than its limit goes.
	if err := c.Delete(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(old), old); err != nil {
		t.Fatal(err)
	}
	old.SetFinalizers(nil)
	if err := c.Update(t.Context(), old); err != nil {
		t.Errorf("the finalizer cannot go: %v", err)
	}

	warnings.take()
	eventually(t, func() error {
		if err := c.Create(t.Context(), pod(namespace, "web", "web:latest"), client.DryRunAll); err != nil {
			return err
		}
		if got := warnings.take(); !strings.Contains(got, "images without a fixed tag: web:latest") {
			return errors.New("no warning: " + got)
		}
		return nil
	})
	eventually(t, func() error {
		err := c.Create(t.Context(), pod("caches-strict", "web", "web:latest"), client.DryRunAll)
		if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "images without a fixed tag: web:latest") {
			return errors.Join(errors.New("not strict"), err)
		}
		return nil
	})
	if err := c.Create(t.Context(), pod("caches-strict", "web", "web:1.2"), client.DryRunAll); err != nil {
		t.Error(err)
	}
}

// install creates the objects of a file until the test ends. It leaves out mutating policies where the API server does
// not serve them, and reports whether it does.
func (s *apiServer) install(t *testing.T, file string) (mutating bool) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	mutating = true
	for decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096); ; {
		o := &unstructured.Unstructured{}
		switch err := decoder.Decode(o); {
		case errors.Is(err, io.EOF):
			return mutating
		case err != nil:
			t.Fatal(err)
		case len(o.Object) == 0: // the comment at the head
			continue
		}
		switch err := s.client.Create(t.Context(), o); {
		case meta.IsNoMatchError(err) && strings.HasPrefix(o.GetKind(), "Mutating"):
			mutating = false
		case err != nil:
			t.Fatal(err)
		default:
			t.Cleanup(func() { s.client.Delete(context.Background(), o) })
		}
	}
}

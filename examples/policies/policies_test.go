// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cachesv1 "example.com/policies/api/v1"
	"github.com/webhook-gen/webhook-gen/runtime/admission/admissiontest"
)

// cache is a cache that every policy allows, with edits.
func cache(edit ...func(*cachesv1.Cache)) *cachesv1.Cache {
	c := &cachesv1.Cache{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "first"},
		Spec:       cachesv1.CacheSpec{Tier: "small", Size: resource.MustParse("1Gi"), Replicas: new(int32(1))},
	}
	for _, e := range edit {
		e(c)
	}
	return c
}

func replicas(n int32) func(*cachesv1.Cache) { return func(c *cachesv1.Cache) { c.Spec.Replicas = &n } }

func deleted(c *cachesv1.Cache) {
	now := metav1.Now()
	c.DeletionTimestamp = &now
	c.Finalizers = []string{"example.com/last"}
}

var limits = &cachesv1.Limits{
	TypeMeta:   metav1.TypeMeta{APIVersion: "caches.example.com/v1", Kind: "Limits"},
	ObjectMeta: metav1.ObjectMeta{Name: "caches"},
	Spec:       cachesv1.LimitsSpec{Replicas: 3},
}

func TestCaches(t *testing.T) {
	admissiontest.Policies[cachesv1.Cache]{
		Kind:   admissiontest.Kind{APIVersion: "caches.example.com/v1", Kind: "Cache"},
		Params: []any{limits},
		Cases: []admissiontest.Case[cachesv1.Cache]{
			{
				Name:    "a cache without a number of replicas gets one",
				Request: admissiontest.Create(cache(func(c *cachesv1.Cache) { c.Spec.Replicas = nil })),
				Object:  cache(),
				Audit:   map[string]string{"validate.caches.v1.caches.example.com/replicas": "1"},
			},
			{
				Name:    "as many replicas as the limit",
				Request: admissiontest.Create(cache(replicas(3))),
			},
			{
				Name:    "more replicas than the limit",
				Request: admissiontest.Create(cache(replicas(4))),
				Denied:  http.StatusRequestEntityTooLarge,
				Message: "spec.replicas: at most 3, not 4",
			},
			{
				Name:    "another tier",
				Request: admissiontest.Update(cache(), cache(func(c *cachesv1.Cache) { c.Spec.Tier = "large" })),
				Denied:  http.StatusForbidden,
				Message: "a cache keeps its tier",
			},
			{
				Name:    "a large cache in the small tier",
				Request: admissiontest.Create(cache(func(c *cachesv1.Cache) { c.Spec.Size = resource.MustParse("65Gi") })),
				Denied:  http.StatusUnprocessableEntity,
				Message: "at most 64Gi",
			},
			{
				Name: "two peers in a zone",
				Request: admissiontest.Create(cache(func(c *cachesv1.Cache) {
					c.Spec.Peers = []cachesv1.Peer{{Zone: "a", Address: "first"}, {Zone: "a", Address: "second"}}
				})),
				Denied:  http.StatusUnprocessableEntity,
				Message: "a zone has one peer",
			},
			{
				Name:    "the finalizer of a cache that is older than its limit",
				Request: admissiontest.Update(cache(replicas(9), deleted), cache(replicas(9), deleted, func(c *cachesv1.Cache) { c.Finalizers = nil })),
			},
		},
	}.Run(t)
}

// TestCachesWithoutLimits has no parameters.
func TestCachesWithoutLimits(t *testing.T) {
	admissiontest.Policies[cachesv1.Cache]{
		Kind: admissiontest.Kind{APIVersion: "caches.example.com/v1", Kind: "Cache"},
		Cases: []admissiontest.Case[cachesv1.Cache]{{
			Name:    "nothing is allowed",
			Request: admissiontest.Create(cache()),
			Denied:  http.StatusUnprocessableEntity,
			Message: "no params found",
		}},
	}.Run(t)
}

func pod(images ...string) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}}
	for _, i := range images {
		p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: "c", Image: i})
	}
	return p
}

func TestImages(t *testing.T) {
	const warning = "Validation failed for ValidatingAdmissionPolicy 'images.example.com' with binding 'images.example.com': images without a fixed tag: "
	kind := admissiontest.Kind{APIVersion: "v1", Kind: "Pod"}
	admissiontest.Policies[corev1.Pod]{
		Kind: kind,
		Cases: []admissiontest.Case[corev1.Pod]{
			{Name: "a tag", Request: admissiontest.Create(pod("registry.example.com:5000/web:1.2"))},
			{Name: "a digest", Request: admissiontest.Create(pod("web@sha256:0123"))},
			{Name: "latest", Request: admissiontest.Create(pod("web:latest", "db:1")), Warnings: []string{warning + "web:latest"}},
			{Name: "no tag", Request: admissiontest.Create(pod("registry.example.com:5000/web")), Warnings: []string{warning + "registry.example.com:5000/web"}},
		},
	}.Run(t)
	admissiontest.Policies[corev1.Pod]{
		Kind:            kind,
		NamespaceLabels: map[string]string{"images": "strict"},
		Cases: []admissiontest.Case[corev1.Pod]{
			{Name: "a tag in a strict namespace", Request: admissiontest.Create(pod("web:1.2"))},
			{Name: "latest in a strict namespace", Request: admissiontest.Create(pod("web:latest")), Denied: http.StatusUnprocessableEntity, Message: "images without a fixed tag: web:latest"},
		},
	}.Run(t)
}

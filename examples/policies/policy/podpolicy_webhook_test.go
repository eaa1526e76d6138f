// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"net/http"
	"testing"

	"github.com/webhook-gen/webhook-gen/runtime/admission/admissiontest"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// newPodPolicy makes the policy for tests, the generated ones included.
func newPodPolicy(t testing.TB) *PodPolicy {
	t.Helper()
	return &PodPolicy{Registry: "registry.example.com/"}
}

// samplePodPolicy is an object that the policy has nothing against, with edits.
func samplePodPolicy(edit ...func(*corev1.Pod)) *corev1.Pod {
	object := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop-prod", Name: "sample"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name:      "web",
			Image:     "registry.example.com/web:1.2",
			Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("64Mi")}},
		}}},
	}
	for _, e := range edit {
		e(object)
	}
	return object
}

func labelled(p *corev1.Pod) { p.Labels = map[string]string{TeamLabel: "shop"} }

func elsewhere(p *corev1.Pod) { p.Spec.Containers[0].Image = "elsewhere.example.com/web:1.2" }

func TestPodPolicy(t *testing.T) {
	admissiontest.Table[corev1.Pod]{
		Webhooks: newWebhooks(t),
		Paths:    []string{MutatePodPolicyPath, ValidatePodPolicyPath},
		Kind:     admissiontest.Kind{APIVersion: "v1", Kind: "Pod"},
		Cases: []admissiontest.Case[corev1.Pod]{
			{
				Name:    "a pod is labelled with its team",
				Request: admissiontest.Create(samplePodPolicy()),
				Object:  samplePodPolicy(labelled),
			},
			{
				Name:     "a pod without a limit",
				Request:  admissiontest.Create(samplePodPolicy(labelled, func(p *corev1.Pod) { p.Spec.Containers[0].Resources.Limits = nil })),
				Warnings: []string{"container web has no limit: it may take all the memory of its node"},
			},
			{
				Name:    "an image from elsewhere",
				Request: admissiontest.Create(samplePodPolicy(elsewhere)),
				Denied:  http.StatusUnprocessableEntity,
				Causes:  []string{"spec.containers[0].image"},
			},
			{
				Name:    "an image from elsewhere that was there before",
				Request: admissiontest.Update(samplePodPolicy(elsewhere), samplePodPolicy(elsewhere, labelled)),
			},
		},
	}.Run(t)
}

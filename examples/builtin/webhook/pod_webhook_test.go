// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"net/http"
	"testing"

	"github.com/webhook-gen/webhook-gen/runtime/admission/admissiontest"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// newPodWebhook makes the webhook's validator or defaulter for tests, the generated ones included.
func newPodWebhook(t testing.TB) *PodWebhook {
	t.Helper()
	return &PodWebhook{Registry: "registry.example.com/"}
}

// samplePod is an object that the webhook allows, with edits.
func samplePod(edit ...func(*corev1.Pod)) *corev1.Pod {
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

func TestPodWebhook(t *testing.T) {
	admissiontest.Table[corev1.Pod]{
		Webhooks: newWebhooks(t),
		Paths:    []string{MutatePodWebhookPath, ValidatePodWebhookPath},
		Kind:     admissiontest.Kind{APIVersion: "v1", Kind: "Pod"},
		Cases: []admissiontest.Case[corev1.Pod]{
			{
				Name:    "a pod is labelled with its team",
				Request: admissiontest.Create(samplePod()),
				Object:  samplePod(labelled),
			},
			{
				Name:     "a pod without a limit",
				Request:  admissiontest.Create(samplePod(labelled, func(p *corev1.Pod) { p.Spec.Containers[0].Resources.Limits = nil })),
				Warnings: []string{"container web has no limit: it may take all the memory of its node"},
			},
			{
				Name:    "an image from elsewhere",
				Request: admissiontest.Create(samplePod(elsewhere)),
				Denied:  http.StatusUnprocessableEntity,
				Causes:  []string{"spec.containers[0].image"},
			},
			{
				Name:    "an image from elsewhere that was there before",
				Request: admissiontest.Update(samplePod(elsewhere), samplePod(elsewhere, labelled)),
			},
		},
	}.Run(t)
}

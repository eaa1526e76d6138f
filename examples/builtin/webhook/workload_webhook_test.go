// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"net/http"
	"testing"

	"github.com/webhook-gen/webhook-gen/runtime/admission/admissiontest"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// newWorkloadWebhook makes the webhook's validator or defaulter for tests, the generated ones included.
func newWorkloadWebhook(t testing.TB) *WorkloadWebhook {
	t.Helper()
	return &WorkloadWebhook{MaxReplicas: 20}
}

// sampleWorkload is an object that the webhook allows, with edits.
func sampleWorkload(edit ...func(*Workload)) *Workload {
	object := &Workload{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "sample"},
	}
	for _, e := range edit {
		e(object)
	}
	return object
}

func asking(n int32) func(*Workload) {
	return func(w *Workload) { w.Spec.Replicas = &n }
}

func TestWorkloadWebhook(t *testing.T) {
	admissiontest.Table[Workload]{
		Webhooks: newWebhooks(t),
		Paths:    []string{ValidateWorkloadPath},
		Kind:     admissiontest.Kind{APIVersion: "apps/v1", Kind: "Deployment"},
		Cases: []admissiontest.Case[Workload]{
			{
				Name:    "a daemon set has no replicas",
				Request: admissiontest.Create(sampleWorkload()).As("apps/v1", "DaemonSet"),
			},
			{
				Name:    "too many replicas",
				Request: admissiontest.Create(sampleWorkload(asking(21))),
				Denied:  http.StatusUnprocessableEntity,
				Causes:  []string{"spec.replicas"},
			},
			{
				Name:     "a single one in production",
				Request:  admissiontest.Create(sampleWorkload(asking(1), func(w *Workload) { w.Namespace = "shop-prod" })),
				Warnings: []string{"with one replica nothing serves while its node is drained"},
			},
			{
				Name:    "too many, and not one more",
				Request: admissiontest.Update(sampleWorkload(asking(30)), sampleWorkload(asking(30))),
			},
		},
	}.Run(t)
}

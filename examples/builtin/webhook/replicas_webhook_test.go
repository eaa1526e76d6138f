// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"net/http"
	"testing"

	"github.com/webhook-gen/webhook-gen/runtime/admission/admissiontest"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// newReplicasWebhook makes the webhook's validator or defaulter for tests, the generated ones included.
func newReplicasWebhook(t testing.TB) *ReplicasWebhook {
	t.Helper()
	return &ReplicasWebhook{Max: 20}
}

// sampleReplicas is an object that the webhook allows, with edits.
func sampleReplicas(edit ...func(*autoscalingv1.Scale)) *autoscalingv1.Scale {
	object := &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "sample"},
	}
	for _, e := range edit {
		e(object)
	}
	return object
}

func replicas(n int32) func(*autoscalingv1.Scale) {
	return func(s *autoscalingv1.Scale) { s.Spec.Replicas = n }
}

func TestReplicasWebhook(t *testing.T) {
	admissiontest.Table[autoscalingv1.Scale]{
		Webhooks: newWebhooks(t),
		Paths:    []string{ValidateReplicasWebhookScalePath},
		Kind:     admissiontest.Kind{APIVersion: "autoscaling/v1", Kind: "Scale"},
		Resource: admissiontest.Resource{APIVersion: "apps/v1", Name: "deployments", SubResource: "scale"},
		Cases: []admissiontest.Case[autoscalingv1.Scale]{
			{
				Name:    "up to the limit",
				Request: admissiontest.Update(sampleReplicas(replicas(1)), sampleReplicas(replicas(20))),
			},
			{
				Name:    "beyond the limit",
				Request: admissiontest.Update(sampleReplicas(replicas(1)), sampleReplicas(replicas(21))),
				Denied:  http.StatusUnprocessableEntity,
				Causes:  []string{"spec.replicas"},
			},
			{
				Name:    "down towards the limit",
				Request: admissiontest.Update(sampleReplicas(replicas(40)), sampleReplicas(replicas(30))),
			},
		},
	}.Run(t)
}

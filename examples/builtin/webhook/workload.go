// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// Workload has the fields of Deployments, StatefulSets and DaemonSets that WorkloadWebhook reads. Nothing else of them
// is decoded.
//
// +webhook:validating(for: "apps/v1/Deployment", operations: "create;update", deleting: unchangedSpec)
// +webhook:rule(resources: "statefulsets;daemonsets")
type Workload struct {
	metav1.ObjectMeta `json:"metadata"`

	Spec struct {
		// Replicas is nil for a DaemonSet.
		Replicas *int32 `json:"replicas"`
	} `json:"spec"`
}

// WorkloadWebhook limits how many pods a workload may ask for.
type WorkloadWebhook struct {
	MaxReplicas int
}

// The compiler reports a missing method of a marker's operation at this line.
var _ WorkloadValidator = (*WorkloadWebhook)(nil)

// ValidateCreate denies more replicas than the limit. In production it warns of a single one.
func (w *WorkloadWebhook) ValidateCreate(_ context.Context, r *admission.CreateRequest[Workload]) error {
	return w.check(&r.Request, &Workload{}, r.Object)
}

// ValidateUpdate does as ValidateCreate, but lets a workload be that is over the limit and does not grow.
func (w *WorkloadWebhook) ValidateUpdate(_ context.Context, r *admission.UpdateRequest[Workload]) error {
	old, err := r.OldObject()
	if err != nil {
		return err
	}
	return w.check(&r.Request, old, r.Object)
}

func (w *WorkloadWebhook) check(r *admission.Request, old, workload *Workload) error {
	if workload.Spec.Replicas == nil {
		return nil
	}
	replicas := *workload.Spec.Replicas
	if _, stage := teamAndStage(r.Namespace); stage == "prod" && replicas == 1 {
		r.Warn("with one replica nothing serves while its node is drained")
	}
	before := int32(0)
	if old.Spec.Replicas != nil {
		before = *old.Spec.Replicas
	}
	return withinLimit(before, replicas, w.MaxReplicas)
}

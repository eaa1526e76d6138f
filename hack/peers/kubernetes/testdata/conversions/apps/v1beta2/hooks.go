package v1beta2

import (
	"context"

	appsv1beta2 "k8s.io/api/apps/v1beta2"
	autoscalingv1 "k8s.io/api/autoscaling/v1"

	"github.com/webhook-gen/webhook-gen/hack/peers/kubernetes/conversions/apps/selector"
)

// Scales converts the status of a Scale, which has its selector twice here and once in autoscaling/v1.
type Scales struct{}

func (Scales) ScaleStatusToHub(_ context.Context, src *appsv1beta2.Scale, dst *autoscalingv1.Scale) error {
	dst.Status.Replicas = src.Status.Replicas
	dst.Status.Selector = selector.Text(src.Status.TargetSelector, src.Status.Selector)
	return nil
}

func (Scales) ScaleStatusFromHub(_ context.Context, src *autoscalingv1.Scale, dst *appsv1beta2.Scale) error {
	dst.Status.Replicas = src.Status.Replicas
	dst.Status.TargetSelector, dst.Status.Selector = src.Status.Selector, selector.Labels(src.Status.Selector)
	return nil
}

package v1beta1

import (
	"context"

	appsv1beta1 "k8s.io/api/apps/v1beta1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"

	"github.com/webhook-gen/webhook-gen/hack/peers/kubernetes/conversions/apps/selector"
)

// Scales converts the status of a Scale, which has its selector twice here and once in autoscaling/v1.
type Scales struct{}

func (Scales) ScaleStatusToHub(_ context.Context, src *appsv1beta1.ScaleStatus, dst *autoscalingv1.ScaleStatus) error {
	dst.Replicas = src.Replicas
	dst.Selector = selector.Text(src.TargetSelector, src.Selector)
	return nil
}

func (Scales) ScaleStatusFromHub(_ context.Context, src *autoscalingv1.ScaleStatus, dst *appsv1beta1.ScaleStatus) error {
	dst.Replicas = src.Replicas
	dst.TargetSelector, dst.Selector = src.Selector, selector.Labels(src.Selector)
	return nil
}

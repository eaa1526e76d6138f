package conversions

import (
	"context"
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"github.com/webhook-gen/webhook-gen/hack/peers/kubernetes/conversions/apps/v1beta1"
	"github.com/webhook-gen/webhook-gen/hack/peers/kubernetes/conversions/apps/v1beta2"
	hpav1 "github.com/webhook-gen/webhook-gen/hack/peers/kubernetes/conversions/autoscaling/v1"
	"github.com/webhook-gen/webhook-gen/hack/peers/kubernetes/internal/webhook/conversion/conversiontest"
)

// check holds a kind to what must be true of all conversions.
func check[S, H any](t *testing.T, name string, toHub func(context.Context, *S, *H) error, fromHub func(context.Context, *H, *S) error) {
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		conversiontest.Check(t, conversiontest.Kind[S, H]{ToHub: toHub, FromHub: fromHub})
	})
}

func TestInvariants(t *testing.T) {
	beta1, beta2 := v1beta1.NewConverter(v1beta1.Scales{}), v1beta2.NewConverter(v1beta2.Scales{})
	check(t, "v1beta1 Deployment", v1beta1.DeploymentToHub, v1beta1.DeploymentFromHub)
	check(t, "v1beta1 StatefulSet", v1beta1.StatefulSetToHub, v1beta1.StatefulSetFromHub)
	check(t, "v1beta1 ControllerRevision", v1beta1.ControllerRevisionToHub, v1beta1.ControllerRevisionFromHub)
	check(t, "v1beta1 Scale", beta1.ScaleToHub, beta1.ScaleFromHub)
	check(t, "v1beta2 DaemonSet", v1beta2.DaemonSetToHub, v1beta2.DaemonSetFromHub)
	check(t, "v1beta2 Deployment", v1beta2.DeploymentToHub, v1beta2.DeploymentFromHub)
	check(t, "v1beta2 ReplicaSet", v1beta2.ReplicaSetToHub, v1beta2.ReplicaSetFromHub)
	check(t, "v1beta2 StatefulSet", v1beta2.StatefulSetToHub, v1beta2.StatefulSetFromHub)
	check(t, "v1beta2 ControllerRevision", v1beta2.ControllerRevisionToHub, v1beta2.ControllerRevisionFromHub)
	check(t, "v1beta2 Scale", beta2.ScaleToHub, beta2.ScaleFromHub)
	t.Run("HorizontalPodAutoscaler", func(t *testing.T) {
		t.Parallel()
		conversiontest.Check(t, conversiontest.Kind[autoscalingv1.HorizontalPodAutoscaler, autoscalingv2.HorizontalPodAutoscaler]{
			ToHub: hpav1.HorizontalPodAutoscalerToHub, FromHub: hpav1.HorizontalPodAutoscalerFromHub, Hub: meteredV2,
		})
	})

	check(t, "v1beta1 v1beta2 Deployment", conversiontest.Via(v1beta1.DeploymentToHub, v1beta2.DeploymentFromHub), conversiontest.Via(v1beta2.DeploymentToHub, v1beta1.DeploymentFromHub))
	check(t, "v1beta1 v1beta2 StatefulSet", conversiontest.Via(v1beta1.StatefulSetToHub, v1beta2.StatefulSetFromHub), conversiontest.Via(v1beta2.StatefulSetToHub, v1beta1.StatefulSetFromHub))
	check(t, "v1beta1 v1beta2 ControllerRevision", conversiontest.Via(v1beta1.ControllerRevisionToHub, v1beta2.ControllerRevisionFromHub), conversiontest.Via(v1beta2.ControllerRevisionToHub, v1beta1.ControllerRevisionFromHub))
	check(t, "v1beta1 v1beta2 Scale", conversiontest.Via(beta1.ScaleToHub, beta2.ScaleFromHub), conversiontest.Via(beta2.ScaleToHub, beta1.ScaleFromHub))
}

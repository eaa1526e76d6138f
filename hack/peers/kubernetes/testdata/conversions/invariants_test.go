package conversions

import (
	"context"
	"math/rand/v2"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	appsv1beta1 "k8s.io/api/apps/v1beta1"
	appsv1beta2 "k8s.io/api/apps/v1beta2"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"github.com/webhook-gen/webhook-gen/hack/peers/kubernetes/conversions/apps/selector"
	"github.com/webhook-gen/webhook-gen/hack/peers/kubernetes/conversions/apps/v1beta1"
	"github.com/webhook-gen/webhook-gen/hack/peers/kubernetes/conversions/apps/v1beta2"
	hpav1 "github.com/webhook-gen/webhook-gen/hack/peers/kubernetes/conversions/autoscaling/v1"
	"github.com/webhook-gen/webhook-gen/runtime/conversion/conversiontest"
)

// check holds a kind to what must be true of all conversions.
func check[S, H any](t *testing.T, name string, k conversiontest.Kind[S, H]) {
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		conversiontest.Check(t, k)
	})
}

func TestInvariants(t *testing.T) {
	check(t, "v1beta1 Deployment", conversiontest.Kind[appsv1beta1.Deployment, appsv1.Deployment]{ToHub: v1beta1.DeploymentToHub, FromHub: v1beta1.DeploymentFromHub, Kept: []string{"spec.rollbackTo"}})
	check(t, "v1beta1 StatefulSet", conversiontest.Kind[appsv1beta1.StatefulSet, appsv1.StatefulSet]{ToHub: v1beta1.StatefulSetToHub, FromHub: v1beta1.StatefulSetFromHub, Kept: []string{"status.observedGeneration"}})
	check(t, "v1beta1 ControllerRevision", conversiontest.Kind[appsv1beta1.ControllerRevision, appsv1.ControllerRevision]{ToHub: v1beta1.ControllerRevisionToHub, FromHub: v1beta1.ControllerRevisionFromHub})
	check(t, "v1beta2 DaemonSet", conversiontest.Kind[appsv1beta2.DaemonSet, appsv1.DaemonSet]{ToHub: v1beta2.DaemonSetToHub, FromHub: v1beta2.DaemonSetFromHub})
	check(t, "v1beta2 Deployment", conversiontest.Kind[appsv1beta2.Deployment, appsv1.Deployment]{ToHub: v1beta2.DeploymentToHub, FromHub: v1beta2.DeploymentFromHub})
	check(t, "v1beta2 ReplicaSet", conversiontest.Kind[appsv1beta2.ReplicaSet, appsv1.ReplicaSet]{ToHub: v1beta2.ReplicaSetToHub, FromHub: v1beta2.ReplicaSetFromHub})
	check(t, "v1beta2 StatefulSet", conversiontest.Kind[appsv1beta2.StatefulSet, appsv1.StatefulSet]{ToHub: v1beta2.StatefulSetToHub, FromHub: v1beta2.StatefulSetFromHub})
	check(t, "v1beta2 ControllerRevision", conversiontest.Kind[appsv1beta2.ControllerRevision, appsv1.ControllerRevision]{ToHub: v1beta2.ControllerRevisionToHub, FromHub: v1beta2.ControllerRevisionFromHub})
	check(t, "HorizontalPodAutoscaler", conversiontest.Kind[autoscalingv1.HorizontalPodAutoscaler, autoscalingv2.HorizontalPodAutoscaler]{
		ToHub: hpav1.HorizontalPodAutoscalerToHub, FromHub: hpav1.HorizontalPodAutoscalerFromHub, Hub: meteredV2,
		Kept: []string{"spec.behavior", "spec.metrics", "status.conditions", "status.currentMetrics"},
	})

	check(t, "v1beta1 v1beta2 Deployment", conversiontest.Kind[appsv1beta1.Deployment, appsv1beta2.Deployment]{
		ToHub:   conversiontest.Via(v1beta1.DeploymentToHub, v1beta2.DeploymentFromHub),
		FromHub: conversiontest.Via(v1beta2.DeploymentToHub, v1beta1.DeploymentFromHub), Kept: []string{"spec.rollbackTo"},
	})
	check(t, "v1beta1 v1beta2 StatefulSet", conversiontest.Kind[appsv1beta1.StatefulSet, appsv1beta2.StatefulSet]{
		ToHub:   conversiontest.Via(v1beta1.StatefulSetToHub, v1beta2.StatefulSetFromHub),
		FromHub: conversiontest.Via(v1beta2.StatefulSetToHub, v1beta1.StatefulSetFromHub), Kept: []string{"status.observedGeneration"},
	})
	check(t, "v1beta1 v1beta2 ControllerRevision", conversiontest.Kind[appsv1beta1.ControllerRevision, appsv1beta2.ControllerRevision]{
		ToHub:   conversiontest.Via(v1beta1.ControllerRevisionToHub, v1beta2.ControllerRevisionFromHub),
		FromHub: conversiontest.Via(v1beta2.ControllerRevisionToHub, v1beta1.ControllerRevisionFromHub),
	})
}

// TestInvariantsOfScales holds Scales to the same. The one of autoscaling/v1 is a subresource of apps, and no webhook converts
// from one group to another: it is taken for a kind of apps here.
func TestInvariantsOfScales(t *testing.T) {
	beta1, beta2 := v1beta1.NewConverter(v1beta1.Scales{}), v1beta2.NewConverter(v1beta2.Scales{})
	check(t, "v1beta1", conversiontest.Kind[appsv1beta1.Scale, autoscalingv1.Scale]{ToHub: ofApps(beta1.ScaleToHub), FromHub: beta1.ScaleFromHub, Kept: []string{"status.selector"}})
	check(t, "v1beta2", conversiontest.Kind[appsv1beta2.Scale, autoscalingv1.Scale]{ToHub: ofApps(beta2.ScaleToHub), FromHub: beta2.ScaleFromHub, Kept: []string{"status.selector"}})
	check(t, "v1beta1 v1beta2", conversiontest.Kind[appsv1beta1.Scale, appsv1beta2.Scale]{
		ToHub:   conversiontest.Via(beta1.ScaleToHub, beta2.ScaleFromHub),
		FromHub: conversiontest.Via(beta2.ScaleToHub, beta1.ScaleFromHub), Kept: []string{"status.selector"},
		// Where the two selectors of an object differ, a part with one of them says what the whole does not.
		Spoke: func(s *appsv1beta1.Scale, _ *rand.Rand) { one(s.Status.TargetSelector, &s.Status.Selector) },
		Hub:   func(s *appsv1beta2.Scale, _ *rand.Rand) { one(s.Status.TargetSelector, &s.Status.Selector) },
	})
}

// one leaves no labels beside a selector that says something else.
func one(text string, set *map[string]string) {
	if text != "" {
		*set = selector.Labels(text)
	}
}

func ofApps[S any](toHub func(context.Context, *S, *autoscalingv1.Scale) error) func(context.Context, *S, *autoscalingv1.Scale) error {
	return func(ctx context.Context, src *S, dst *autoscalingv1.Scale) error {
		err := toHub(ctx, src, dst)
		dst.APIVersion = "apps/v1"
		return err
	}
}

package conversions

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	hpav1 "github.com/webhook-gen/webhook-gen/hack/peers/kubernetes/conversions/autoscaling/v1"
)

// metered makes some of an autoscaler's metrics the one of which autoscaling/v1 knows, and some nearly so.
func metered(h *autoscalingv2.HorizontalPodAutoscaler, intN func(int) int) {
	for i := range h.Spec.Metrics {
		switch intN(3) {
		case 0:
			h.Spec.Metrics[i] = cpu(int32(intN(100)))
		case 1:
			h.Spec.Metrics[i] = cpu(0)
			h.Spec.Metrics[i].Resource.Target = autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: resource.NewQuantity(int64(intN(100)), resource.DecimalSI)}
		}
	}
	for i := range h.Status.CurrentMetrics {
		current := autoscalingv2.MetricValueStatus{AverageValue: resource.NewQuantity(int64(intN(100)), resource.DecimalSI)}
		switch intN(3) {
		case 0:
			current.AverageUtilization = new(int32)
			*current.AverageUtilization = int32(intN(100))
			fallthrough
		case 1:
			h.Status.CurrentMetrics[i] = autoscalingv2.MetricStatus{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricStatus{Name: "cpu", Current: current}}
		}
	}
}

func cpu(percent int32) autoscalingv2.MetricSpec {
	return autoscalingv2.MetricSpec{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
		Name: "cpu", Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &percent},
	}}
}

func pods(name string) autoscalingv2.MetricSpec {
	return autoscalingv2.MetricSpec{Type: autoscalingv2.PodsMetricSourceType, Pods: &autoscalingv2.PodsMetricSource{Metric: autoscalingv2.MetricIdentifier{Name: name}}}
}

// TestEditOfAutoscaler changes in v1 what that knows of an autoscaler's metrics, and finds the others in v2 as they were.
func TestEditOfAutoscaler(t *testing.T) {
	percent := func(n int32) *int32 { return &n }
	for name, test := range map[string]struct {
		have []autoscalingv2.MetricSpec
		edit *int32
		want []autoscalingv2.MetricSpec
	}{
		"another target":   {[]autoscalingv2.MetricSpec{pods("a"), cpu(50), pods("b")}, percent(60), []autoscalingv2.MetricSpec{pods("a"), cpu(60), pods("b")}},
		"no target":        {[]autoscalingv2.MetricSpec{pods("a"), cpu(50), pods("b")}, nil, []autoscalingv2.MetricSpec{pods("a"), pods("b")}},
		"a target":         {[]autoscalingv2.MetricSpec{pods("a"), pods("b")}, percent(60), []autoscalingv2.MetricSpec{pods("a"), pods("b"), cpu(60)}},
		"the only metric":  {[]autoscalingv2.MetricSpec{cpu(50)}, percent(60), []autoscalingv2.MetricSpec{cpu(60)}},
		"the first of two": {[]autoscalingv2.MetricSpec{cpu(50), cpu(70)}, percent(60), []autoscalingv2.MetricSpec{cpu(60), cpu(70)}},
	} {
		t.Run(name, func(t *testing.T) {
			have := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Name: "name"}, Spec: autoscalingv2.HorizontalPodAutoscalerSpec{Metrics: test.have}}
			var edited autoscalingv1.HorizontalPodAutoscaler
			if err := hpav1.HorizontalPodAutoscalerFromHub(context.Background(), have, &edited); err != nil {
				t.Fatal(err)
			}
			edited.Spec.TargetCPUUtilizationPercentage = test.edit
			var got autoscalingv2.HorizontalPodAutoscaler
			if err := hpav1.HorizontalPodAutoscalerToHub(context.Background(), &edited, &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got.Spec.Metrics); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// meteredV2 is metered as conversiontest asks for it.
func meteredV2(h *autoscalingv2.HorizontalPodAutoscaler, r *rand.Rand) { metered(h, r.IntN) }

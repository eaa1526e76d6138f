package conversions

import (
	"context"
	"encoding/json"
	"maps"
	"math/rand"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	appsv1beta1 "k8s.io/api/apps/v1beta1"
	appsv1beta2 "k8s.io/api/apps/v1beta2"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/apps"
	appsfuzzer "k8s.io/kubernetes/pkg/apis/apps/fuzzer"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	autoscalingfuzzer "k8s.io/kubernetes/pkg/apis/autoscaling/fuzzer"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	corefuzzer "k8s.io/kubernetes/pkg/apis/core/fuzzer"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"sigs.k8s.io/randfill"

	"github.com/webhook-gen/webhook-gen/hack/peers/kubernetes/conversions/apps/v1beta1"
	"github.com/webhook-gen/webhook-gen/hack/peers/kubernetes/conversions/apps/v1beta2"
	hpav1 "github.com/webhook-gen/webhook-gen/hack/peers/kubernetes/conversions/autoscaling/v1"
	"github.com/webhook-gen/webhook-gen/runtime/conversion"
)

// rounds is how many objects of each kind and source are compared in each direction.
const rounds = 100

// TestAgainstUpstream has our conversions and those of the API server convert the same objects.
func TestAgainstUpstream(t *testing.T) {
	beta1, beta2 := v1beta1.NewConverter(v1beta1.Scales{}), v1beta2.NewConverter(v1beta2.Scales{})
	agree[appsv1beta1.Deployment, appsv1.Deployment, apps.Deployment](t, "v1beta1 Deployment", v1beta1.DeploymentToHub, v1beta1.DeploymentFromHub, deploymentNormalisations())
	agree[appsv1beta1.StatefulSet, appsv1.StatefulSet, apps.StatefulSet](t, "v1beta1 StatefulSet", v1beta1.StatefulSetToHub, v1beta1.StatefulSetFromHub, statefulSetV1beta1Normalisations())
	agree[appsv1beta1.ControllerRevision, appsv1.ControllerRevision, apps.ControllerRevision](t, "v1beta1 ControllerRevision", v1beta1.ControllerRevisionToHub, v1beta1.ControllerRevisionFromHub, nil)
	agree[appsv1beta1.Scale, autoscalingv1.Scale, autoscaling.Scale](t, "v1beta1 Scale", beta1.ScaleToHub, beta1.ScaleFromHub, nil)
	agree[appsv1beta2.DaemonSet, appsv1.DaemonSet, apps.DaemonSet](t, "v1beta2 DaemonSet", v1beta2.DaemonSetToHub, v1beta2.DaemonSetFromHub, daemonSetNormalisations())
	agree[appsv1beta2.Deployment, appsv1.Deployment, apps.Deployment](t, "v1beta2 Deployment", v1beta2.DeploymentToHub, v1beta2.DeploymentFromHub, deploymentNormalisations())
	agree[appsv1beta2.ReplicaSet, appsv1.ReplicaSet, apps.ReplicaSet](t, "v1beta2 ReplicaSet", v1beta2.ReplicaSetToHub, v1beta2.ReplicaSetFromHub, replicaSetNormalisations())
	agree[appsv1beta2.StatefulSet, appsv1.StatefulSet, apps.StatefulSet](t, "v1beta2 StatefulSet", v1beta2.StatefulSetToHub, v1beta2.StatefulSetFromHub, statefulSetNormalisations())
	agree[appsv1beta2.ControllerRevision, appsv1.ControllerRevision, apps.ControllerRevision](t, "v1beta2 ControllerRevision", v1beta2.ControllerRevisionToHub, v1beta2.ControllerRevisionFromHub, nil)
	agree[appsv1beta2.Scale, autoscalingv1.Scale, autoscaling.Scale](t, "v1beta2 Scale", beta2.ScaleToHub, beta2.ScaleFromHub, nil)
	agree[autoscalingv1.HorizontalPodAutoscaler, autoscalingv2.HorizontalPodAutoscaler, autoscaling.HorizontalPodAutoscaler](t, "HorizontalPodAutoscaler", hpav1.HorizontalPodAutoscalerToHub, hpav1.HorizontalPodAutoscalerFromHub, autoscalerNormalisations())
}

// object is a pointer to an API type.
type object[T any] interface {
	*T
	runtime.Object
	metav1.Object
}

// agree compares both directions between a spoke and its hub, of which the internal type is I.
func agree[S, H, I any, PS object[S], PH object[H], PI object[I]](t *testing.T, name string,
	toHub func(context.Context, *S, *H) error, fromHub func(context.Context, *H, *S) error, normalised []normalisation,
) {
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		c := comparison{normalised: normalised, seen: map[string]bool{}}
		t.Run("to the hub", func(t *testing.T) { compare[S, H, I, PS, PH, PI](t, c, toHub, fromHub) })
		t.Run("from the hub", func(t *testing.T) { compare[H, S, I, PH, PS, PI](t, c, fromHub, toHub) })
		for _, n := range normalised {
			if !c.seen[n.path] {
				t.Errorf("upstream no longer changes %s", n.path)
			}
		}
	})
}

// comparison is what upstream may do besides, and the paths of what it has done.
type comparison struct {
	normalised []normalisation
	seen       map[string]bool
}

// compare compares what becomes of objects that an API server may hold, and of objects with anything in them. What
// is converted back is as it was.
func compare[A, B, I any, PA object[A], PB object[B], PI object[I]](t *testing.T, c comparison, there func(context.Context, *A, *B) error, back func(context.Context, *B, *A) error) {
	f := fuzzer.FuzzerFor(fuzzer.MergeFuzzerFuncs(metafuzzer.Funcs, corefuzzer.Funcs, appsfuzzer.Funcs, autoscalingfuzzer.Funcs, selectable), rand.NewSource(1), legacyscheme.Codecs).
		NumElements(0, 3).NilChance(.3)
	for i := range 2 * rounds {
		a, internal, want, got, returned := PA(new(A)), PI(new(I)), PB(new(B)), PB(new(B)), PA(new(A))
		if i%2 == 0 {
			f.Fill(internal)
			through(t, internal, a)
			internal = PI(new(I))
		} else {
			f.Fill(a)
		}
		a.SetName("name") // on an object without one nothing is kept
		withoutPrivate(a)
		through(t, a, internal, want)
		if err := there(context.Background(), a, got); err != nil {
			t.Fatalf("%v\n%s", err, text(a))
		}
		if err := back(context.Background(), got, returned); err != nil {
			t.Fatalf("%v\n%s", err, text(got))
		}
		for _, d := range differences("", said(t, a), said(t, returned)) {
			t.Errorf("there and back: %s was %s and is %s", d.path, text(d.want), text(d.got))
		}
		for _, d := range differences("", said(t, want), said(t, got)) {
			if !c.expects(d) {
				t.Errorf("%s: upstream %s, ours %s", d.path, text(d.want), text(d.got))
			}
		}
		if t.Failed() {
			t.Fatal(text(a))
		}
	}
}

// expects reports whether a difference is a normalisation.
func (c comparison) expects(d difference) bool {
	for _, n := range c.normalised {
		if n.path == d.path && n.upstream == text(d.want) && d.got == nil {
			c.seen[n.path] = true
			return true
		}
	}
	return false
}

// selectable fills what no upstream rule fills: selectors that can be parsed, which upstream's conversion of a Scale insists
// on, and autoscalers with the metric that both versions have. Of several such metrics in a status upstream
// takes the last; controllers report one.
func selectable(serializer.CodecFactory) []any {
	return []any{
		func(s *autoscalingv1.ScaleStatus, c randfill.Continue) {
			c.FillNoCustom(s)
			var selector metav1.LabelSelector
			c.Fill(&selector)
			if parsed, err := metav1.LabelSelectorAsSelector(&selector); err == nil {
				s.Selector = parsed.String()
			}
		},
		func(h *autoscalingv2.HorizontalPodAutoscaler, c randfill.Continue) {
			c.FillNoCustom(h)
			metered(h, c.Rand.Intn)
			found := false
			h.Status.CurrentMetrics = slices.DeleteFunc(h.Status.CurrentMetrics, func(m autoscalingv2.MetricStatus) bool {
				isCPU := m.Resource != nil && m.Resource.Name == "cpu"
				again := isCPU && found
				found = found || isCPU
				return again
			})
		},
	}
}

// through converts an object to each of the next in turn, as an API server does.
func through(t *testing.T, objects ...runtime.Object) {
	t.Helper()
	for i := range objects[1:] {
		if err := legacyscheme.Scheme.Convert(objects[i], objects[i+1], nil); err != nil {
			t.Fatal(err)
		}
	}
}

// difference is a place at which two objects differ.
type difference struct {
	path      string // with [] for any element of a list
	want, got any
}

func differences(path string, want, got any) []difference {
	var found []difference
	switch w := want.(type) {
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			names := maps.Clone(w)
			maps.Copy(names, g)
			for name := range names {
				found = append(found, differences(path+"."+name, w[name], g[name])...)
			}
			return found
		}
	case []any:
		if g, ok := got.([]any); ok && len(w) == len(g) {
			for i := range w {
				found = append(found, differences(path+"[]", w[i], g[i])...)
			}
			return found
		}
	}
	if text(want) != text(got) {
		found = append(found, difference{path, want, got})
	}
	return found
}

// said is what an object says as it is sent, without its type and the annotations that are private to a conversion.
func said(t *testing.T, o metav1.Object) map[string]any {
	t.Helper()
	withoutPrivate(o)
	var members map[string]any
	if err := json.Unmarshal([]byte(text(o)), &members); err != nil {
		t.Fatal(err)
	}
	delete(members, "apiVersion")
	delete(members, "kind")
	return members
}

// withoutPrivate takes the annotations off in which conversions keep what a version cannot say: ours, and upstream's.
func withoutPrivate(o metav1.Object) {
	annotations := maps.Clone(o.GetAnnotations())
	for _, private := range []string{
		conversion.Annotation, appsv1.DeprecatedTemplateGeneration, appsv1.DeprecatedRollbackTo,
		autoscaling.MetricSpecsAnnotation, autoscaling.MetricStatusesAnnotation, autoscaling.BehaviorSpecsAnnotation,
		autoscaling.HorizontalPodAutoscalerConditionsAnnotation, autoscaling.ToleranceScaleDownAnnotation, autoscaling.ToleranceScaleUpAnnotation,
	} {
		delete(annotations, private)
	}
	o.SetAnnotations(annotations)
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

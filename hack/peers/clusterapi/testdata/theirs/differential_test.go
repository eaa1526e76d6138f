package conversion

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	runtimeserializer "k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
	conversionutil "sigs.k8s.io/cluster-api/util/conversion"
	"sigs.k8s.io/randfill"

	"github.com/webhook-gen/webhook-gen/runtime/conversion"
)

// way is a direction in which both convert.
type way[A, B any] func(context.Context, *A, *B) error

// deviation is what theirs has in a place where ours has nothing.
type deviation struct {
	at, theirs *regexp.Regexp
	why        string
}

// deviations are all differences between what theirs and ours make of an object. Ours makes nothing up, so that the
// parts of objects that server-side apply converts stay what they are; what is said by being there or not is kept in the
// annotation.
func deviations() []deviation {
	return []deviation{
		{regexp.MustCompile(`\.ref$`), regexp.MustCompile(`^\{("namespace":".*")?\}$`), "a template that is not set becomes a reference to nothing"},
		{regexp.MustCompile(`^status\.deprecated$`), regexp.MustCompile(`^\{"v1beta1":\{("\w+":0,?)+\}\}$`), "counters that are all zero are there"},
		{regexp.MustCompile(`^spec\.clusterNetwork(\.pods|\.services)?$`), regexp.MustCompile(`^\{("(pods|services)":\{\},?)*\}$`), "an empty list that JSON leaves out in v1beta2 leaves an object around it"},
	}
}

// TestDifferential converts the objects of their own fuzz tests, and sparser ones, with their functions and with
// ours, and compares what these say, annotations aside.
func TestDifferential(t *testing.T) {
	SetAPIVersionGetter(func(_ context.Context, gk schema.GroupKind) (string, error) {
		return gk.WithVersion("v1beta7").GroupVersion().String(), nil
	})
	differ(t, "Cluster", ours.ClusterToHub, ConvertClusterV1Beta1ToHub, ours.ClusterFromHub, ConvertClusterHubToV1Beta1, ClusterFuzzFuncs)
	differ(t, "ClusterClass", ours.ClusterClassToHub, ConvertClusterClassV1Beta1ToHub, ours.ClusterClassFromHub, ConvertClusterClassHubToV1Beta1, ClusterClassFuzzFuncs)
	differ(t, "Machine", ours.MachineToHub, ConvertMachineV1Beta1ToHub, ours.MachineFromHub, ConvertMachineHubToV1Beta1, MachineFuzzFuncs)
	differ(t, "MachineSet", ours.MachineSetToHub, ConvertMachineSetV1Beta1ToHub, ours.MachineSetFromHub, ConvertMachineSetHubToV1Beta1, MachineSetFuzzFuncs)
	differ(t, "MachineDeployment", ours.MachineDeploymentToHub, ConvertMachineDeploymentV1Beta1ToHub, ours.MachineDeploymentFromHub, ConvertMachineDeploymentHubToV1Beta1, MachineDeploymentFuzzFuncs)
	differ(t, "MachinePool", ours.MachinePoolToHub, ConvertMachinePoolV1Beta1ToHub, ours.MachinePoolFromHub, ConvertMachinePoolHubToV1Beta1, MachinePoolFuzzFuncs)
	differ(t, "MachineHealthCheck", ours.MachineHealthCheckToHub, ConvertMachineHealthCheckV1Beta1ToHub, ours.MachineHealthCheckFromHub, ConvertMachineHealthCheckHubToV1Beta1, MachineHealthCheckFuzzFuncs)
	differ(t, "MachineDrainRule", ours.MachineDrainRuleToHub, ConvertMachineDrainRuleV1Beta1ToHub, ours.MachineDrainRuleFromHub, ConvertMachineDrainRuleHubToV1Beta1)
}

func differ[S, H any](t *testing.T, kind string, oursToHub, theirsToHub way[S, H], oursFromHub, theirsFromHub way[H, S], fill ...fuzzer.FuzzerFuncs) {
	t.Run(kind+" to the hub", func(t *testing.T) { differOneWay(t, oursToHub, theirsToHub, fill) })
	t.Run(kind+" from the hub", func(t *testing.T) { differOneWay(t, oursFromHub, theirsFromHub, fill) })
}

func differOneWay[A, B any](t *testing.T, ours, theirs way[A, B], fill []fuzzer.FuzzerFuncs) {
	const objects = 400
	fillers := []*randfill.Filler{
		conversionutil.GetFuzzer(scheme.Scheme, append([]fuzzer.FuzzerFuncs{named}, fill...)...),
		conversionutil.GetFuzzer(scheme.Scheme, append([]fuzzer.FuzzerFuncs{named, sparse}, fill...)...),
	}
	found := map[difference]int{}
	var keptByOurs, keptByTheirs int
	for i := range objects {
		a := new(A)
		fillers[i%len(fillers)].Fill(a)
		a = wire(a)
		var our, their B
		if err := ours(context.Background(), a, &our); err != nil {
			t.Fatal(err)
		}
		if err := theirs(context.Background(), wire(a), &their); err != nil {
			t.Fatal(err)
		}
		compare("", decoded(t, &their), decoded(t, &our), found)
		keptByOurs += len(any(&our).(metav1.Object).GetAnnotations()[conversion.Annotation])
		keptByTheirs += len(any(&their).(metav1.Object).GetAnnotations()[conversionutil.DataAnnotation])
	}
	t.Logf("the annotation of an object takes %d bytes, theirs %d", keptByOurs/objects, keptByTheirs/objects)
	for _, d := range slices.SortedFunc(maps.Keys(found), func(a, b difference) int { return strings.Compare(a.String(), b.String()) }) {
		if i := slices.IndexFunc(deviations(), d.is); i >= 0 {
			t.Logf("%d of %d: %s: %s", found[d], objects, d, deviations()[i].why)
		} else {
			t.Errorf("%d of %d: %s", found[d], objects, d)
		}
	}
}

// TestTheirAnnotation converts objects of v1beta2 with their functions, which keep the object in their annotation. Our
// functions make the same object of the result, and keep the same values for it from then on. Their functions keep
// nothing of other kinds.
func TestTheirAnnotation(t *testing.T) {
	SetAPIVersionGetter(func(_ context.Context, gk schema.GroupKind) (string, error) {
		return gk.WithVersion("v1beta7").GroupVersion().String(), nil
	})
	carryOver(t, "Cluster", ours.ClusterToHub, ours.ClusterFromHub, ConvertClusterHubToV1Beta1, ClusterFuzzFuncs)
	carryOver(t, "ClusterClass", ours.ClusterClassToHub, ours.ClusterClassFromHub, ConvertClusterClassHubToV1Beta1, ClusterClassFuzzFuncs)
	carryOver(t, "Machine", ours.MachineToHub, ours.MachineFromHub, ConvertMachineHubToV1Beta1, MachineFuzzFuncs)
	carryOver(t, "MachineDeployment", ours.MachineDeploymentToHub, ours.MachineDeploymentFromHub, ConvertMachineDeploymentHubToV1Beta1, MachineDeploymentFuzzFuncs)
	carryOver(t, "MachinePool", ours.MachinePoolToHub, ours.MachinePoolFromHub, ConvertMachinePoolHubToV1Beta1, MachinePoolFuzzFuncs)
	carryOver(t, "MachineHealthCheck", ours.MachineHealthCheckToHub, ours.MachineHealthCheckFromHub, ConvertMachineHealthCheckHubToV1Beta1, MachineHealthCheckFuzzFuncs)
}

func carryOver[S, H any](t *testing.T, kind string, toHub way[S, H], fromHub, theirs way[H, S], fill ...fuzzer.FuzzerFuncs) {
	t.Run(kind, func(t *testing.T) {
		const objects = 200
		fillers := []*randfill.Filler{
			conversionutil.GetFuzzer(scheme.Scheme, append([]fuzzer.FuzzerFuncs{named}, fill...)...),
			conversionutil.GetFuzzer(scheme.Scheme, append([]fuzzer.FuzzerFuncs{named, sparse}, fill...)...),
		}
		found := map[difference]int{}
		for i := range objects {
			said := new(H)
			fillers[i%len(fillers)].Fill(said)
			said = wire(said)
			var stored S
			if err := theirs(context.Background(), wire(said), &stored); err != nil {
				t.Fatal(err)
			}
			if _, ok := any(&stored).(metav1.Object).GetAnnotations()[conversionutil.DataAnnotation]; !ok {
				t.Fatal("their functions keep nothing")
			}
			var read, again H
			var written S
			if err := toHub(context.Background(), wire(&stored), &read); err != nil {
				t.Fatal(err)
			}
			compare("", decoded(t, said), decoded(t, &read), found)
			if _, ok := any(&read).(metav1.Object).GetAnnotations()[conversionutil.DataAnnotation]; ok {
				t.Fatal("their annotation stays")
			}
			if err := fromHub(context.Background(), wire(&read), &written); err != nil {
				t.Fatal(err)
			}
			if err := toHub(context.Background(), wire(&written), &again); err != nil {
				t.Fatal(err)
			}
			compare("", decoded(t, said), decoded(t, &again), found)
		}
		for _, d := range slices.SortedFunc(maps.Keys(found), func(a, b difference) int { return strings.Compare(a.String(), b.String()) }) {
			t.Errorf("%d of %d: %s", found[d], objects, d)
		}
	})
}

// difference is a place at which theirs and ours differ, with [] for the elements of lists.
type difference struct{ at, theirs, ours string }

func (d difference) String() string {
	return fmt.Sprintf("%s: %s, ours %s", d.at, short(d.theirs), short(d.ours))
}

func (d difference) is(known deviation) bool {
	return d.ours == nothing && known.at.MatchString(d.at) && known.theirs.MatchString(d.theirs)
}

// sparse has zero values more often than not.
func sparse(runtimeserializer.CodecFactory) []any {
	return []any{
		func(s *string, c randfill.Continue) {
			if *s = ""; c.Intn(3) == 0 {
				*s = c.String(0)
			}
		},
		func(n *int32, c randfill.Continue) {
			if *n = 0; c.Intn(3) == 0 {
				*n = c.Int31()
			}
		},
		func(b *bool, c randfill.Continue) { *b = c.Intn(3) == 0 },
	}
}

// decoded are the spec and the status of an object as JSON has them.
func decoded(t *testing.T, object any) map[string]any {
	t.Helper()
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		delete(all, name)
	}
	return all
}

// compare notes where two values differ.
func compare(at string, theirs, ours any, found map[difference]int) {
	switch their := theirs.(type) {
	case map[string]any:
		if our, ok := ours.(map[string]any); ok {
			for name := range our {
				if _, ok := their[name]; !ok {
					compare(at+"."+name, nil, our[name], found)
				}
			}
			for name := range their {
				compare(at+"."+name, their[name], our[name], found)
			}
			return
		}
	case []any:
		if our, ok := ours.([]any); ok && len(our) == len(their) {
			for i := range their {
				compare(at+"[]", their[i], our[i], found)
			}
			return
		}
	}
	if their, our := text(theirs), text(ours); their != our {
		found[difference{strings.TrimPrefix(at, "."), their, our}]++
	}
}

func short(text string) string {
	if len(text) > 60 {
		return text[:60] + "..."
	}
	return text
}

const nothing = "nothing"

func text(v any) string {
	if v == nil {
		return nothing
	}
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

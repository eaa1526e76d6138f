package conversion

import (
	"context"
	"encoding/json"

	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	runtimeserializer "k8s.io/apimachinery/pkg/runtime/serializer"
	clusterv1beta1 "sigs.k8s.io/cluster-api/api/core/v1beta1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	conversionutil "sigs.k8s.io/cluster-api/util/conversion"
	"sigs.k8s.io/randfill"

	"github.com/webhook-gen/webhook-gen/hack/peers/clusterapi/v1beta1"
	"github.com/webhook-gen/webhook-gen/runtime/conversion"
)

// converter has one kind more than ours, which has no hooks and so is no method there.
type converter struct{ v1beta1.Converter }

func (converter) MachineDrainRuleToHub(ctx context.Context, src *clusterv1beta1.MachineDrainRule, dst *clusterv1.MachineDrainRule) error {
	return v1beta1.MachineDrainRuleToHub(ctx, src, dst)
}

func (converter) MachineDrainRuleFromHub(ctx context.Context, src *clusterv1.MachineDrainRule, dst *clusterv1beta1.MachineDrainRule) error {
	return v1beta1.MachineDrainRuleFromHub(ctx, src, dst)
}

// ours looks versions up where theirs does.
var ours = converter{v1beta1.NewConverter(v1beta1.References{APIVersion: func(ctx context.Context, gk schema.GroupKind) (string, error) {
	return apiVersionGetter(ctx, gk)
}})}

// toHub and fromHub convert what arrives of an object when it is sent. They give our annotation the name of
// theirs, which their tests know, and leave apiVersion and kind to the caller, as theirs do.
func toHub[S, H any](convert func(context.Context, *S, *H) error) func(context.Context, *S, *H) error {
	return func(ctx context.Context, src *S, dst *H) error {
		rename(src, conversionutil.DataAnnotation, conversion.Annotation)
		err := convert(ctx, wire(src), dst)
		untyped(dst)
		return err
	}
}

func fromHub[S, H any](convert func(context.Context, *H, *S) error) func(context.Context, *H, *S) error {
	return func(ctx context.Context, src *H, dst *S) error {
		err := convert(ctx, wire(src), dst)
		untyped(dst)
		rename(dst, conversion.Annotation, conversionutil.DataAnnotation)
		return err
	}
}

func wire[T any](object *T) *T {
	text, err := json.Marshal(object)
	arrived := new(T)
	if err == nil {
		err = json.Unmarshal(text, arrived)
	}
	if err != nil {
		panic(err)
	}
	return arrived
}

func untyped(object any) {
	object.(runtime.Object).GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
}

func rename(object any, from, to string) {
	annotations := object.(metav1.Object).GetAnnotations()
	if text, ok := annotations[from]; ok {
		delete(annotations, from)
		annotations[to] = text
	}
}

// named fills metadata as Kubernetes' own function does, and then has a name in it, because an object without
// one is a part of an object, on which we keep nothing; and no time that is there but zero, which JSON cannot say.
// No int32 is negative: the schema of Machines forbids that for minReadySeconds, and we restore nothing against a schema.
func named(codecs runtimeserializer.CodecFactory) []any {
	var fill func(*metav1.ObjectMeta, randfill.Continue)
	for _, f := range metafuzzer.Funcs(codecs) {
		if found, ok := f.(func(*metav1.ObjectMeta, randfill.Continue)); ok {
			fill = found
		}
	}
	return []any{func(i *int32, c randfill.Continue) { *i = c.Int31() }, func(m *metav1.ObjectMeta, c randfill.Continue) {
		fill(m, c)
		if m.Name == "" {
			m.Name = "name"
		}
		if m.DeletionTimestamp.IsZero() {
			m.DeletionTimestamp = nil
		}
		for i := range m.ManagedFields {
			if m.ManagedFields[i].Time.IsZero() {
				m.ManagedFields[i].Time = nil
			}
		}
	}}
}

var _ fuzzer.FuzzerFuncs = named

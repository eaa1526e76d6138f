package karpenter

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	fuzz "github.com/google/gofuzz"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	karpenterv1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	karpenterv1beta1 "sigs.k8s.io/karpenter/pkg/apis/v1beta1"
	"sigs.k8s.io/karpenter/pkg/operator/injection"

	"github.com/webhook-gen/webhook-gen/hack/peers/karpenter/karpenter/v1beta1"
	"github.com/webhook-gen/webhook-gen/runtime/conversion"
)

// TestDifferential holds that our conversions say what karpenter's own say: in both directions, and
// back for what karpenter's converted, as replicas do while a webhook is upgraded. What differs on purpose:
//
//   - karpenter makes an empty reference to a node class of none, and notes in an annotation that it was null;
//   - what the other version cannot represent is in our annotation, and lost with karpenter;
//   - karpenter makes an empty list of none, and leaves apiVersion and kind to its caller.
func TestDifferential(t *testing.T) {
	client := cluster()
	ctx := injection.WithNodeClasses(injection.WithClient(t.Context(), client), []schema.GroupVersionKind{nodeClass})
	ours := v1beta1.NewConverter(v1beta1.Cluster{Reader: client, NodeClass: nodeClass})
	poolToHub := func(ctx context.Context, src *karpenterv1beta1.NodePool, dst *karpenterv1.NodePool) error {
		return dst.ConvertFrom(ctx, src)
	}
	poolFromHub := func(ctx context.Context, src *karpenterv1.NodePool, dst *karpenterv1beta1.NodePool) error {
		return src.ConvertTo(ctx, dst)
	}
	claimToHub := func(ctx context.Context, src *karpenterv1beta1.NodeClaim, dst *karpenterv1.NodeClaim) error {
		return dst.ConvertFrom(ctx, src)
	}
	claimFromHub := func(ctx context.Context, src *karpenterv1.NodeClaim, dst *karpenterv1beta1.NodeClaim) error {
		return src.ConvertTo(ctx, dst)
	}
	t.Run("NodePool to the hub", func(t *testing.T) {
		compare(ctx, t, random[karpenterv1beta1.NodePool], poolToHub, ours.NodePoolToHub)
	})
	t.Run("NodePool from the hub", func(t *testing.T) {
		compare(ctx, t, random[karpenterv1.NodePool], poolFromHub, ours.NodePoolFromHub)
	})
	t.Run("NodePool and back", func(t *testing.T) {
		compare(ctx, t, by(ctx, poolToHub), poolFromHub, ours.NodePoolFromHub)
	})
	t.Run("NodeClaim to the hub", func(t *testing.T) {
		compare(ctx, t, random[karpenterv1beta1.NodeClaim], claimToHub, ours.NodeClaimToHub)
	})
	t.Run("NodeClaim from the hub", func(t *testing.T) {
		compare(ctx, t, random[karpenterv1.NodeClaim], claimFromHub, ours.NodeClaimFromHub)
	})
	t.Run("NodeClaim and back", func(t *testing.T) {
		compare(ctx, t, by(ctx, claimToHub), claimFromHub, ours.NodeClaimFromHub)
	})
}

// convert is a conversion.
type convert[A, B any] func(ctx context.Context, src *A, dst *B) error

// compare converts random objects in both ways.
func compare[A, B any](ctx context.Context, t *testing.T, next func(*testing.T, *fuzz.Fuzzer) *A, theirs, ours convert[A, B]) {
	const objects = 500
	f := fuzzer()
	for range objects {
		object := next(t, f)
		var want, got B
		if err := ours(ctx, object, &got); err != nil { // first, because theirs shares memory with the input
			t.Fatal(err)
		}
		if err := theirs(ctx, object, &want); err != nil {
			t.Fatal(err)
		}
		plain(any(&want).(client.Object))
		plain(any(&got).(client.Object))
		if !equality.Semantic.DeepEqual(want, got) {
			t.Fatalf("karpenter's own (-) and ours (+):\n%s", cmp.Diff(want, got))
		}
	}
}

// random makes an object.
func random[A any](_ *testing.T, f *fuzz.Fuzzer) *A {
	object := new(A)
	f.Fuzz(object)
	return object
}

// by makes an object that a conversion has made of another.
func by[A, B any](ctx context.Context, c convert[A, B]) func(*testing.T, *fuzz.Fuzzer) *B {
	return func(t *testing.T, f *fuzz.Fuzzer) *B {
		object := new(B)
		if err := c(ctx, random[A](t, f), object); err != nil {
			t.Fatal(err)
		}
		return object
	}
}

// plain takes away what differs on purpose.
func plain(o client.Object) {
	o.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	delete(o.GetAnnotations(), conversion.Annotation)
	if o.GetAnnotations()[karpenterv1.NodeClassReferenceAnnotationKey] == "null" {
		delete(o.GetAnnotations(), karpenterv1.NodeClassReferenceAnnotationKey)
	}
	switch o := o.(type) {
	case *karpenterv1beta1.NodePool:
		none(&o.Spec.Template.Spec.NodeClassRef)
	case *karpenterv1.NodePool:
		none(&o.Spec.Template.Spec.NodeClassRef)
	case *karpenterv1beta1.NodeClaim:
		none(&o.Spec.NodeClassRef)
	case *karpenterv1.NodeClaim:
		none(&o.Spec.NodeClassRef)
	}
}

// none makes an empty reference none.
func none[T comparable](ref **T) {
	if *ref != nil && **ref == *new(T) {
		*ref = nil
	}
}

// fuzzer fills objects with what the API server would take: policies that there are, and durations.
func fuzzer() *fuzz.Fuzzer {
	duration := func(c fuzz.Continue) *time.Duration {
		if c.RandBool() {
			return nil
		}
		return new(time.Duration(c.Int31n(1000)) * time.Second)
	}
	return fuzz.NewWithSeed(1).NilChance(.3).NumElements(0, 3).Funcs(
		func(m *metav1.TypeMeta, _ fuzz.Continue) {},
		func(m *metav1.ObjectMeta, c fuzz.Continue) {
			m.Name = c.RandString()
			m.Labels = map[string]string{"label": c.RandString()}
			if c.RandBool() {
				m.Labels[karpenterv1.NodePoolLabelKey] = []string{"pool", "gone"}[c.Intn(2)]
			}
			if c.RandBool() {
				m.Annotations = map[string]string{"annotation": c.RandString(), karpenterv1.StoredVersionMigratedKey: "true"}
			}
		},
		func(q *resource.Quantity, c fuzz.Continue) {
			*q = *resource.NewMilliQuantity(c.Int63n(1e6), resource.DecimalSI)
		},
		func(d *metav1.Duration, c fuzz.Continue) { d.Duration = time.Duration(c.Int31n(1000)) * time.Second },
		func(d *karpenterv1beta1.NillableDuration, c fuzz.Continue) { d.Duration = duration(c) },
		func(d *karpenterv1.NillableDuration, c fuzz.Continue) { d.Duration = duration(c) },
		func(p *karpenterv1beta1.ConsolidationPolicy, c fuzz.Continue) {
			*p = []karpenterv1beta1.ConsolidationPolicy{karpenterv1beta1.ConsolidationPolicyWhenEmpty, karpenterv1beta1.ConsolidationPolicyWhenUnderutilized}[c.Intn(2)]
		},
		func(p *karpenterv1.ConsolidationPolicy, c fuzz.Continue) {
			*p = []karpenterv1.ConsolidationPolicy{karpenterv1.ConsolidationPolicyWhenEmpty, karpenterv1.ConsolidationPolicyWhenEmptyOrUnderutilized}[c.Intn(2)]
		},
		func(r *karpenterv1beta1.NodeClassReference, c fuzz.Continue) {
			r.Name, r.Kind = c.RandString(), []string{"", c.RandString()}[c.Intn(2)]
			r.APIVersion = []string{"", nodeClass.GroupVersion().String(), "karpenter.k8s.aws/v1beta1"}[c.Intn(3)]
		},
	)
}

package karpenter

import (
	"math/rand/v2"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	clientfake "sigs.k8s.io/controller-runtime/pkg/client/fake"
	karpenterv1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	karpenterv1beta1 "sigs.k8s.io/karpenter/pkg/apis/v1beta1"

	"github.com/webhook-gen/webhook-gen/hack/peers/karpenter/karpenter/v1beta1"
	"github.com/webhook-gen/webhook-gen/runtime/conversion/conversiontest"
)

// lifetime is that of the nodes of the one NodePool that the fake cluster has.
const lifetime = 30 * time.Minute

// cluster is a fake with one NodePool.
func cluster() client.Client {
	pool := &karpenterv1.NodePool{ObjectMeta: metav1.ObjectMeta{Name: "pool"}}
	pool.Spec.Template.Spec.ExpireAfter.Duration = new(lifetime)
	return clientfake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(pool).Build()
}

// nodeClass is the kind of node class that the cluster has.
var nodeClass = schema.GroupVersionKind{Group: "karpenter.test.sh", Version: "v1alpha1", Kind: "TestNodeClass"}

func TestInvariants(t *testing.T) {
	c := v1beta1.NewConverter(v1beta1.Cluster{Reader: cluster(), NodeClass: nodeClass})
	entries := []string{karpenterv1.KubeletCompatibilityAnnotationKey, karpenterv1.NodeClassReferenceAnnotationKey, karpenterv1.StoredVersionMigratedKey}
	t.Run("NodePool", func(t *testing.T) {
		conversiontest.Check(t, conversiontest.Kind[karpenterv1beta1.NodePool, karpenterv1.NodePool]{
			ToHub: c.NodePoolToHub, FromHub: c.NodePoolFromHub, Spoke: oldPool, Hub: newPool, Entries: entries,
			Kept: []string{
				"spec.disruption.budgets.reasons", "spec.disruption.consolidateAfter", "spec.disruption.consolidationPolicy", "spec.template.spec.kubelet",
				"spec.template.spec.nodeClassRef", "spec.template.spec.resources", "spec.template.spec.terminationGracePeriod",
			},
			Defaults: []string{"spec.template.spec.nodeClassRef.group", "spec.template.spec.nodeClassRef.kind"},
		})
	})
	t.Run("NodeClaim", func(t *testing.T) {
		conversiontest.Check(t, conversiontest.Kind[karpenterv1beta1.NodeClaim, karpenterv1.NodeClaim]{
			ToHub: c.NodeClaimToHub, FromHub: c.NodeClaimFromHub, Spoke: oldClaim, Hub: newClaim, Entries: entries,
			Kept:     []string{"spec.expireAfter", "spec.kubelet", "spec.nodeClassRef", "spec.terminationGracePeriod", "status.lastPodEventTime"},
			Defaults: []string{"spec.expireAfter", "spec.nodeClassRef.group", "spec.nodeClassRef.kind"},
		})
	})
}

// oldPool, newPool, oldClaim and newClaim give random objects durations that JSON can say, and policies
// and labels that mean something.

func oldPool(p *karpenterv1beta1.NodePool, r *rand.Rand) {
	d := &p.Spec.Disruption
	d.ExpireAfter = karpenterv1beta1.NillableDuration{Duration: duration(r)}
	if d.ConsolidateAfter != nil {
		d.ConsolidateAfter = &karpenterv1beta1.NillableDuration{Duration: duration(r)}
	}
	d.ConsolidationPolicy = one(r, "", karpenterv1beta1.ConsolidationPolicyWhenEmpty, karpenterv1beta1.ConsolidationPolicyWhenUnderutilized)
	reference(p.Spec.Template.Spec.NodeClassRef, r)
}

func newPool(p *karpenterv1.NodePool, r *rand.Rand) {
	p.Spec.Template.Spec.ExpireAfter = karpenterv1.NillableDuration{Duration: duration(r)}
	p.Spec.Disruption.ConsolidateAfter = karpenterv1.NillableDuration{Duration: duration(r)}
	p.Spec.Disruption.ConsolidationPolicy = one(r, "", karpenterv1.ConsolidationPolicyWhenEmpty, karpenterv1.ConsolidationPolicyWhenEmptyOrUnderutilized)
}

func oldClaim(c *karpenterv1beta1.NodeClaim, r *rand.Rand) {
	c.Labels[karpenterv1.NodePoolLabelKey] = one(r, "pool", "gone")
	reference(c.Spec.NodeClassRef, r)
}

func newClaim(c *karpenterv1.NodeClaim, r *rand.Rand) {
	c.Labels[karpenterv1.NodePoolLabelKey] = one(r, "pool", "gone")
	c.Spec.ExpireAfter = karpenterv1.NillableDuration{Duration: duration(r)}
}

func reference(ref *karpenterv1beta1.NodeClassReference, r *rand.Rand) {
	if ref != nil {
		ref.APIVersion = one(r, "", "karpenter.k8s.aws/v1beta1", "karpenter.test.sh/v1alpha1")
		ref.Kind = one(r, "", "EC2NodeClass", "TestNodeClass")
	}
}

// duration is a time, or nil for never.
func duration(r *rand.Rand) *time.Duration {
	return one(r, nil, new(time.Duration), new(lifetime), new(time.Hour))
}

func one[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

package v1beta1

import (
	"cmp"
	"context"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/apis/v1beta1"

	"github.com/webhook-gen/webhook-gen/runtime/conversion"
)

// Cluster is what the conversions read from the cluster that they run in.
type Cluster struct {
	client.Reader
	// NodeClass is the kind of node class that a reference means which does not say it.
	NodeClass schema.GroupVersionKind
}

// NodeClaimExpireAfterToHub takes the lifetime of a node from the NodePool that it belongs to.
func (c Cluster) NodeClaimExpireAfterToHub(ctx context.Context, src *v1beta1.NodeClaim, dst *v1.NodeClaim) error {
	name, ok := src.Labels[v1.NodePoolLabelKey]
	if !ok {
		return nil
	}
	var pool v1.NodePool
	err := c.Get(ctx, client.ObjectKey{Name: name}, &pool)
	dst.Spec.ExpireAfter = pool.Spec.Template.Spec.ExpireAfter
	return client.IgnoreNotFound(err)
}

// DisruptionConsolidateAfterToHub has nodes consolidated at once where v1beta1 says no time.
func (Cluster) DisruptionConsolidateAfterToHub(_ context.Context, src *v1beta1.Disruption, dst *v1.Disruption) error {
	if src.ConsolidationPolicy == v1beta1.ConsolidationPolicyWhenUnderutilized {
		dst.ConsolidateAfter.Duration = new(time.Duration)
	} else if src.ConsolidateAfter != nil {
		dst.ConsolidateAfter = v1.NillableDuration(*src.ConsolidateAfter.DeepCopy())
	}
	return nil
}

// DisruptionConsolidateAfterFromHub leaves the time out where v1beta1 must not say it.
func (Cluster) DisruptionConsolidateAfterFromHub(_ context.Context, src *v1.Disruption, dst *v1beta1.Disruption) error {
	if src.ConsolidationPolicy == v1.ConsolidationPolicyWhenEmpty || src.ConsolidationPolicy == "" && src.ConsolidateAfter.Duration != nil {
		after := v1beta1.NillableDuration(*src.ConsolidateAfter.DeepCopy())
		dst.ConsolidateAfter = &after
	}
	return nil
}

// NodePoolNodeClassRefToHub converts the reference of a NodePool's template.
func (c Cluster) NodePoolNodeClassRefToHub(_ context.Context, src *v1beta1.NodePool, dst *v1.NodePool) error {
	dst.Spec.Template.Spec.NodeClassRef = c.complete(src.Spec.Template.Spec.NodeClassRef)
	return conversion.ToEntryJSON(&dst.Annotations, v1.NodeClassReferenceAnnotationKey, src.Spec.Template.Spec.NodeClassRef)
}

// NodePoolNodeClassRefFromHub converts it back.
func (c Cluster) NodePoolNodeClassRefFromHub(_ context.Context, src *v1.NodePool, dst *v1beta1.NodePool) error {
	dst.Spec.Template.Spec.NodeClassRef = c.restore(&dst.ObjectMeta, src.Spec.Template.Spec.NodeClassRef)
	return nil
}

// NodeClaimNodeClassRefToHub converts the reference of a NodeClaim.
func (c Cluster) NodeClaimNodeClassRefToHub(_ context.Context, src *v1beta1.NodeClaim, dst *v1.NodeClaim) error {
	dst.Spec.NodeClassRef = c.complete(src.Spec.NodeClassRef)
	return conversion.ToEntryJSON(&dst.Annotations, v1.NodeClassReferenceAnnotationKey, src.Spec.NodeClassRef)
}

// NodeClaimNodeClassRefFromHub converts it back.
func (c Cluster) NodeClaimNodeClassRefFromHub(_ context.Context, src *v1.NodeClaim, dst *v1beta1.NodeClaim) error {
	dst.Spec.NodeClassRef = c.restore(&dst.ObjectMeta, src.Spec.NodeClassRef)
	return nil
}

// complete makes a reference to a node class that says its group and kind.
func (c Cluster) complete(ref *v1beta1.NodeClassReference) *v1.NodeClassReference {
	if ref == nil {
		return nil
	}
	group, _, _ := strings.Cut(ref.APIVersion, "/")
	return &v1.NodeClassReference{Name: ref.Name, Kind: cmp.Or(ref.Kind, c.NodeClass.Kind), Group: cmp.Or(group, c.NodeClass.Group)}
}

// restore makes the reference that the annotation holds, if v1 still says the same, and takes the annotation away.
func (c Cluster) restore(on *metav1.ObjectMeta, live *v1.NodeClassReference) *v1beta1.NodeClassReference {
	var said *v1beta1.NodeClassReference
	conversion.FromEntryJSON(&said, &on.Annotations, v1.NodeClassReferenceAnnotationKey)
	switch {
	case live == nil:
		return nil
	case said != nil && *c.complete(said) == *live:
		return said
	}
	return &v1beta1.NodeClassReference{Kind: live.Kind, Name: live.Name}
}

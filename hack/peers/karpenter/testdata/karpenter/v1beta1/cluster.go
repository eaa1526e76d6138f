package v1beta1

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/apis/v1beta1"
)

// Cluster is what the conversions read from the cluster that they run in.
type Cluster struct {
	// NodeClass is the kind of node class that a reference means which does not say it.
	NodeClass schema.GroupVersionKind
	// NodePool gets a NodePool by its name.
	NodePool func(ctx context.Context, name string) (*v1.NodePool, error)
}

// NodeClaimExpireAfterToHub takes the lifetime of a node from the NodePool that it belongs to.
func (c Cluster) NodeClaimExpireAfterToHub(ctx context.Context, src *v1beta1.NodeClaim, dst *v1.NodeClaim) error {
	name, ok := src.Labels[v1.NodePoolLabelKey]
	if !ok {
		return nil
	}
	pool, err := c.NodePool(ctx, name)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err == nil {
		dst.Spec.ExpireAfter = pool.Spec.Template.Spec.ExpireAfter
	}
	return err
}

// NodeClassReferenceAPIVersionToHub takes what a reference does not say from the cluster's node class.
func (c Cluster) NodeClassReferenceAPIVersionToHub(_ context.Context, src *v1beta1.NodeClassReference, dst *v1.NodeClassReference) error {
	group, _, _ := strings.Cut(src.APIVersion, "/")
	dst.Group, dst.Kind = cmp.Or(group, c.NodeClass.Group), cmp.Or(src.Kind, c.NodeClass.Kind)
	return nil
}

// NodeClassReferenceAPIVersionFromHub leaves the version to the annotation.
func (Cluster) NodeClassReferenceAPIVersionFromHub(context.Context, *v1.NodeClassReference, *v1beta1.NodeClassReference) error {
	return nil
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

// NodePoolKubeletToHub keeps the kubelet's configuration for karpenter's controllers.
func (Cluster) NodePoolKubeletToHub(_ context.Context, src *v1beta1.NodePool, dst *v1.NodePool) error {
	return annotate(&dst.ObjectMeta, &src.Spec.Template.Spec)
}

// NodePoolKubeletFromHub takes the kubelet's configuration back.
func (c Cluster) NodePoolKubeletFromHub(ctx context.Context, src *v1.NodePool, dst *v1beta1.NodePool) error {
	return c.restore(ctx, &dst.ObjectMeta, src.Spec.Template.Spec.NodeClassRef, &dst.Spec.Template.Spec)
}

// NodeClaimKubeletToHub keeps the kubelet's configuration for karpenter's controllers.
func (Cluster) NodeClaimKubeletToHub(_ context.Context, src *v1beta1.NodeClaim, dst *v1.NodeClaim) error {
	return annotate(&dst.ObjectMeta, &src.Spec)
}

// NodeClaimKubeletFromHub takes the kubelet's configuration back.
func (c Cluster) NodeClaimKubeletFromHub(ctx context.Context, src *v1.NodeClaim, dst *v1beta1.NodeClaim) error {
	return c.restore(ctx, &dst.ObjectMeta, src.Spec.NodeClassRef, &dst.Spec)
}

// annotate writes what v1 has no field for where karpenter's controllers and its own conversion look for it.
func annotate(on *metav1.ObjectMeta, spec *v1beta1.NodeClaimSpec) error {
	for key, value := range map[string]any{v1.KubeletCompatibilityAnnotationKey: spec.Kubelet, v1.NodeClassReferenceAnnotationKey: spec.NodeClassRef} {
		text, err := json.Marshal(value)
		if err != nil {
			return err
		}
		if delete(on.Annotations, key); string(text) != "null" {
			metav1.SetMetaDataAnnotation(on, key, string(text))
		}
	}
	return nil
}

// restore takes these annotations away, and from them what they say; a reference only if v1 still says the same.
func (c Cluster) restore(ctx context.Context, on *metav1.ObjectMeta, live *v1.NodeClassReference, spec *v1beta1.NodeClaimSpec) error {
	kubelet, ref := on.Annotations[v1.KubeletCompatibilityAnnotationKey], on.Annotations[v1.NodeClassReferenceAnnotationKey]
	for _, key := range []string{v1.KubeletCompatibilityAnnotationKey, v1.NodeClassReferenceAnnotationKey, v1.StoredVersionMigratedKey} {
		delete(on.Annotations, key)
	}
	var said v1beta1.NodeClassReference
	if live != nil && json.Unmarshal([]byte(ref), &said) == nil {
		again := v1.NodeClassReference{Name: said.Name}
		if err := c.NodeClassReferenceAPIVersionToHub(ctx, &said, &again); err == nil && again == *live {
			*spec.NodeClassRef = said
		}
	}
	if kubelet == "" {
		return nil
	}
	return json.Unmarshal([]byte(kubelet), &spec.Kubelet)
}

package v1

import (
	"context"

	"knative.dev/pkg/apis"

	"sigs.k8s.io/karpenter/pkg/apis/v1beta1"
)

// Conversions stand behind the methods that karpenter's tests call; they are set by the suite, because
// the package that has them imports this one.
type Conversions interface {
	NodePoolToHub(context.Context, *v1beta1.NodePool, *NodePool) error
	NodePoolFromHub(context.Context, *NodePool, *v1beta1.NodePool) error
	NodeClaimToHub(context.Context, *v1beta1.NodeClaim, *NodeClaim) error
	NodeClaimFromHub(context.Context, *NodeClaim, *v1beta1.NodeClaim) error
}

// Convert makes the conversions that read what the context holds.
var Convert func(context.Context) Conversions

// ConvertTo converts to v1beta1.
func (in *NodePool) ConvertTo(ctx context.Context, to apis.Convertible) error {
	return Convert(ctx).NodePoolFromHub(ctx, in, to.(*v1beta1.NodePool))
}

// ConvertFrom converts from v1beta1.
func (in *NodePool) ConvertFrom(ctx context.Context, from apis.Convertible) error {
	return Convert(ctx).NodePoolToHub(ctx, from.(*v1beta1.NodePool), in)
}

// ConvertTo converts to v1beta1.
func (in *NodeClaim) ConvertTo(ctx context.Context, to apis.Convertible) error {
	return Convert(ctx).NodeClaimFromHub(ctx, in, to.(*v1beta1.NodeClaim))
}

// ConvertFrom converts from v1beta1.
func (in *NodeClaim) ConvertFrom(ctx context.Context, from apis.Convertible) error {
	return Convert(ctx).NodeClaimToHub(ctx, from.(*v1beta1.NodeClaim), in)
}

package v1alpha1

import (
	"math/rand/v2"
	"testing"

	ipamv1alpha1 "sigs.k8s.io/cluster-api-ipam-provider-in-cluster/api/v1alpha1"
	ipamv1alpha2 "sigs.k8s.io/cluster-api-ipam-provider-in-cluster/api/v1alpha2"

	"github.com/webhook-gen/webhook-gen/runtime/conversion/conversiontest"
)

func newGlobalInClusterIPPoolConversion(testing.TB) conversiontest.Kind[ipamv1alpha1.GlobalInClusterIPPool, ipamv1alpha2.GlobalInClusterIPPool] {
	c := NewConverter(Hooked{})
	return conversiontest.Kind[ipamv1alpha1.GlobalInClusterIPPool, ipamv1alpha2.GlobalInClusterIPPool]{
		ToHub: c.GlobalInClusterIPPoolToHub, FromHub: c.GlobalInClusterIPPoolFromHub,
		Spoke: func(o *ipamv1alpha1.GlobalInClusterIPPool, _ *rand.Rand) { valid(&o.Spec) },
		Kept:  kept, Refused: []string{"spec.prefix"}, // v1alpha2 alone refuses negative ones
	}
}

package v1alpha1

import (
	"math/rand/v2"
	"testing"

	ipamv1alpha1 "sigs.k8s.io/cluster-api-ipam-provider-in-cluster/api/v1alpha1"
	ipamv1alpha2 "sigs.k8s.io/cluster-api-ipam-provider-in-cluster/api/v1alpha2"

	"github.com/webhook-gen/webhook-gen/runtime/conversion/conversiontest"
)

func newInClusterIPPoolConversion(testing.TB) conversiontest.Kind[ipamv1alpha1.InClusterIPPool, ipamv1alpha2.InClusterIPPool] {
	c := NewConverter(Hooked{})
	return conversiontest.Kind[ipamv1alpha1.InClusterIPPool, ipamv1alpha2.InClusterIPPool]{
		ToHub: c.InClusterIPPoolToHub, FromHub: c.InClusterIPPoolFromHub,
		Spoke: func(o *ipamv1alpha1.InClusterIPPool, _ *rand.Rand) { valid(&o.Spec) },
		Kept:  kept, Refused: []string{"spec.prefix"}, // v1alpha2 alone refuses negative ones
	}
}

// kept are the fields of which addresses are made.
var kept = []string{"spec.addresses", "spec.subnet", "spec.start", "spec.end", "spec.prefix"}

// valid makes a subnet of any text.
func valid(spec *ipamv1alpha1.InClusterIPPoolSpec) {
	if spec.Subnet != "" {
		spec.Subnet = []string{"10.0.0.0/24", "192.168.0.0/16", "fd00::/64"}[len(spec.Subnet)%3]
	}
}

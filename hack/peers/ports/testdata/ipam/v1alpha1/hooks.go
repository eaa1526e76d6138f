package v1alpha1

import (
	"cmp"
	"context"
	"net/netip"

	"go4.org/netipx"
	ipamv1alpha1 "sigs.k8s.io/cluster-api-ipam-provider-in-cluster/api/v1alpha1"
	ipamv1alpha2 "sigs.k8s.io/cluster-api-ipam-provider-in-cluster/api/v1alpha2"
)

// Hooked makes an address of a subnet or a range.
type Hooked struct{}

func (Hooked) InClusterIPPoolSpecAddressesToHub(_ context.Context, src *ipamv1alpha1.InClusterIPPoolSpec, dst *ipamv1alpha2.InClusterIPPoolSpec) error {
	dst.Addresses, dst.Prefix = append(dst.Addresses, src.Addresses...), src.Prefix
	first, last := src.First, src.Last
	if subnet, err := netip.ParsePrefix(src.Subnet); err == nil {
		addresses := netipx.RangeOfPrefix(subnet)
		first, last = cmp.Or(first, addresses.From().Next().String()), cmp.Or(last, addresses.To().Prev().String())
		dst.Prefix = cmp.Or(dst.Prefix, subnet.Bits())
	} else if src.Subnet != "" {
		return err
	}
	if first != "" && last != "" {
		dst.Addresses = append(dst.Addresses, first+"-"+last)
	}
	return nil
}

func (Hooked) InClusterIPPoolSpecAddressesFromHub(_ context.Context, src *ipamv1alpha2.InClusterIPPoolSpec, dst *ipamv1alpha1.InClusterIPPoolSpec) error {
	dst.Addresses, dst.Prefix = append(dst.Addresses, src.Addresses...), src.Prefix
	return nil
}

// Package byhand converts what package spoke converts, with functions as they are written for controller-runtime.
package byhand

import (
	"context"

	v1 "github.com/webhook-gen/webhook-gen/hack/peers/conversionreview/review/api/v1"
	"github.com/webhook-gen/webhook-gen/hack/peers/conversionreview/review/api/v1alpha1"
)

// ServerToHub converts a Server of v1alpha1 to v1.
func ServerToHub(_ context.Context, src *v1alpha1.Server, dst *v1.Server) error {
	dst.ObjectMeta = src.ObjectMeta
	dst.Spec = v1.ServerSpec{
		Flavor:         src.Spec.Flavor,
		Image:          src.Spec.ImageName,
		SSHKeyName:     src.Spec.SSHKeyName,
		ProviderID:     src.Spec.ProviderID,
		PowerState:     src.Spec.PowerState,
		Trunk:          src.Spec.Trunk,
		Ports:          portsOf(src.Spec.Networks),
		SecurityGroups: src.Spec.SecurityGroups,
		Tags:           src.Spec.Tags,
		Metadata:       src.Spec.ServerMetadata,
		BootstrapRef:   src.Spec.BootstrapRef,
		CloudsSecrets:  src.Spec.CloudsSecrets,
	}
	if v := src.Spec.RootVolume; v != nil {
		dst.Spec.RootVolume = &v1.RootVolume{SizeGiB: int32(v.DiskSize), Type: v.VolumeType, AvailabilityZone: v.AvailabilityZone}
	}
	dst.Status = v1.ServerStatus(src.Status)
	return nil
}

// ServerFromHub converts a Server of v1 to v1alpha1.
func ServerFromHub(_ context.Context, src *v1.Server, dst *v1alpha1.Server) error {
	dst.ObjectMeta = src.ObjectMeta
	dst.Spec = v1alpha1.ServerSpec{
		Flavor:         src.Spec.Flavor,
		ImageName:      src.Spec.Image,
		SSHKeyName:     src.Spec.SSHKeyName,
		ProviderID:     src.Spec.ProviderID,
		PowerState:     src.Spec.PowerState,
		Trunk:          src.Spec.Trunk,
		Networks:       networksOf(src.Spec.Ports),
		SecurityGroups: src.Spec.SecurityGroups,
		Tags:           src.Spec.Tags,
		ServerMetadata: src.Spec.Metadata,
		BootstrapRef:   src.Spec.BootstrapRef,
		CloudsSecrets:  src.Spec.CloudsSecrets,
	}
	if v := src.Spec.RootVolume; v != nil {
		dst.Spec.RootVolume = &v1alpha1.RootVolume{DiskSize: int(v.SizeGiB), VolumeType: v.Type, AvailabilityZone: v.AvailabilityZone}
	}
	dst.Status = v1alpha1.ServerStatus(src.Status)
	return nil
}

func portsOf(networks []v1alpha1.Network) []v1.Port {
	var ports []v1.Port
	for _, n := range networks {
		ports = append(ports, v1.Port{Network: n.Name, Address: n.FixedIP, Tags: n.Tags})
	}
	return ports
}

func networksOf(ports []v1.Port) []v1alpha1.Network {
	var networks []v1alpha1.Network
	for _, p := range ports {
		networks = append(networks, v1alpha1.Network{Name: p.Network, FixedIP: p.Address, Tags: p.Tags})
	}
	return networks
}

// Package v1alpha1 converts v1alpha1 to and from v1alpha2.
//
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api-ipam-provider-in-cluster/api/v1alpha1.InClusterIPPool", hub: "sigs.k8s.io/cluster-api-ipam-provider-in-cluster/api/v1alpha2.InClusterIPPool", reads: "cluster.x-k8s.io/conversion-data")
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api-ipam-provider-in-cluster/api/v1alpha1.GlobalInClusterIPPool", hub: "sigs.k8s.io/cluster-api-ipam-provider-in-cluster/api/v1alpha2.GlobalInClusterIPPool", reads: "cluster.x-k8s.io/conversion-data")
//
// A range from start to end, or a subnet, is one of the addresses of v1alpha2.
//
// +webhook:conversion:custom(of: "sigs.k8s.io/cluster-api-ipam-provider-in-cluster/api/v1alpha1.InClusterIPPoolSpec", field: "addresses;subnet;start;end;prefix", hub: "addresses;prefix")
package v1alpha1

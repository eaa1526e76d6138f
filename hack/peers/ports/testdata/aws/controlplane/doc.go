// Package controlplane converts controlplane/eks/api of v1beta1 to and from v1beta2.
//
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api-provider-aws/v2/controlplane/eks/api/v1beta1.AWSManagedControlPlane", hub: "sigs.k8s.io/cluster-api-provider-aws/v2/controlplane/eks/api/v1beta2.AWSManagedControlPlane", reads: "cluster.x-k8s.io/conversion-data")
//
// +webhook:conversion:to(of: "sigs.k8s.io/cluster-api-provider-aws/v2/controlplane/eks/api/v1beta1.AWSManagedControlPlaneSpec", field: "disableVPCCNI", path: "vpcCni.disable")
//
// Clients of v1beta1 read the value of v1beta2.
//
// +webhook:conversion:enum(of: "sigs.k8s.io/cluster-api-provider-aws/v2/controlplane/eks/api/v1beta1.Addon", field: "conflictResolution", same: "*")
// +webhook:conversion:allow(of: "sigs.k8s.io/cluster-api-provider-aws/v2/controlplane/eks/api/v1beta1.AWSManagedControlPlaneSpec", rule: "V9")="v1beta2 cannot write false for bootstrapSelfManagedAddons"
package controlplane

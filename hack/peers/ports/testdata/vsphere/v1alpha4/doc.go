// Package v1alpha4 converts v1alpha4 to and from v1beta1.
//
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api-provider-vsphere/apis/v1alpha4.VSphereCluster", hub: "sigs.k8s.io/cluster-api-provider-vsphere/apis/v1beta1.VSphereCluster", reads: "cluster.x-k8s.io/conversion-data")
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api-provider-vsphere/apis/v1alpha4.VSphereClusterIdentity", hub: "sigs.k8s.io/cluster-api-provider-vsphere/apis/v1beta1.VSphereClusterIdentity", reads: "cluster.x-k8s.io/conversion-data")
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api-provider-vsphere/apis/v1alpha4.VSphereClusterTemplate", hub: "sigs.k8s.io/cluster-api-provider-vsphere/apis/v1beta1.VSphereClusterTemplate", reads: "cluster.x-k8s.io/conversion-data")
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api-provider-vsphere/apis/v1alpha4.VSphereDeploymentZone", hub: "sigs.k8s.io/cluster-api-provider-vsphere/apis/v1beta1.VSphereDeploymentZone", reads: "cluster.x-k8s.io/conversion-data")
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api-provider-vsphere/apis/v1alpha4.VSphereFailureDomain", hub: "sigs.k8s.io/cluster-api-provider-vsphere/apis/v1beta1.VSphereFailureDomain", reads: "cluster.x-k8s.io/conversion-data")
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api-provider-vsphere/apis/v1alpha4.VSphereMachine", hub: "sigs.k8s.io/cluster-api-provider-vsphere/apis/v1beta1.VSphereMachine", reads: "cluster.x-k8s.io/conversion-data")
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api-provider-vsphere/apis/v1alpha4.VSphereMachineTemplate", hub: "sigs.k8s.io/cluster-api-provider-vsphere/apis/v1beta1.VSphereMachineTemplate", reads: "cluster.x-k8s.io/conversion-data")
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api-provider-vsphere/apis/v1alpha4.VSphereVM", hub: "sigs.k8s.io/cluster-api-provider-vsphere/apis/v1beta1.VSphereVM", reads: "cluster.x-k8s.io/conversion-data")
//
// Conditions and addresses have bounds in v1beta1, and devices have more members. No API server serves v1alpha4.
//
// +webhook:conversion:allow(rule: "V11")="no client writes this version"
// +webhook:conversion:allow(rule: "V16")="no client writes this version"
package v1alpha4

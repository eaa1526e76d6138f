// Package v1alpha3 converts v1alpha3 to and from v1beta1.
//
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api-provider-vsphere/apis/v1alpha3.VSphereCluster", hub: "sigs.k8s.io/cluster-api-provider-vsphere/apis/v1beta1.VSphereCluster", reads: "cluster.x-k8s.io/conversion-data")
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api-provider-vsphere/apis/v1alpha3.VSphereClusterIdentity", hub: "sigs.k8s.io/cluster-api-provider-vsphere/apis/v1beta1.VSphereClusterIdentity", reads: "cluster.x-k8s.io/conversion-data")
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api-provider-vsphere/apis/v1alpha3.VSphereDeploymentZone", hub: "sigs.k8s.io/cluster-api-provider-vsphere/apis/v1beta1.VSphereDeploymentZone", reads: "cluster.x-k8s.io/conversion-data")
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api-provider-vsphere/apis/v1alpha3.VSphereFailureDomain", hub: "sigs.k8s.io/cluster-api-provider-vsphere/apis/v1beta1.VSphereFailureDomain", reads: "cluster.x-k8s.io/conversion-data")
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api-provider-vsphere/apis/v1alpha3.VSphereMachine", hub: "sigs.k8s.io/cluster-api-provider-vsphere/apis/v1beta1.VSphereMachine", reads: "cluster.x-k8s.io/conversion-data")
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api-provider-vsphere/apis/v1alpha3.VSphereMachineTemplate", hub: "sigs.k8s.io/cluster-api-provider-vsphere/apis/v1beta1.VSphereMachineTemplate", reads: "cluster.x-k8s.io/conversion-data")
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api-provider-vsphere/apis/v1alpha3.VSphereVM", hub: "sigs.k8s.io/cluster-api-provider-vsphere/apis/v1beta1.VSphereVM", reads: "cluster.x-k8s.io/conversion-data")
//
// v1beta1 has no such fields.
//
// +webhook:conversion:stash(of: "sigs.k8s.io/cluster-api-provider-vsphere/apis/v1alpha3.VSphereClusterSpec", field: "insecure;cloudProviderConfiguration;loadBalancerRef")
// +webhook:conversion:stash(of: "sigs.k8s.io/cluster-api-provider-vsphere/apis/v1alpha3.ObjectMeta", field: "name;generateName;namespace;ownerReferences")
//
// Conditions and addresses have bounds in v1beta1, and devices have more members. No API server serves v1alpha3.
//
// +webhook:conversion:allow(rule: "V11")="no client writes this version"
// +webhook:conversion:allow(rule: "V16")="no client writes this version"
package v1alpha3

// Package bootstrap converts bootstrap/api of v1alpha1 to and from v1beta1.
//
// +webhook:conversion:spoke(for: "github.com/rancher/cluster-api-provider-rke2/bootstrap/api/v1alpha1.RKE2Config", hub: "github.com/rancher/cluster-api-provider-rke2/bootstrap/api/v1beta1.RKE2Config", reads: "cluster.x-k8s.io/conversion-data")
// +webhook:conversion:spoke(for: "github.com/rancher/cluster-api-provider-rke2/bootstrap/api/v1alpha1.RKE2ConfigTemplate", hub: "github.com/rancher/cluster-api-provider-rke2/bootstrap/api/v1beta1.RKE2ConfigTemplate", reads: "cluster.x-k8s.io/conversion-data")
//
// v1beta1 has no such field.
//
// +webhook:conversion:stash(of: "github.com/rancher/cluster-api-provider-rke2/bootstrap/api/v1alpha1.RKE2AgentConfig", field: "version")
package bootstrap

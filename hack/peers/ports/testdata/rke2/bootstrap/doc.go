// Package bootstrap converts bootstrap/api of v1alpha1 to and from v1beta1.
//
// +webhook:conversion:spoke(for: "github.com/rancher/cluster-api-provider-rke2/bootstrap/api/v1alpha1.RKE2Config", hub: "github.com/rancher/cluster-api-provider-rke2/bootstrap/api/v1beta1.RKE2Config", reads: "cluster.x-k8s.io/conversion-data")
// +webhook:conversion:spoke(for: "github.com/rancher/cluster-api-provider-rke2/bootstrap/api/v1alpha1.RKE2ConfigTemplate", hub: "github.com/rancher/cluster-api-provider-rke2/bootstrap/api/v1beta1.RKE2ConfigTemplate", reads: "cluster.x-k8s.io/conversion-data")
//
// v1beta1 has no such field.
//
// +webhook:conversion:stash(of: "github.com/rancher/cluster-api-provider-rke2/bootstrap/api/v1alpha1.RKE2AgentConfig", field: "version")
//
// v1beta1 alone takes the content of a file from a ConfigMap.
//
// +webhook:conversion:allow(of: "github.com/rancher/cluster-api-provider-rke2/bootstrap/api/v1alpha1.RKE2ConfigSpec", field: "files", rule: "V16")="a changed file has its own content"
package bootstrap

// Package bootstrap converts bootstrap/eks/api of v1beta1 to and from v1beta2.
//
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api-provider-aws/v2/bootstrap/eks/api/v1beta1.EKSConfig", hub: "sigs.k8s.io/cluster-api-provider-aws/v2/bootstrap/eks/api/v1beta2.EKSConfig", reads: "cluster.x-k8s.io/conversion-data")
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api-provider-aws/v2/bootstrap/eks/api/v1beta1.EKSConfigTemplate", hub: "sigs.k8s.io/cluster-api-provider-aws/v2/bootstrap/eks/api/v1beta2.EKSConfigTemplate", reads: "cluster.x-k8s.io/conversion-data")
package bootstrap

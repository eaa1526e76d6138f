// Package pools converts exp/api of v1beta1 to and from v1beta2.
//
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api-provider-aws/v2/exp/api/v1beta1.AWSMachinePool", hub: "sigs.k8s.io/cluster-api-provider-aws/v2/exp/api/v1beta2.AWSMachinePool", reads: "cluster.x-k8s.io/conversion-data")
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api-provider-aws/v2/exp/api/v1beta1.AWSManagedMachinePool", hub: "sigs.k8s.io/cluster-api-provider-aws/v2/exp/api/v1beta2.AWSManagedMachinePool", reads: "cluster.x-k8s.io/conversion-data")
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api-provider-aws/v2/exp/api/v1beta1.AWSFargateProfile", hub: "sigs.k8s.io/cluster-api-provider-aws/v2/exp/api/v1beta2.AWSFargateProfile", reads: "cluster.x-k8s.io/conversion-data")
//
// +webhook:conversion:to(of: "sigs.k8s.io/cluster-api-provider-aws/v2/exp/api/v1beta1.UpdateConfig", field: "maxUnavailablePrecentage", path: "maxUnavailablePercentage")
//
// Clients of v1beta1 read the values of v1beta2.
//
// +webhook:conversion:enum(of: "sigs.k8s.io/cluster-api-provider-aws/v2/exp/api/v1beta1.AWSManagedMachinePoolSpec", field: "amiType", same: "*")
// +webhook:conversion:enum(of: "sigs.k8s.io/cluster-api-provider-aws/v2/exp/api/v1beta1.InstancesDistribution", field: "onDemandAllocationStrategy", same: "*")
// +webhook:conversion:enum(of: "sigs.k8s.io/cluster-api-provider-aws/v2/exp/api/v1beta1.InstancesDistribution", field: "spotAllocationStrategy", same: "*")
package pools

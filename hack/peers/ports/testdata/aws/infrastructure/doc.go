// Package infrastructure converts api of v1beta1 to and from v1beta2.
//
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta1.AWSCluster", hub: "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta2.AWSCluster", reads: "cluster.x-k8s.io/conversion-data")
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta1.AWSClusterTemplate", hub: "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta2.AWSClusterTemplate", reads: "cluster.x-k8s.io/conversion-data")
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta1.AWSMachine", hub: "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta2.AWSMachine", reads: "cluster.x-k8s.io/conversion-data")
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta1.AWSMachineTemplate", hub: "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta2.AWSMachineTemplate", reads: "cluster.x-k8s.io/conversion-data")
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta1.AWSClusterStaticIdentity", hub: "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta2.AWSClusterStaticIdentity", reads: "cluster.x-k8s.io/conversion-data")
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta1.AWSClusterRoleIdentity", hub: "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta2.AWSClusterRoleIdentity", reads: "cluster.x-k8s.io/conversion-data")
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta1.AWSClusterControllerIdentity", hub: "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta2.AWSClusterControllerIdentity", reads: "cluster.x-k8s.io/conversion-data")
//
// v1beta2 has no such fields.
//
// +webhook:conversion:stash(of: "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta1.AWSMachineSpec", field: "failureDomain")
// +webhook:conversion:stash(of: "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta1.AWSResourceReference", field: "arn")
//
// Clients of v1beta1 read the values of v1beta2.
//
// +webhook:conversion:enum(of: "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta1.Ignition", field: "version", same: "*")
// +webhook:conversion:enum(of: "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta1.AMIReference", field: "eksLookupType", same: "*")
//
// The Enums of v1beta2 are newer.
//
// +webhook:conversion:allow(of: "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta1.AWSLoadBalancerSpec", field: "healthCheckProtocol", rule: "V11")="AWS refuses other protocols"
// +webhook:conversion:allow(of: "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta1.IngressRule", field: "protocol", rule: "V11")="AWS has no other protocols"
//
// Subnets have keys in v1beta2.
//
// +webhook:conversion:allow(of: "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta1.NetworkSpec", field: "subnets", rule: "V11")="AWS has no two subnets of one id"
//
// A changed element is another one, and so is its ARN.
//
// +webhook:conversion:allow(of: "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta1.AWSMachineSpec", field: "additionalSecurityGroups", rule: "V16")="arn has no function"
// +webhook:conversion:allow(of: "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta1.SecurityGroup", field: "ingressRule", rule: "V16")="a changed rule is another rule"
// +webhook:conversion:allow(of: "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta1.Ignition", field: "version", rule: "V15")="v1beta2 means the same by no version"
package infrastructure

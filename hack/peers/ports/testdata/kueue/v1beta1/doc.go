// Package v1beta1 converts v1beta1 to and from v1beta2.
//
// +webhook:conversion:spoke(for: "sigs.k8s.io/kueue/apis/kueue/v1beta1.AdmissionCheck", hub: "sigs.k8s.io/kueue/apis/kueue/v1beta2.AdmissionCheck")
// +webhook:conversion:spoke(for: "sigs.k8s.io/kueue/apis/kueue/v1beta1.ClusterQueue", hub: "sigs.k8s.io/kueue/apis/kueue/v1beta2.ClusterQueue")
// +webhook:conversion:spoke(for: "sigs.k8s.io/kueue/apis/kueue/v1beta1.Cohort", hub: "sigs.k8s.io/kueue/apis/kueue/v1beta2.Cohort")
// +webhook:conversion:spoke(for: "sigs.k8s.io/kueue/apis/kueue/v1beta1.LocalQueue", hub: "sigs.k8s.io/kueue/apis/kueue/v1beta2.LocalQueue")
// +webhook:conversion:spoke(for: "sigs.k8s.io/kueue/apis/kueue/v1beta1.MultiKueueCluster", hub: "sigs.k8s.io/kueue/apis/kueue/v1beta2.MultiKueueCluster")
// +webhook:conversion:spoke(for: "sigs.k8s.io/kueue/apis/kueue/v1beta1.MultiKueueConfig", hub: "sigs.k8s.io/kueue/apis/kueue/v1beta2.MultiKueueConfig")
// +webhook:conversion:spoke(for: "sigs.k8s.io/kueue/apis/kueue/v1beta1.ProvisioningRequestConfig", hub: "sigs.k8s.io/kueue/apis/kueue/v1beta2.ProvisioningRequestConfig")
// +webhook:conversion:spoke(for: "sigs.k8s.io/kueue/apis/kueue/v1beta1.ResourceFlavor", hub: "sigs.k8s.io/kueue/apis/kueue/v1beta2.ResourceFlavor")
// +webhook:conversion:spoke(for: "sigs.k8s.io/kueue/apis/kueue/v1beta1.Topology", hub: "sigs.k8s.io/kueue/apis/kueue/v1beta2.Topology")
// +webhook:conversion:spoke(for: "sigs.k8s.io/kueue/apis/kueue/v1beta1.Workload", hub: "sigs.k8s.io/kueue/apis/kueue/v1beta2.Workload")
// +webhook:conversion:spoke(for: "sigs.k8s.io/kueue/apis/kueue/v1beta1.WorkloadPriorityClass", hub: "sigs.k8s.io/kueue/apis/kueue/v1beta2.WorkloadPriorityClass")
package v1beta1

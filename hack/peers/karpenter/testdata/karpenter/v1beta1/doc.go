// Package v1beta1 converts karpenter's types of v1beta1 to and from v1.
//
// +webhook:conversion:spoke(for: "sigs.k8s.io/karpenter/pkg/apis/v1beta1.NodePool", hub: "sigs.k8s.io/karpenter/pkg/apis/v1.NodePool")
// +webhook:conversion:spoke(for: "sigs.k8s.io/karpenter/pkg/apis/v1beta1.NodeClaim", hub: "sigs.k8s.io/karpenter/pkg/apis/v1.NodeClaim")
// +webhook:conversion:alike(of: "sigs.k8s.io/karpenter/pkg/apis/v1beta1.NillableDuration")
// +webhook:conversion:to(field: "disruption.expireAfter", path: "template.spec.expireAfter")
// +webhook:conversion:enum(field: "consolidationPolicy", from: "WhenUnderutilized", to: "WhenEmptyOrUnderutilized")
// +webhook:conversion:custom(field: "consolidateAfter")
// +webhook:conversion:custom(of: "sigs.k8s.io/karpenter/pkg/apis/v1beta1.NodePool", field: "spec.template.spec.nodeClassRef")
// +webhook:conversion:custom(of: "sigs.k8s.io/karpenter/pkg/apis/v1beta1.NodeClaim", field: "spec.nodeClassRef")
// +webhook:conversion:custom(of: "sigs.k8s.io/karpenter/pkg/apis/v1beta1.NodeClaim", hub: "spec.expireAfter")
// +webhook:conversion:to(of: "sigs.k8s.io/karpenter/pkg/apis/v1beta1.NodePool", field: "spec.template.spec.kubelet", path: "metadata.annotations[compatibility.karpenter.sh/v1beta1-kubelet-conversion]", as: "json")
// +webhook:conversion:to(of: "sigs.k8s.io/karpenter/pkg/apis/v1beta1.NodeClaim", field: "spec.kubelet", path: "metadata.annotations[compatibility.karpenter.sh/v1beta1-kubelet-conversion]", as: "json")
// +webhook:conversion:stash(of: "sigs.k8s.io/karpenter/pkg/apis/v1beta1.NodeClaimTemplate", field: "spec.resources")
// +webhook:conversion:drop(of: "sigs.k8s.io/karpenter/pkg/apis/v1beta1.NodePool", hub: "metadata.annotations[karpenter.sh/stored-version-migrated]")="v1 sets it again"
// +webhook:conversion:drop(of: "sigs.k8s.io/karpenter/pkg/apis/v1beta1.NodeClaim", hub: "metadata.annotations[karpenter.sh/stored-version-migrated]")="v1 sets it again"
package v1beta1

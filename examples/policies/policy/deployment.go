package policy

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Workload is what Deployments, StatefulSets and DaemonSets have in common as far as this policy
// looks at it. Nothing else of them is decoded.
//
// +webhook:validating(for: "apps/v1/Deployment", operations: "create;update")
// +webhook:rule(resources: "statefulsets;daemonsets")
type Workload struct {
	metav1.ObjectMeta `json:"metadata"`

	Spec struct {
		Replicas *int32 `json:"replicas"`
	} `json:"spec"`
}

// ScalePolicy limits replicas, also where they are set through the scale subresource.
//
// +webhook:validating(for: "apps/v1/Deployment", subresource: scale, operations: "update", matchPolicy: Exact)
// +webhook:rule(resources: "statefulsets", subresource: scale)
type ScalePolicy struct{}

// NamespacePolicy is.
//
// +webhook:validating(for: "v1/Namespace", operations: "delete", decode: none)
type NamespacePolicy struct{}

// ExecPolicy is.
//
// +webhook:validating(for: "v1/Pod", subresource: exec, operations: "connect")
type ExecPolicy struct{}

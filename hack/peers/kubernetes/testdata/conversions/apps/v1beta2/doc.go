// Package v1beta2 converts apps/v1beta2 to and from apps/v1, and its Scale to and from that of autoscaling/v1.
//
// +webhook:conversion:spoke(for: "k8s.io/api/apps/v1beta2.DaemonSet", hub: "k8s.io/api/apps/v1.DaemonSet")
// +webhook:conversion:spoke(for: "k8s.io/api/apps/v1beta2.Deployment", hub: "k8s.io/api/apps/v1.Deployment")
// +webhook:conversion:spoke(for: "k8s.io/api/apps/v1beta2.ReplicaSet", hub: "k8s.io/api/apps/v1.ReplicaSet")
// +webhook:conversion:spoke(for: "k8s.io/api/apps/v1beta2.StatefulSet", hub: "k8s.io/api/apps/v1.StatefulSet")
// +webhook:conversion:spoke(for: "k8s.io/api/apps/v1beta2.ControllerRevision", hub: "k8s.io/api/apps/v1.ControllerRevision")
// +webhook:conversion:spoke(for: "k8s.io/api/apps/v1beta2.Scale", hub: "k8s.io/api/autoscaling/v1.Scale")
// +webhook:conversion:custom(of: "k8s.io/api/apps/v1beta2.ScaleStatus", type: "k8s.io/api/autoscaling/v1.ScaleStatus")
// +webhook:conversion:enum(of: "k8s.io/api/apps/v1beta2.StatefulSetUpdateStrategy", field: "type", from: "Recreate", to: "Recreate")
package v1beta2

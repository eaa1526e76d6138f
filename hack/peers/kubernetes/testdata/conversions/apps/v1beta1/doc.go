// Package v1beta1 converts apps/v1beta1 to and from apps/v1, and its Scale to and from that of autoscaling/v1.
//
// +webhook:conversion:spoke(for: "k8s.io/api/apps/v1beta1.Deployment", hub: "k8s.io/api/apps/v1.Deployment")
// +webhook:conversion:spoke(for: "k8s.io/api/apps/v1beta1.StatefulSet", hub: "k8s.io/api/apps/v1.StatefulSet")
// +webhook:conversion:spoke(for: "k8s.io/api/apps/v1beta1.ControllerRevision", hub: "k8s.io/api/apps/v1.ControllerRevision")
// +webhook:conversion:spoke(for: "k8s.io/api/apps/v1beta1.Scale", hub: "k8s.io/api/autoscaling/v1.Scale")
// +webhook:conversion:stash(field: "rollbackTo")
// +webhook:conversion:custom(of: "k8s.io/api/apps/v1beta1.ScaleStatus", type: "k8s.io/api/autoscaling/v1.ScaleStatus")
// +webhook:conversion:enum(of: "k8s.io/api/apps/v1beta1.StatefulSetUpdateStrategy", field: "type", from: "Recreate", to: "Recreate")
package v1beta1

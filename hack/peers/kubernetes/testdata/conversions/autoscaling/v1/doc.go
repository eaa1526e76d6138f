// Package v1 converts autoscaling/v1 to and from autoscaling/v2.
//
// +webhook:conversion:spoke(for: "k8s.io/api/autoscaling/v1.HorizontalPodAutoscaler", hub: "k8s.io/api/autoscaling/v2.HorizontalPodAutoscaler")
// +webhook:conversion:to(of: "k8s.io/api/autoscaling/v1.HorizontalPodAutoscalerSpec", field: "targetCPUUtilizationPercentage", path: "metrics",
// as: "element:type=Resource,resource.name=cpu,resource.target.type=Utilization;wrap:resource.target.averageUtilization")
// +webhook:conversion:to(of: "k8s.io/api/autoscaling/v1.HorizontalPodAutoscalerStatus", field: "currentCPUUtilizationPercentage", path: "currentMetrics",
// as: "element:type=Resource,resource.name=cpu;wrap:resource.current.averageUtilization")
package v1

// Package v1beta1 converts Cluster API's core types of v1beta1 to and from v1beta2.
//
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api/api/core/v1beta1.Cluster", hub: "sigs.k8s.io/cluster-api/api/core/v1beta2.Cluster", reads: "cluster.x-k8s.io/conversion-data")
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api/api/core/v1beta1.ClusterClass", hub: "sigs.k8s.io/cluster-api/api/core/v1beta2.ClusterClass", reads: "cluster.x-k8s.io/conversion-data")
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api/api/core/v1beta1.Machine", hub: "sigs.k8s.io/cluster-api/api/core/v1beta2.Machine", reads: "cluster.x-k8s.io/conversion-data")
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api/api/core/v1beta1.MachineSet", hub: "sigs.k8s.io/cluster-api/api/core/v1beta2.MachineSet")
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api/api/core/v1beta1.MachineDeployment", hub: "sigs.k8s.io/cluster-api/api/core/v1beta2.MachineDeployment", reads: "cluster.x-k8s.io/conversion-data")
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api/api/core/v1beta1.MachinePool", hub: "sigs.k8s.io/cluster-api/api/core/v1beta2.MachinePool", reads: "cluster.x-k8s.io/conversion-data")
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api/api/core/v1beta1.MachineHealthCheck", hub: "sigs.k8s.io/cluster-api/api/core/v1beta2.MachineHealthCheck", reads: "cluster.x-k8s.io/conversion-data")
// +webhook:conversion:spoke(for: "sigs.k8s.io/cluster-api/api/core/v1beta1.MachineDrainRule", hub: "sigs.k8s.io/cluster-api/api/core/v1beta2.MachineDrainRule")
//
// References to other objects lose what the hub finds out for itself: hooks.go.
//
// +webhook:conversion:custom(of: "k8s.io/api/core/v1.ObjectReference", type: "sigs.k8s.io/cluster-api/api/core/v1beta2.ContractVersionedObjectReference")
// +webhook:conversion:custom(of: "k8s.io/api/core/v1.ObjectReference", type: "sigs.k8s.io/cluster-api/api/core/v1beta2.ClusterClassTemplateReference")
// +webhook:conversion:custom(of: "k8s.io/api/core/v1.ObjectReference", type: "sigs.k8s.io/cluster-api/api/core/v1beta2.MachineHealthCheckRemediationTemplateReference")
// +webhook:conversion:custom(of: "k8s.io/api/core/v1.ObjectReference", type: "sigs.k8s.io/cluster-api/api/core/v1beta2.MachineNodeReference")
// +webhook:conversion:to(field: "ref", path: "templateRef")
//
// What a status said in v1beta1 is deprecated in v1beta2, whose own fields v1beta1 has apart.
//
// +webhook:conversion:to(field: "conditions;failureReason;failureMessage;readyReplicas;availableReplicas;unavailableReplicas;updatedReplicas;fullyLabeledReplicas", path: "deprecated.v1beta1.*")
// +webhook:conversion:to(field: "v1beta2.*", path: "*")
// +webhook:conversion:to(field: "bootstrapReady", path: "initialization.bootstrapDataSecretCreated", as: "optional")
// +webhook:conversion:to(field: "infrastructureReady", path: "initialization.infrastructureProvisioned", as: "optional")
// +webhook:conversion:to(field: "controlPlaneReady", path: "initialization.controlPlaneInitialized", as: "optional")
//
// Timeouts are whole seconds.
//
// +webhook:conversion:to(field: "nodeDrainTimeout", path: "deletion.nodeDrainTimeoutSeconds", as: "seconds")
// +webhook:conversion:to(field: "nodeVolumeDetachTimeout", path: "deletion.nodeVolumeDetachTimeoutSeconds", as: "seconds")
// +webhook:conversion:to(field: "nodeDeletionTimeout", path: "deletion.nodeDeletionTimeoutSeconds", as: "seconds")
// +webhook:conversion:to(field: "timeout", path: "timeoutSeconds", as: "pointer;seconds")
//
// Health checks.
//
// +webhook:conversion:to(field: "machineHealthCheck", path: "healthCheck")
// +webhook:conversion:to(field: "enable", path: "enabled")
// +webhook:conversion:to(field: "unhealthyConditions", path: "checks.unhealthyNodeConditions")
// +webhook:conversion:to(field: "unhealthyMachineConditions", path: "checks.unhealthyMachineConditions")
// +webhook:conversion:to(field: "nodeStartupTimeout", path: "checks.nodeStartupTimeoutSeconds", as: "seconds")
// +webhook:conversion:to(field: "maxUnhealthy", path: "remediation.triggerIf.unhealthyLessThanOrEqualTo")
// +webhook:conversion:to(field: "unhealthyRange", path: "remediation.triggerIf.unhealthyInRange")
// +webhook:conversion:to(field: "remediationTemplate", path: "remediation.templateRef")
// +webhook:conversion:to(of: "sigs.k8s.io/cluster-api/api/core/v1beta1.MachineHealthCheckStatus", field: "expectedMachines;currentHealthy;remediationsAllowed", as: "optional")
//
// Rollout and deletion.
//
// +webhook:conversion:to(field: "strategy", path: "rollout.strategy")
// +webhook:conversion:to(field: "strategy.rollingUpdate.deletePolicy", path: "deletion.order")
// +webhook:conversion:to(field: "strategy.remediation.maxInFlight", path: "healthCheck.remediation.maxInFlight")
// +webhook:conversion:to(field: "strategy.remediation.maxInFlight", path: "remediation.maxInFlight")
// +webhook:conversion:to(field: "rolloutAfter", path: "rollout.after")
// +webhook:conversion:to(field: "deletePolicy", path: "deletion.order")
// +webhook:conversion:to(field: "minReadySeconds", path: "template.spec.minReadySeconds")
// +webhook:conversion:to(of: "sigs.k8s.io/cluster-api/api/core/v1beta1.FailureDomainSpec", field: "controlPlane", as: "pointer")
// +webhook:conversion:to(of: "sigs.k8s.io/cluster-api/api/core/v1beta1.MachineSetStatus", field: "replicas", as: "pointer")
// +webhook:conversion:to(of: "sigs.k8s.io/cluster-api/api/core/v1beta1.MachineDeploymentStatus", field: "replicas", as: "pointer")
// +webhook:conversion:to(of: "sigs.k8s.io/cluster-api/api/core/v1beta1.MachinePoolStatus", field: "replicas", as: "pointer")
//
// Names.
//
// +webhook:conversion:to(field: "namingStrategy", path: "naming")
// +webhook:conversion:to(field: "machineNamingStrategy", path: "machineNaming")
// +webhook:conversion:to(field: "infrastructureNamingStrategy", path: "infrastructure.naming")
// +webhook:conversion:to(of: "sigs.k8s.io/cluster-api/api/core/v1beta1.Topology", field: "class", path: "classRef.name")
// +webhook:conversion:to(field: "classNamespace", path: "classRef.namespace")
//
// Classes.
//
// +webhook:conversion:to(of: "sigs.k8s.io/cluster-api/api/core/v1beta1.MachineDeploymentClass", field: "template.*", path: "*")
// +webhook:conversion:to(of: "sigs.k8s.io/cluster-api/api/core/v1beta1.MachinePoolClass", field: "template.*", path: "*")
// +webhook:conversion:to(field: "metadata", path: "deprecatedV1Beta1Metadata")
// +webhook:conversion:to(field: "generateExtension", path: "generatePatchesExtension")
// +webhook:conversion:to(field: "validateExtension", path: "validateTopologyExtension")
// +webhook:conversion:to(of: "sigs.k8s.io/cluster-api/api/core/v1beta1.ClusterClassVariable", field: "required", as: "pointer")
// +webhook:conversion:to(of: "sigs.k8s.io/cluster-api/api/core/v1beta1.ClusterClassStatusVariableDefinition", field: "required", as: "pointer")
// +webhook:conversion:to(field: "definitionsConflict", as: "optional")
//
// Single fields.
//
// +webhook:conversion:to(of: "sigs.k8s.io/cluster-api/api/core/v1beta1.ClusterStatus", field: "failureDomains", as: "keyed:name")
// +webhook:conversion:enum(of: "sigs.k8s.io/cluster-api/api/core/v1beta1.MachineStatus", field: "phase", from: "Running", to: "Running")
// +webhook:conversion:enum(of: "sigs.k8s.io/cluster-api/api/core/v1beta1.MachineStatus", field: "phase", from: "Running", to: "Updating")
// +webhook:conversion:drop(of: "sigs.k8s.io/cluster-api/api/core/v1beta1.MachineDeploymentSpec", field: "progressDeadlineSeconds;revisionHistoryLimit")="nothing ever read them"
// +webhook:conversion:drop(of: "sigs.k8s.io/cluster-api/api/core/v1beta1.Topology", field: "rolloutAfter")="nothing ever read it"
// +webhook:conversion:drop(field: "definitionFrom")="v1beta1 itself no longer takes it"
package v1beta1

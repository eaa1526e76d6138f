package policy

// DeploymentPolicy limits what a rollout may ask for.
//
// +webhook:validating(for: "apps/v1/Deployment", operations: "create;update")
// +webhook:rule(groups: "apps", versions: "v1", resources: "statefulsets;daemonsets")
type DeploymentPolicy struct{}

// ScalePolicy limits replicas, also where they are set through the scale subresource.
//
// +webhook:validating(for: "apps/v1/Deployment", subresource: scale, operations: "update", matchPolicy: Exact)
type ScalePolicy struct{}

package policies

// Wide is called for Secrets as for ConfigMaps, and for Deployments too, but only when they are replaced.
//
// +webhook:validating(for: "v1/ConfigMap", name: wide, operations: "create", decode: none)
// +webhook:rule(resources: "secrets")
// +webhook:rule(webhook: wide, groups: "apps", versions: "v1", resources: "deployments", operations: "update")
// +webhook:rule(groups: "fleet.example.com", versions: "v1", resources: "fleets", subresource: scale, operations: "update", scope: Namespaced)
type Wide struct{ bystander }

package policy

// PodPolicy wants every container image to come from our registry, and labels pods with
// the team that their namespace names.
//
// +webhook:mutating(for: "v1/Pod", operations: "create", order: -10)
// +webhook:validating(for: "v1/Pod", operations: "create;update")
type PodPolicy struct{}

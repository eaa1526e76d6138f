// SPDX-License-Identifier: Apache-2.0

package arguments

// Clusterwide is called for every resource of the group without a namespace.
//
// +webhook:validating(for: "github.com/webhook-gen/webhook-gen/integration/api/v1.Harbour", name: clusterwide, operations: "create", decode: none,
// resources: "*", scope: Cluster)
type Clusterwide struct{ bystander }

// Namespaced is called for every resource of the group with a namespace.
//
// +webhook:validating(for: "github.com/webhook-gen/webhook-gen/integration/api/v1.Harbour", name: namespaced, operations: "create", decode: none,
// resources: "*", scope: Namespaced)
type Namespaced struct{ bystander }

// Anywhere is called for both.
//
// +webhook:validating(for: "github.com/webhook-gen/webhook-gen/integration/api/v1.Harbour", name: anywhere, operations: "create", decode: none,
// resources: "*", scope: "*")
type Anywhere struct{ bystander }

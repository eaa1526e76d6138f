// SPDX-License-Identifier: Apache-2.0

// Package policies has an admission policy for every argument of their markers. Each holds in namespaces that a test
// labels for it.
//
// +webhook:policy:validating(name: "everything.policies.integration.example.com", groups: "*", versions: "*", resources: "*/*", scope: Namespaced,
//
//	operations: "*", namespaceSelector: "policies=everything")
//
// +webhook:policy:validation(message: "everything is refused")="false"
// +webhook:policy:exclude(groups: "core", versions: "v1", resources: "configmaps", operations: "create")
// +webhook:policy:exclude(groups: "apps", versions: "v1", resources: "deployments", operations: "create")
// +webhook:policy:exclude(groups: "apps", versions: "v1", resources: "deployments", subresource: "scale", scope: Namespaced,
//
//	operations: "update", resourceNames: "scaled")
package policies

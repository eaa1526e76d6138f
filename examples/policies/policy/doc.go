// SPDX-License-Identifier: Apache-2.0

// Package policy holds what this cluster asks of core objects. Each file is one policy: its markers, its settings, and
// what it decides.
//
// Namespaces are named after a team and a stage, such as shop-prod.
//
// +webhook:defaults(failurePolicy: Ignore, timeoutSeconds: 3,
// namespaceSelector: "policies.example.com/exempt!=true")
// +webhook:service(name: "policies", namespace: "policy-system", port: 8443)
// +webhook:configuration(name: "policies.example.com", labels: "app.kubernetes.io/name=policies")
package policy

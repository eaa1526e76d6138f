// SPDX-License-Identifier: Apache-2.0

// Package webhook holds what this cluster asks of core objects. Each file is one webhook: its markers, its settings,
// and what it decides.
//
// Namespaces are named after a team and a stage, such as shop-prod.
//
// +webhook:defaults(failurePolicy: Ignore, timeoutSeconds: 3,
// namespaceSelector: "builtin.example.com/exempt!=true")
// +webhook:service(name: "builtin", namespace: "builtin-system", port: 8443)
// +webhook:configuration(name: "builtin.example.com", labels: "app.kubernetes.io/name=builtin")
package webhook

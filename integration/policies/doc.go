// SPDX-License-Identifier: Apache-2.0

// Package policies holds webhooks that differ from one another in one argument of their marker, so that a test sees what
// the argument does: the one is called, or called otherwise, where the other is not.
//
// Those that only look match every ConfigMap or Fleet there is, but in namespaces where many are made. Those that change or
// deny something match by a label.
//
// +webhook:service(name: "webhooks", namespace: "integration-system", port: 8443)
// +webhook:defaults(namespaceSelector: "crowded!=yes")
// +webhook:validating(name: "events.policies.integration.example.com", path: "/events", operations: "create", matchPolicy: Exact,
// groups: "events.k8s.io", versions: "v1", resources: "events")
package policies

// EventsPath is the path of the webhook that the package's own marker declares, and which has no generated handler.
const EventsPath = "/events"

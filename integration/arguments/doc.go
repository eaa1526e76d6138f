// SPDX-License-Identifier: Apache-2.0

// Package arguments has webhooks that differ from one another in one argument of their marker. So a test sees the
// effect of the argument: the API server calls the one, or calls it otherwise, and does not call the other.
//
// Webhooks that only look match every ConfigMap or Fleet, except in crowded namespaces. Webhooks that change or deny an
// object match by a label.
//
// +webhook:service(name: "webhooks", namespace: "integration-system", port: 8443)
// +webhook:defaults(namespaceSelector: "crowded!=yes")
// +webhook:validating(name: "events.arguments.integration.example.com", path: "/events", operations: "create", matchPolicy: Exact,
// groups: "events.k8s.io", versions: "v1", resources: "events")
package arguments

// EventsPath is the path of the webhook that the package's own marker declares, and which has no generated handler.
const EventsPath = "/events"

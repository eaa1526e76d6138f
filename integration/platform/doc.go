// SPDX-License-Identifier: Apache-2.0

// Package platform sets by defaults what package arguments sets webhook by webhook, and has configurations of its own.
//
// +webhook:defaults(operations: "create", failurePolicy: Ignore, matchPolicy: Exact, sideEffects: NoneOnDryRun,
// timeoutSeconds: 7, admissionReviewVersions: "v1beta1", namespaceSelector: "platform=yes",
// objectSelector: "tier=one", reinvocationPolicy: IfNeeded,
// service: "integration-system/annex:9443", configuration: "platform")
// +webhook:configuration(name: "platform", labels: "team=platform", annotations: "example.com/page=https://platform.example.com")
// +webhook:configuration(kind: validating, name: "platform-special", labels: "team=special")
package platform

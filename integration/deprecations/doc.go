// SPDX-License-Identifier: Apache-2.0

// Package deprecations has kinds with deprecated fields and values.
//
// +groupName=deprecation.example.com
// +versionName=v1
// +webhook:service(name: "webhooks", namespace: "integration-system", port: 8443)
package deprecations

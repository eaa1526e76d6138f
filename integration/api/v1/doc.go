// SPDX-License-Identifier: Apache-2.0

// Package v1 holds the kinds of the suite as they are stored, and as other versions are converted to and from.
//
// +groupName=fleet.example.com
// +versionName=v1
// +webhook:service(name: "webhooks", namespace: "integration-system", port: 8443)
package v1

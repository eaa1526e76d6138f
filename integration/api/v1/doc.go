// SPDX-License-Identifier: Apache-2.0

// Package v1 has the kinds of the suite. The API server stores them in v1, and other versions convert to and from v1.
//
// +groupName=fleet.example.com
// +versionName=v1
// +webhook:service(name: "webhooks", namespace: "integration-system", port: 8443)
package v1

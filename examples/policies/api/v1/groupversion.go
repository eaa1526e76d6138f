// SPDX-License-Identifier: Apache-2.0

// Package v1 is the API of caches, in version v1.
//
// +groupName=caches.example.com
// +versionName=v1
package v1

// SPDX-License-Identifier: Apache-2.0

// Package v1beta1 holds Fleet as it was before docking had an object of its own.
//
// +groupName=fleet.example.com
// +versionName=v1beta1
package v1beta1

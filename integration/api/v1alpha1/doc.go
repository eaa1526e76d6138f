// SPDX-License-Identifier: Apache-2.0

// Package v1alpha1 holds Fleet as it was at first.
//
// +groupName=fleet.example.com
// +versionName=v1alpha1
package v1alpha1

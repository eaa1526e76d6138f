// SPDX-License-Identifier: Apache-2.0

// Package v1 holds CronJob as it is stored, and as the other version is converted to and from.
//
// +groupName=batch.tutorial.kubebuilder.io
// +versionName=v1
package v1

// SPDX-License-Identifier: Apache-2.0

// Package v2 holds CronJob with a schedule in parts.
//
// +groupName=batch.tutorial.kubebuilder.io
// +versionName=v2
package v2

// SPDX-License-Identifier: Apache-2.0

// Package delivery pins helm and kustomize and tests a project of webhook-gen from the empty folder to what a cluster
// is given.
package delivery

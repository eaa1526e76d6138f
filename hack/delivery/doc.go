// SPDX-License-Identifier: Apache-2.0

// Package delivery pins helm and kustomize. It tests a project of webhook-gen from the empty folder to the objects in a
// cluster.
package delivery

// SPDX-License-Identifier: Apache-2.0

// Package floor tests the runtime where it runs: as a module, from the oldest Go and k8s.io/* that are promised to the
// newest, and as the copy that webhook-gen writes into a project with handlers.runtime: vendor.
package floor

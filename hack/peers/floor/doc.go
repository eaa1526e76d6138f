// SPDX-License-Identifier: Apache-2.0

// Package floor tests the runtime where it runs: as a module, with newer versions of Go and k8s.io/* than its go.mod
// names, and as the copy that webhook-gen writes into a project with handlers.runtime: vendor.
package floor

// SPDX-License-Identifier: Apache-2.0

// Package floor tests the runtime with newer versions of Go and k8s.io/* than its go.mod names.
package floor

// SPDX-License-Identifier: Apache-2.0

// Package kubebuilder is an example: a project as kubebuilder lays it out, with kubebuilder's markers and
// controller-runtime's handlers, in which webhook-gen writes the manifest in place of `controller-gen webhook`. The
// manifest is the same to the byte.
package kubebuilder

//go:generate webhook-gen

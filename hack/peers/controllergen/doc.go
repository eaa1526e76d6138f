// SPDX-License-Identifier: Apache-2.0

// Package controllergen holds webhook-gen against controller-gen v0.23.0: its tests run both
// commands on the same modules and ask for the same manifest, byte for byte, and its
// benchmarks run both and ask for a ratio.
//
// The commands are built by the tests, webhook-gen from the module three folders up and
// controller-gen from this module's go.mod.
package controllergen

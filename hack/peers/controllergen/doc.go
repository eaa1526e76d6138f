// SPDX-License-Identifier: Apache-2.0

// Package controllergen compares webhook-gen with controller-gen v0.23.0. Its tests run both commands on the same
// modules and compare the manifests, byte for byte. Its benchmarks run both and require a ratio.
//
// The tests build the commands: webhook-gen from the module three folders up, and controller-gen from this module's
// go.mod.
package controllergen

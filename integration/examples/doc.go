// SPDX-License-Identifier: Apache-2.0

// Package examples runs the programs of the examples as webhooks of a real API server. It installs their generated
// manifests.
package examples

// SPDX-License-Identifier: Apache-2.0

// Package explain compares what `webhook-gen explain request` says with what a real API server does: the same requests, the
// same configurations, and a server that writes down what it is called for.
package explain

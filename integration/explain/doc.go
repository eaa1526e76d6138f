// SPDX-License-Identifier: Apache-2.0

// Package explain compares the output of `webhook-gen explain request` with the calls of a real API server: for the
// same requests and the same configurations, and with a server that records its calls.
package explain

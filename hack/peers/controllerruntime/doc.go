// SPDX-License-Identifier: Apache-2.0

// Package controllerruntime holds the runtime's package admission, and a copy of it, against its peer and against the
// API server.
//
// Its tests and benchmarks are a module of their own because of what they need: controller-runtime, which the ratios
// are measured against in one process (go test -bench Ratio) and whose corruptions are listed; the JSON Patch engine of
// the API server, which applies the patches of random edits; and the API server's own client for webhooks and its
// checks of what they answer.
package controllerruntime

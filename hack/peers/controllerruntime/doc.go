// SPDX-License-Identifier: Apache-2.0

// Package controllerruntime compares the runtime's package admission, and a copy of it, with its peer and with the API
// server.
//
// Its tests and benchmarks are a module of their own because of their dependencies. Controller-runtime is the other
// side of the ratios, in one process (go test -bench Ratio), and of a list of corruptions. The JSON Patch engine of the
// API server applies the patches of random edits. The API server's own client calls the webhooks and checks their
// answers.
package controllerruntime

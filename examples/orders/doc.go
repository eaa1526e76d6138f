// SPDX-License-Identifier: Apache-2.0

// Package orders is an example: the webhooks of an operator that has an API of its own, two kinds in two versions.
//
//   - api/v1 and api/v2 hold the types, with their markers;
//   - internal/webhook/v1 and internal/webhook/v2 have the validators and defaulters, in files that were created once,
//     and the generated handlers;
//   - cmd/manager, a module of its own, serves both versions on a controller-runtime manager;
//   - config/webhook/manifests.yaml is generated.
//
// The tests here call every handler as an API server does: over HTTP, with reviews of both versions.
package orders

//go:generate webhook-gen

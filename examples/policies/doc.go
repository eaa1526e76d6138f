// SPDX-License-Identifier: Apache-2.0

// Package policies is an example: a project whose rules are admission policies alone. API servers evaluate them, so
// that there is no program to run, no certificate and no call.
//
//   - api/v1 has the types of an API, with the markers of their policies;
//   - images has policies for pods;
//   - config/webhook/policies.yaml is generated.
//
// The tests here have webhook-gen answer requests, with the API server's own code.
package policies

//go:generate webhook-gen

// SPDX-License-Identifier: Apache-2.0

// Package policies is an example: a project whose rules are admission policies alone. API servers evaluate them, so
// that there is no program to run, no certificate and no call.
//
//   - api/v1 has the types of an API, with the markers of their policies;
//   - images has policies for pods;
//   - config/webhook/policies.yaml is generated, and so are config/base and charts/caches, which deploy it.
//
// The tests here have webhook-gen answer requests, with the API server's own code.
package policies

//go:generate go run sigs.k8s.io/controller-tools/cmd/controller-gen@v0.23.0 crd:maxDescLen=0 paths=./api/... output:crd:dir=config/crd/bases
//go:generate webhook-gen

// SPDX-License-Identifier: Apache-2.0

// Package integration shows on a real API server what markers do there: the webhooks of the packages below, installed as
// their manifest has them, served by the generated code, and called by a kube-apiserver on behalf of its users.
//
// `make test-integration` builds the API server, where that is missing, and runs the tests. They find it by
// KUBEBUILDER_ASSETS. docs/integration.md says which test shows which argument.
package integration

//go:generate webhook-gen

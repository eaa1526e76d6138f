// SPDX-License-Identifier: Apache-2.0

// Package integration shows the effects of markers on a real API server. It installs the webhooks of the packages below
// with their generated manifests and serves them with the generated code. A kube-apiserver calls them on behalf of its
// users.
//
// `make test-integration` builds the API server, if it is missing, and runs the tests. They find it by
// KUBEBUILDER_ASSETS. integration/README.md lists the arguments of markers, each with its tests.
package integration

//go:generate webhook-gen

// SPDX-License-Identifier: Apache-2.0

// Package envtest pins the kube-apiserver and the etcd that the integration tests run against, by the tool directives
// of its module. build.sh builds them. It is a module of its own so that k8s.io/kubernetes stays out of everybody
// else's dependencies.
//
// Another version is two edits: that of k8s.io/kubernetes v1.M.P, and v0.M.P in every replace directive, which stand
// here for those that k8s.io/kubernetes has for its staging folder. The versions of golang.org/x and go.yaml.in are no
// higher than they need be to equal those of generator/internal/check/upstream, with which half of the API server is
// then compiled once and for both.
package envtest

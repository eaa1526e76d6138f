// SPDX-License-Identifier: Apache-2.0

// Package envtest pins the kube-apiserver and the etcd that the integration tests run against, by the tool directives
// of its module. build.sh builds them. It is a module of its own so that k8s.io/kubernetes stays out of everybody
// else's dependencies.
//
// To change the version, make two edits: k8s.io/kubernetes to v1.M.P, and every replace directive to v0.M.P. The
// replace directives do the work of k8s.io/kubernetes' own directives for its staging folder. The versions of
// golang.org/x and go.yaml.in are just high enough to equal the versions in generator/internal/check/upstream. So half
// of the API server is compiled once for both.
package envtest

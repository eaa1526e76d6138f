// SPDX-License-Identifier: Apache-2.0

// Package oldest pins the kube-apiserver and the etcd of the oldest Kubernetes that the integration tests run against
// beside the newest. See package envtest.
package oldest

// SPDX-License-Identifier: Apache-2.0

// Package upstream compares check with the functions by which Kubernetes itself validates webhook configurations. It is
// a module of its own, so that k8s.io/kubernetes is not a dependency of the generator.
package upstream

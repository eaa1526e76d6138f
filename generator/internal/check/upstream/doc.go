// SPDX-License-Identifier: Apache-2.0

// Package upstream compares check with the functions by which Kubernetes itself validates webhook configurations, and
// derives the table of defaults from its code. It is a module of its own, so that k8s.io/kubernetes is not a dependency
// of the generator.
package upstream

// SPDX-License-Identifier: Apache-2.0

// Package upstream holds check to the functions by which Kubernetes itself validates webhook
// configurations. It is a module of its own so that k8s.io/kubernetes stays out of the
// generator's dependencies.
package upstream

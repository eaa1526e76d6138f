// SPDX-License-Identifier: Apache-2.0

// Package images has policies for the images of pods.
//
// An image without a tag is not the same tomorrow. The policy warns, and writes to the audit log; a namespace with the
// label images=strict denies.
//
// +webhook:policy:validating(name: "images.example.com", for: "k8s.io/api/core/v1.Pod", operations: "create")
// +webhook:policy:variable(name: "images")=`object.spec.containers.map(c, c.?image.orValue(""))`
// +webhook:policy:variable(name: "loose")=`variables.images.filter(i, !i.contains("@") &&
// (i.endsWith(":latest") || !i.split("/")[i.split("/").size() - 1].contains(":")))`
// +webhook:policy:validation(messageExpression: "'images without a fixed tag: ' + variables.loose.join(', ')")="size(variables.loose) == 0"
// +webhook:allow(rule: "W42", policy: "images.example.com")="the image of a debug container may move"
// +webhook:allow(rule: "P23")="a pod has few containers: kubelets start a hundred pods"
// +webhook:policy:binding(name: "images.example.com", validationActions: "warn;audit", namespaceSelector: "images!=strict")
// +webhook:policy:binding(name: "strict.images.example.com", namespaceSelector: "images=strict")
package images

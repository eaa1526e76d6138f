// SPDX-License-Identifier: Apache-2.0

// Package v2 is the second version of the shop's API.
//
// +groupName=shop.example.com
// +webhook:defaults(failurePolicy: Fail, matchPolicy: Exact, timeoutSeconds: 5, # each version has webhooks of its own
// namespaceSelector: "kubernetes.io/metadata.name notin (kube-system, kube-node-lease)")
package v2

import "k8s.io/apimachinery/pkg/runtime/schema"

// GroupVersion is the group and version of the types in this package.
var GroupVersion = schema.GroupVersion{Group: "shop.example.com", Version: "v2"}

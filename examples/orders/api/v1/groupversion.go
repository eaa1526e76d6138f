// SPDX-License-Identifier: Apache-2.0

// Package v1 is the first version of the shop's API.
//
// +groupName=shop.example.com
// +webhook:defaults(failurePolicy: Fail, matchPolicy: Exact, timeoutSeconds: 5, # each version has webhooks of its own
// namespaceSelector: "kubernetes.io/metadata.name notin (kube-system, kube-node-lease)")
// +webhook:configuration(annotations: "cert-manager.io/inject-ca-from=system/serving-cert")
package v1

import "k8s.io/apimachinery/pkg/runtime/schema"

// GroupVersion is the group and version of the types in this package.
var GroupVersion = schema.GroupVersion{Group: "shop.example.com", Version: "v1"}

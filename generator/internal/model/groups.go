// SPDX-License-Identifier: Apache-2.0

package model

import (
	"maps"
	"regexp"
	"slices"
)

// The Service that kubebuilder's kustomize bases expect, and controller-gen writes.
const (
	DefaultServiceName = "webhook-service"
	// PlaceholderNamespace is its namespace in those bases: overlays put the real one in its place.
	PlaceholderNamespace = "system"
)

// KindWord is "mutating" or "validating".
func KindWord(mutating bool) string {
	if mutating {
		return "mutating"
	}
	return "validating"
}

// DefaultObjectName is the name of a configuration that no marker names.
func DefaultObjectName(mutating bool) string { return KindWord(mutating) + "-webhook-configuration" }

var versionPattern = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

// IsVersion reports whether a word can be the version of an API: v1, v2beta1.
func IsVersion(word string) bool { return versionPattern.MatchString(word) }

// BuiltinGroups are the API groups of k8s.io/api by the folder of their Go packages.
func BuiltinGroups() map[string]string {
	return map[string]string{
		"admissionregistration": "admissionregistration.k8s.io",
		"apiserverinternal":     "internal.apiserver.k8s.io",
		"apps":                  "apps",
		"authentication":        "authentication.k8s.io",
		"authorization":         "authorization.k8s.io",
		"autoscaling":           "autoscaling",
		"batch":                 "batch",
		"certificates":          "certificates.k8s.io",
		"coordination":          "coordination.k8s.io",
		"core":                  "",
		"discovery":             "discovery.k8s.io",
		"events":                "events.k8s.io",
		"extensions":            "extensions",
		"flowcontrol":           "flowcontrol.apiserver.k8s.io",
		"imagepolicy":           "imagepolicy.k8s.io",
		"lifecycle":             "lifecycle.k8s.io",
		"networking":            "networking.k8s.io",
		"node":                  "node.k8s.io",
		"policy":                "policy",
		"rbac":                  "rbac.authorization.k8s.io",
		"resource":              "resource.k8s.io",
		"scheduling":            "scheduling.k8s.io",
		"storage":               "storage.k8s.io",
		"storagemigration":      "storagemigration.k8s.io",
	}
}

// IsBuiltinGroup reports whether Kubernetes itself serves the group; other groups contain custom resources.
func IsBuiltinGroup(group string) bool {
	return slices.Contains(slices.Collect(maps.Values(BuiltinGroups())), group)
}

// SPDX-License-Identifier: Apache-2.0

package model

import "regexp"

// The Service in kubebuilder's kustomize bases and in controller-gen's manifests.
const (
	DefaultServiceName = "webhook-service"
	// PlaceholderNamespace is the Service's namespace in those bases. Overlays replace it.
	PlaceholderNamespace = "system"
)

// KindWord returns "mutating" or "validating".
func KindWord(mutating bool) string {
	if mutating {
		return "mutating"
	}
	return "validating"
}

// VerbWord returns "mutate" or "validate".
func VerbWord(mutating bool) string {
	if mutating {
		return "mutate"
	}
	return "validate"
}

// DefaultObjectName returns the name of a configuration without a name in a marker.
func DefaultObjectName(mutating bool) string { return KindWord(mutating) + "-webhook-configuration" }

var versionPattern = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

// IsVersion reports whether a word is a valid API version, such as v1 or v2beta1.
func IsVersion(word string) bool { return versionPattern.MatchString(word) }

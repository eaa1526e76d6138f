// SPDX-License-Identifier: Apache-2.0

package model

import "regexp"

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

// VerbWord is "mutate" or "validate".
func VerbWord(mutating bool) string {
	if mutating {
		return "mutate"
	}
	return "validate"
}

// DefaultObjectName is the name of a configuration that no marker names.
func DefaultObjectName(mutating bool) string { return KindWord(mutating) + "-webhook-configuration" }

var versionPattern = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

// IsVersion reports whether a word can be the version of an API: v1, v2beta1.
func IsVersion(word string) bool { return versionPattern.MatchString(word) }

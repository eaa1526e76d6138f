// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"slices"
	"strings"
)

// Meet reports whether two lists of a rule, such as operations or groups, share an element. The element * matches
// any.
func Meet[T ~string](a, b []T) bool {
	return slices.Contains(a, "*") || slices.Contains(b, "*") || Intersect(a, b)
}

// Intersect reports whether two lists have an element in common.
func Intersect[T comparable](a, b []T) bool {
	return slices.ContainsFunc(a, func(v T) bool { return slices.Contains(b, v) })
}

// ResourcesMeet reports whether a request can match a resource of both lists. A * matches any resource; after a
// slash, it matches any subresource and also none (k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules,
// Matcher.resource).
func ResourcesMeet(a, b []string) bool {
	alike := func(one, another string) bool { return one == another || one == "*" || another == "*" }
	return slices.ContainsFunc(a, func(one string) bool {
		resource, sub, _ := strings.Cut(one, "/")
		return slices.ContainsFunc(b, func(another string) bool {
			other, otherSub, _ := strings.Cut(another, "/")
			return alike(resource, other) && alike(sub, otherSub)
		})
	})
}

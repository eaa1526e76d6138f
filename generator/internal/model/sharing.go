// SPDX-License-Identifier: Apache-2.0

package model

import (
	"slices"
	"strings"
)

// CanShare reports whether one handler, at one path, can answer two webhooks: both are mutating or both validating, and where
// the path is made of a kind, both are for that kind. A project may well ask for failurePolicy Fail on CREATE and for Ignore
// on DELETE, or for a resource and its subresource, and serve both by the same code.
func (w *Webhook) CanShare(other *Webhook) bool {
	return w.Mutating == other.Mutating && (!isTypedPath(w.ServedPath()) || slices.ContainsFunc(w.Resources(), func(r string) bool {
		return slices.Contains(other.Resources(), r)
	}))
}

// isTypedPath reports a path as controller-runtime's builder and this generator make them of a kind.
func isTypedPath(path string) bool {
	return (strings.HasPrefix(path, "/mutate-") || strings.HasPrefix(path, "/validate-")) && strings.Count(path, "-") >= 3
}

// Resources are the resources of a webhook, sorted, subresources counted as what they belong to.
func (w *Webhook) Resources() (all []string) {
	for _, rule := range w.Spec.Rules {
		for _, r := range rule.Resources {
			name, _, _ := strings.Cut(r, "/")
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"bytes"
	"path/filepath"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// patchesSelectors reports whether a kustomize file below the folders sets selectors or match conditions of webhook
// configurations. Markers of kubebuilder cannot set them. Files in except are skipped, because their content is already
// known.
func patchesSelectors(folders []string, except ...string) bool {
	for _, folder := range folders {
		isExcepted := func(rel string, _ bool) bool {
			return slices.Contains(except, filepath.Join(folder, filepath.FromSlash(rel)))
		}
		for f := range load.Manifests(folder, isExcepted) {
			if containsAny(f.Content, "WebhookConfiguration", "path: /webhooks/") && containsAny(f.Content, "namespaceSelector", "objectSelector", "matchConditions") {
				return true
			}
		}
	}
	return false
}

func containsAny(text []byte, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return bytes.Contains(text, []byte(word)) })
}

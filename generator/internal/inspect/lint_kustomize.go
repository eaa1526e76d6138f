// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// patchesSelectors reports whether a kustomize file below the folders sets selectors or match conditions of webhook
// configurations. Markers of kubebuilder cannot set them. Files in except are skipped, because their content is already
// known.
func patchesSelectors(folders []string, except ...string) bool {
	found := false
	for _, folder := range folders {
		// A missing folder patches nothing.
		_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || slices.Contains(except, path) || !slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(path)) {
				return nil
			}
			text, err := regular.ReadFile(path)
			if err == nil && containsAny(text, "WebhookConfiguration", "path: /webhooks/") && containsAny(text, "namespaceSelector", "objectSelector", "matchConditions") {
				found = true
				return filepath.SkipAll
			}
			return nil
		})
	}
	return found
}

func containsAny(text []byte, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return bytes.Contains(text, []byte(word)) })
}

// SPDX-License-Identifier: Apache-2.0

package generator

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// patchesSelectors reports whether a file of kustomize below the folders says selectors or match conditions of webhook
// configurations, as markers of kubebuilder cannot. Files whose content is known from elsewhere are left out.
func patchesSelectors(folders []string, except ...string) bool {
	found := false
	for _, folder := range folders {
		// A folder that is not there patches nothing.
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

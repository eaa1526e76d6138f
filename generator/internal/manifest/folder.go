// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"os"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// filesOf returns the *.yaml and *.yml files directly in a folder, except the patches of a kustomization there: a
// patch of a webhook configuration has its kind, and a part of its fields.
func filesOf(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	patches := patchesOf(dir)
	var files []string
	for _, e := range entries {
		ext := filepath.Ext(e.Name())
		if !e.IsDir() && (ext == ".yaml" || ext == ".yml") && !slices.Contains(patches, e.Name()) {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files, nil
}

// patchesOf returns the files that the folder's kustomization names as patches, in any of the ways that kustomize has
// or had. A kustomization that is not YAML names no patches.
func patchesOf(dir string) []string {
	type patch struct{ Path string }
	var files []string
	for _, name := range []string{"kustomization.yaml", "kustomization.yml", "Kustomization"} {
		text, err := regular.ReadFile(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		var k struct {
			Patches        []patch
			JSON6902       []patch  `yaml:"patchesJson6902"`
			StrategicMerge []string `yaml:"patchesStrategicMerge"`
		}
		if yaml.Unmarshal(text, &k) != nil {
			continue
		}
		for _, p := range slices.Concat(k.Patches, k.JSON6902) {
			files = append(files, filepath.Clean(p.Path))
		}
		for _, p := range k.StrategicMerge {
			files = append(files, filepath.Clean(p))
		}
	}
	return files
}

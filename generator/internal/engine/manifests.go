// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"path/filepath"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// AllManifests returns the absolute paths of the project's manifests. The first one is for packages that no entry of
// manifests.files lists.
func (r Run) AllManifests() []string {
	all := []string{r.Manifest}
	for _, m := range r.Manifests.Files {
		all = append(all, filepath.Join(r.Root, filepath.FromSlash(m.Path.V)))
	}
	return all
}

// ManifestOf returns the absolute path of the manifest with a package's webhooks.
func (r Run) ManifestOf(p *load.Package) string {
	for i, m := range r.Manifests.Files {
		if slices.ContainsFunc(m.Packages, func(pattern string) bool { return p.Matches(r.Root, pattern) }) {
			return r.AllManifests()[i+1]
		}
	}
	return r.Manifest
}

// byManifest groups packages by their manifest. The key of r.Manifest is "".
func (r Run) byManifest(packages []*load.Package) map[string][]*load.Package {
	groups := map[string][]*load.Package{}
	for _, p := range packages {
		manifest := r.ManifestOf(p)
		if manifest == r.Manifest {
			manifest = ""
		}
		groups[manifest] = append(groups[manifest], p)
	}
	return groups
}

// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/config"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/manifest"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/internal/regular"
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

// OtherManifests warns of manifests that controller-gen has written to other places than the project's, for the same
// webhooks, if the project has no manifest yet: what deploys them would not deploy a new one. --output is a decision of
// the user.
func (r Run) OtherManifests(webhooks []*model.Webhook) (diags diag.List) {
	chosen := r.Manifest != filepath.Join(r.Root, filepath.FromSlash(r.Manifests.Path))
	if len(webhooks) == 0 || chosen || slices.ContainsFunc(r.AllManifests(), regular.Exists) {
		return nil
	}
	others := func(rel string, isDir bool) bool {
		name := path.Base(rel)
		if isDir {
			return strings.HasPrefix(name, ".") || name == "vendor" || name == "node_modules" || name == "testdata" ||
				regular.Exists(filepath.Join(r.Root, filepath.FromSlash(rel), "go.mod"))
		}
		return name != "manifests.yaml" // controller-gen's name
	}
	for f := range load.Manifests(r.Root, others) {
		contents, _ := manifest.Read([]load.Text{f})
		isOurs := func(w *model.Webhook) bool {
			return slices.ContainsFunc(webhooks, func(o *model.Webhook) bool { return o.Spec.Name == w.Spec.Name })
		}
		if !slices.ContainsFunc(contents.Projects, func(p *model.Project) bool { return slices.ContainsFunc(p.Webhooks(), isOurs) }) {
			continue
		}
		written, _ := filepath.Rel(r.Root, r.Manifest)
		found, _ := filepath.Rel(r.Root, f.Path)
		diags.Add(diag.Warningf(diag.InFile(f.Path), output.RuleOtherWriter, "webhook-gen writes the webhooks of this file to %s", filepath.ToSlash(written)).
			WithHint("set manifests.path: %s in %s, or remove this file", filepath.ToSlash(found), config.FileName))
	}
	return diags
}

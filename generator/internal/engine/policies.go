// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"path/filepath"
	"slices"

	"sigs.k8s.io/yaml"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/render"
)

// checkListed reports a kustomization.yaml of the user beside the manifest that does not list the policies. kustomize
// would leave them out in silence.
func (r Run) checkListed(p *model.Project) diag.List {
	if len(p.AlwaysInstalled()) == 0 || !slices.Contains(r.Outputs, output.Manifests) {
		return nil
	}
	file := load.ReadText(filepath.Dir(r.Manifest), "kustomization.yaml")
	if file.Err != nil {
		return nil
	}
	var content struct{ Resources []string }
	if err := yaml.Unmarshal(file.Content, &content); err == nil && slices.ContainsFunc(content.Resources, func(name string) bool {
		return filepath.Clean(name) == render.PoliciesFile
	}) {
		return nil
	}
	at := diag.Range{Pos: diag.Position{File: file.Path}}
	return diag.List{diag.Warningf(at, model.RuleListed, "the file does not list %s, and kustomize leaves the policies out", render.PoliciesFile).
		WithHint("add to its resources: - %s", render.PoliciesFile)}
}

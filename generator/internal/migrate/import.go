// SPDX-License-Identifier: Apache-2.0

package migrate

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/check"
	"github.com/webhook-gen/webhook-gen/generator/internal/config"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/kubebuilder"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/render"
)

// Import rewrites the packages' +kubebuilder:webhook markers as +webhook markers. It changes the user's own files.
// Before it offers the changes, it checks that the manifest stays the same.
func Import(ctx context.Context, c engine.Config) engine.Result {
	run := c.Resolve()
	result := engine.Result{Root: run.Root}
	before := run.Read(ctx, engine.Edits{})
	diags := before.Diagnostics
	// An object that the API server refuses is a warning under a +kubebuilder marker, and an error under a +webhook
	// marker.
	diags.Add(check.Project(before.Project).Promote()...)
	if run.Strict {
		diags = diags.Promote()
	}
	if diags.HasErrors() {
		result.Diagnostics = diags.Sort()
		return result
	}

	webhooks, configurations, _ := kubebuilder.Read(before.Packages)
	source := before.Result
	packages := slices.Clone(source.Packages)
	for _, e := range rewrite(webhooks, configurations) {
		i := slices.IndexFunc(packages, func(p *load.Package) bool { return p.Dir == filepath.Dir(e.File.Path) })
		var found diag.List
		packages[i], found = packages[i].WithText(e.File.Path, e.Text)
		diags.Add(found...)
		result.Changes = append(result.Changes, output.Change{Path: e.File.Path, Action: output.Replace, Old: e.File.Src, New: e.Text})
	}
	source.Packages = packages
	after := run.Build(ctx, source)
	diags.Add(after.Diagnostics...)
	diags.Add(check.Project(after.Project)...)
	if !diags.HasErrors() && !sameManifest(before.Project, after.Project) {
		diags.Add(diag.Errorf(diag.Range{}, "", "the rewritten markers do not give the same manifest; nothing was changed").
			WithHint("this is a mistake in webhook-gen: please report it with the markers"))
	}
	if len(result.Changes) > 0 {
		result.Changes = append(result.Changes, keepHeaderless(run, &diags)...)
	}
	result.Diagnostics = diags.Sort()
	if diags.HasErrors() {
		result.Changes = nil
	}
	return result
}

func sameManifest(a, b *model.Project) bool {
	manifest := render.Options{Outputs: []string{output.Manifests}}
	textA, errA := render.Project(a, nil, manifest)
	textB, errB := render.Project(b, nil, manifest)
	return errors.Join(errA, errB) == nil && len(textA) == len(textB) && (len(textA) == 0 || bytes.Equal(textA[0].Content, textB[0].Content))
}

// keepHeaderless makes a webhook-gen.yaml for a project without one, so that its manifest stays the same to the byte.
// Otherwise the manifest of +webhook markers begins with a header.
func keepHeaderless(r engine.Run, diags *diag.List) []output.Change {
	path := filepath.Join(r.Root, config.FileName)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		if r.Manifests.Header {
			diags.Add(diag.Warningf(diag.Range{Pos: diag.Position{File: path}}, "", "the manifest gains a header line").
				WithHint("set manifests.header: false to keep it as it was"))
		}
		return nil
	}
	return []output.Change{{Path: path, Action: output.Create, New: []byte(importedConfig)}}
}

const importedConfig = `version: 1
manifests:
  header: false # the manifest stays as controller-gen wrote it; true marks it as generated
`

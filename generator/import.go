// SPDX-License-Identifier: Apache-2.0

package generator

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
	"github.com/webhook-gen/webhook-gen/generator/internal/kubebuilder"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/migrate"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/render"
)

// Import rewrites the packages' +kubebuilder:webhook markers as +webhook markers. It changes the user's own files.
// Before it offers the changes, it checks that the manifest stays the same.
func Import(ctx context.Context, c Config) Result {
	run, diags := c.resolve()
	source, found := load.Load(ctx, load.Config{Dir: run.dir, Patterns: run.Packages, Tags: run.Tags, Markers: markers()})
	diags.Add(found...)
	result := Result{Root: run.root}
	options := run.model()
	before, found := run.build(ctx, source.Module, source.Packages, options)
	diags.Add(found...)
	// An object that the API server refuses is a warning under a +kubebuilder marker, and an error under a +webhook
	// marker.
	diags.Add(check.Project(before).Promote()...)
	if run.Strict {
		diags = diags.Promote()
	}
	if diags.HasErrors() {
		result.Diagnostics = diags.Sort()
		return result
	}

	webhooks, configurations, _ := kubebuilder.Read(source.Packages)
	packages := slices.Clone(source.Packages)
	for _, e := range migrate.Rewrite(webhooks, configurations) {
		i := slices.IndexFunc(packages, func(p *load.Package) bool { return p.Dir == filepath.Dir(e.File.Path) })
		packages[i], found = packages[i].WithText(e.File.Path, e.Text)
		diags.Add(found...)
		result.Changes = append(result.Changes, Change{Path: e.File.Path, Action: output.Replace, Old: e.File.Src, New: e.Text})
	}
	after, found := run.build(ctx, source.Module, packages, options)
	diags.Add(found...)
	diags.Add(check.Project(after)...)
	if !diags.HasErrors() && !sameManifest(before, after) {
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
func keepHeaderless(r run, diags *diag.List) []Change {
	path := filepath.Join(r.root, config.FileName)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		if r.Manifests.Header {
			diags.Add(diag.Warningf(diag.Range{Pos: diag.Position{File: path}}, "", "the manifest gains a header line").
				WithHint("set manifests.header: false to keep it as it was"))
		}
		return nil
	}
	return []Change{{Path: path, Action: output.Create, New: []byte(importedConfig)}}
}

const importedConfig = `version: 1
manifests:
  header: false # the manifest stays as controller-gen wrote it; true marks it as generated
`

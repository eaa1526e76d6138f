// SPDX-License-Identifier: Apache-2.0

package generator

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"sync"

	"github.com/webhook-gen/webhook-gen/generator/internal/check"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/lint"
	"github.com/webhook-gen/webhook-gen/generator/internal/manifest"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

// LintResult is what lint found.
type LintResult struct {
	// Diagnostics are the findings, sorted, those left out that markers allow.
	Diagnostics Diagnostics
	// Webhooks is how many webhooks were looked at.
	Webhooks int
	// Unchecked are the ids of the rules that concern these webhooks and were not looked for: it takes a program
	// that reads CEL.
	Unchecked []string
	// Code are the ids of those that concern these webhooks and are looked for by go vet.
	Code []string
	// Unread says why the ExpressionReader has not looked; nil where it has, or where there is nothing to read.
	Unread error
}

// HasFindings reports whether anything but advice was found.
func (r LintResult) HasFindings() bool {
	return slices.ContainsFunc(r.Diagnostics, func(d diag.Diagnostic) bool { return d.Severity != diag.Note })
}

// Lint holds the webhooks that markers declare to the rules of docs/lint.md, and to those that stop Generate.
// Without a reader, the rules that take one are left aside.
func Lint(ctx context.Context, c Config, read ExpressionReader) LintResult {
	run, diags := c.resolve()
	source, project, found := run.project(ctx, edits{})
	diags.Add(found...)
	s := lint.Surroundings{
		Tests: slices.Contains(run.Outputs, output.Tests), Constants: lint.Constants(ctx, source.Module, project),
		Patched: sync.OnceValue(func() bool { return patchesSelectors([]string{filepath.Join(run.root, "config")}, run.manifest) }),
	}
	return linted(diags, []*model.Project{project}, s, check.Project, read)
}

// LintManifests holds the webhook configurations in YAML files to the same rules. Paths are files, folders of them,
// or "-" for stdin; relative ones are so to dir.
func LintManifests(dir string, paths []string, stdin io.Reader, read ExpressionReader) (LintResult, error) {
	paths = slices.Clone(paths)
	for i, path := range paths {
		if path != "-" && !filepath.IsAbs(path) {
			paths[i] = filepath.Join(dir, path)
		}
	}
	sources, err := manifest.Open(paths, stdin)
	if err != nil {
		return LintResult{}, err
	}
	contents, diags := manifest.Read(sources)
	s := lint.Surroundings{
		Namespaces: contents.Namespaces, Servers: contents.Servers, Injects: contents.Injects, Served: served(contents.Definitions),
		Patched: sync.OnceValue(func() bool { return patchesSelectors(folders(sources), paths...) }),
	}
	return linted(diags, contents.Projects, s, checkObjects, read), nil
}

// folders are those in which files were named.
func folders(sources []manifest.Source) (all []string) {
	for _, s := range sources {
		if folder := filepath.Dir(s.Path); !s.Found && filepath.IsAbs(s.Path) && !slices.Contains(all, folder) {
			all = append(all, folder)
		}
	}
	return all
}

// checkObjects is what an API server says of the objects. A name for an API server's own disk is in place in a file.
func checkObjects(p *model.Project) (list diag.List) {
	for _, f := range check.Findings(p) {
		if f.Object != nil && f.Rule != "E2" {
			list.Add(f.Diagnostic)
		}
	}
	return list
}

// linted adds to the findings of the projects' making those of lint.
func linted(diags diag.List, projects []*model.Project, s lint.Surroundings, check func(*model.Project) diag.List, read ExpressionReader) LintResult {
	var result LintResult
	incomplete := diags.HasErrors() // a webhook that could not be built may have been the one that needs an allowance
	for _, p := range projects {
		found := lint.Findings(p, s)
		var others []lint.Finder
		if read != nil && slices.ContainsFunc(p.Webhooks(), func(w *model.Webhook) bool { return len(w.Spec.MatchConditions) > 0 }) {
			expressions, refused, err := readExpressions(p, read)
			if result.Unread = err; err == nil {
				others = append(others, lint.Expressions)
			}
			found = append(found, expressions...)
			diags.Add(refused...)
		}
		judged := func(id string) bool { return !incomplete && lint.Judged(id, others...) }
		reported := lint.Apply(p, found, judged)
		for _, d := range check(p) {
			if i := slices.IndexFunc(reported, func(r diag.Diagnostic) bool { return lint.Replaces(r, d) }); i >= 0 {
				reported[i].Severity = min(reported[i].Severity, d.Severity) // the lower, the worse
				continue
			}
			diags.Add(d)
		}
		diags.Add(reported...)
		result.Webhooks += len(p.Webhooks())
		for _, id := range lint.Unchecked(p, others...) {
			list := &result.Unchecked
			if lint.ReadsCode(id) {
				list = &result.Code
			}
			if !slices.Contains(*list, id) {
				*list = append(*list, id)
			}
		}
	}
	result.Diagnostics = diags.Sort()
	return result
}

// served are the versions in which resources are served, by the names of their definitions.
func served(definitions []*manifest.Definition) map[string][]string {
	versions := map[string][]string{}
	for _, d := range definitions {
		for _, v := range d.Versions {
			if v.Served {
				versions[d.Name] = append(versions[d.Name], v.Name)
			}
		}
	}
	return versions
}

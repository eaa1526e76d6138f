// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/webhook-gen/webhook-gen/explain"
	"github.com/webhook-gen/webhook-gen/generator/internal/check"
	"github.com/webhook-gen/webhook-gen/generator/internal/crd"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/lint"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/manifest"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

// LintResult is the outcome of lint.
type LintResult struct {
	// Diagnostics are the findings, sorted, without the findings that markers allow.
	Diagnostics diag.List
	// Webhooks is the number of webhooks checked.
	Webhooks int
	// Policies is the number of policies and bindings in files that were checked.
	Policies int
	// Code are the ids of rules that concern these webhooks and that LintCode checks.
	Code []string
}

// HasFindings reports whether lint found anything besides advice.
func (r LintResult) HasFindings() bool {
	return slices.ContainsFunc(r.Diagnostics, func(d diag.Diagnostic) bool { return d.Severity != diag.Note })
}

// Lint checks the webhooks in markers against the rules of lint in docs/reference/rules.md and against the rules that
// stop Generate. Expressions are compiled as an API server of kubeVersion does, such as 1.34; if it is empty, as the
// oldest one that the project supports.
func Lint(ctx context.Context, c engine.Config, kubeVersion string) (LintResult, error) {
	run := c.Resolve()
	state := run.Read(ctx, engine.Edits{})
	s := lint.Facts{
		Tests: slices.Contains(run.Outputs, output.Tests), Constants: lint.Constants(ctx, state.Module, state.Project),
		Updates: lint.Updates(ctx, state.Module, state.Project),
		Patched: sync.OnceValue(func() bool {
			return patchesSelectors([]string{filepath.Join(run.Root, "config")}, run.AllManifests()...)
		}),
	}
	s.Bundled = bundled(run.Root)
	s.Reconciles = sync.OnceValue(func() bool { return run.Reconciles(ctx) })
	definitions, err := definitionsOnDisk(run)
	if err != nil {
		state.Diagnostics.Add(diag.Errorf(diag.Range{}, crd.RuleText, "cannot read the definitions: %v", err))
	}
	s.Served, s.Defined, s.Scopes = lint.Versions(definitions)
	s.Scaled = lint.Scaled(definitions)
	s.Subresources, s.Unconverted = lint.Subresources(definitions), run.Unconverted(ctx, state.Project, definitions)
	result, err := linted(ctx, state.Module, state.Diagnostics, []*model.Project{state.Project}, s, check.Project, kubeVersion, nil)
	if err != nil {
		return LintResult{}, err
	}
	broken, err := brokenRules(ctx, state.Module, run.Declared(ctx, state.Project))
	result.Diagnostics = append(result.Diagnostics, broken...).Sorted()
	return result, err
}

// LintManifests checks the webhook configurations in YAML files against the same rules. Paths are files, folders of
// them, or "-" for stdin. Relative paths are relative to dir.
func LintManifests(dir string, paths []string, stdin io.Reader, kubeVersion string) (LintResult, error) {
	paths = slices.Clone(paths)
	for i, path := range paths {
		if path != "-" && !filepath.IsAbs(path) {
			paths[i] = filepath.Join(dir, path)
		}
	}
	sources, err := load.Arguments(paths, stdin)
	if err != nil {
		return LintResult{}, err
	}
	kubeVersion = cmp.Or(kubeVersion, explain.Newest()) // no project has an oldest version that it supports
	contents, diags := manifest.Read(sources)
	s := lint.Facts{
		Namespaces: contents.Namespaces, Servers: contents.Servers, Injects: contents.Injects, InjectsDefinitions: contents.InjectsDefinitions, Services: contents.Services, Now: time.Now(),
		Patched: sync.OnceValue(func() bool { return patchesSelectors(folders(sources), paths...) }),
	}
	s.Served, s.Defined, s.Scopes = lint.Versions(contents.Definitions)
	s.Subresources, s.Scaled = lint.Subresources(contents.Definitions), lint.Scaled(contents.Definitions)
	result, err := linted(context.Background(), nil, diags, contents.Projects, s, checkObjects, kubeVersion, nil)
	if err != nil {
		return LintResult{}, err
	}
	for _, f := range lint.DefinitionFindings(contents.Definitions, s) {
		result.Diagnostics.Add(f.Diagnostic)
	}
	rules, err := brokenDefinitions(contents.Definitions)
	if err != nil {
		return LintResult{}, err
	}
	result.Diagnostics.Add(rules...)
	result.Diagnostics = result.Diagnostics.Sorted()
	return result, result.addPolicies(&contents, s, kubeVersion)
}

// folders returns the folders of the files that were named as files.
func folders(sources []load.Text) (all []string) {
	for _, s := range sources {
		if folder := filepath.Dir(s.Path); !s.Found && filepath.IsAbs(s.Path) && !slices.Contains(all, folder) {
			all = append(all, folder)
		}
	}
	return all
}

// checkObjects returns an API server's complaints about the objects. The names reserved for files on an API server's
// own disk are allowed here.
func checkObjects(p *model.Project) (list diag.List) {
	for _, f := range check.Findings(p) {
		if f.Object != nil && f.Rule != "E2" {
			list.Add(f.Diagnostic)
		}
	}
	return list
}

// linted adds the findings of lint to the findings from making the projects.
func linted(ctx context.Context, m *load.Module, diags diag.List, projects []*model.Project, s lint.Facts, checkProject func(*model.Project) diag.List, kubeVersion string, files *manifest.Contents) (LintResult, error) {
	var result LintResult
	incomplete := diags.HasErrors() // a webhook that failed to build may have needed an allowance
	for _, p := range projects {
		found := lint.Findings(p, s)
		ofPolicies := lint.PolicyFindings(p, s)
		if _, any, _ := firstExpression(p); any {
			ofWebhooks, inPolicies, refused, err := readExpressions(ctx, m, p, kubeVersion, files)
			if err != nil {
				return LintResult{}, err
			}
			found, ofPolicies = append(found, ofWebhooks...), append(ofPolicies, inPolicies...)
			diags.Add(refused...)
		}
		diags.Add(lint.ApplyToPolicies(p, ofPolicies, check.AllowedToPolicies(), func(string) bool { return !incomplete })...)
		judged := func(id string) bool { return !incomplete && lint.Judged(id) }
		reported := lint.Apply(p, found, judged)
		for _, d := range checkProject(p) {
			if i := slices.IndexFunc(reported, func(r diag.Diagnostic) bool { return lint.Replaces(r, d) }); i >= 0 {
				reported[i].Severity = min(reported[i].Severity, d.Severity) // the lower, the worse
				continue
			}
			diags.Add(d)
		}
		diags.Add(reported...)
		result.Webhooks += len(p.Webhooks())
		for _, id := range lint.OfCode(p) {
			if !slices.Contains(result.Code, id) {
				result.Code = append(result.Code, id)
			}
		}
	}
	result.Diagnostics = diags.Sorted()
	return result, nil
}

// definitionsOnDisk returns the CustomResourceDefinitions in a module. It skips files that are no manifests: they are
// templates, or generate reports them. Of several copies of a definition, it returns the first.
func definitionsOnDisk(run engine.Run) (definitions []*manifest.Definition, err error) {
	known := map[string]bool{}
	for _, place := range run.DefinitionPlaces() {
		sources, err := load.Arguments(load.Names(run.Root, place), nil)
		if err != nil {
			return nil, err
		}
		contents, _ := manifest.Read(sources)
		for _, d := range contents.Definitions {
			if !known[d.Name] && len(d.Versions) > 0 && !strings.Contains(d.Name, "{{") {
				known[d.Name] = true
				definitions = append(definitions, d)
			}
		}
	}
	return definitions, nil
}

// bundled reports whether operator-sdk makes a bundle of the project, by its Makefile, PROJECT or bundle folder.
func bundled(root string) bool {
	for line := range strings.Lines(string(load.ReadText(root, "Makefile").Content)) {
		if strings.Contains(line, "generate bundle") && !strings.HasPrefix(strings.TrimSpace(line), "#") {
			return true
		}
	}
	return bytes.Contains(load.ReadText(root, "PROJECT").Content, []byte("manifests.sdk.operatorframework.io")) ||
		slices.ContainsFunc(load.Texts(root, "bundle/manifests"), func(f load.Text) bool { return bytes.Contains(f.Content, []byte("kind: ClusterServiceVersion")) })
}

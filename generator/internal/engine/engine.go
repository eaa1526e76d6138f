// SPDX-License-Identifier: Apache-2.0

// Package engine runs the whole pipeline from markers to files. Each step is a package.
//
//	patterns -> load -> front ends -> semantics -> check -> convert -> render -> output
//
// Generate writes nothing. The caller can write its Result, print it as a diff, or drop it.
package engine

import (
	"context"
	"maps"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/check"
	"github.com/webhook-gen/webhook-gen/generator/internal/convert"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/kubebuilder"
	"github.com/webhook-gen/webhook-gen/generator/internal/lint"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/registry"
	"github.com/webhook-gen/webhook-gen/generator/internal/render"
	"github.com/webhook-gen/webhook-gen/generator/internal/semantics"
)

// Config is the input of a run. Empty fields take their values from webhook-gen.yaml.
type Config struct {
	// Dir is the absolute working directory of the run.
	Dir string
	// Patterns select packages in the syntax of the go command.
	Patterns []string
	// Tags are build tags in addition to the platform's.
	Tags []string
	// Strict turns warnings into errors.
	Strict bool
	// AdmissionRegistration is "v1" or "v1beta1".
	AdmissionRegistration string
	// Outputs are the kinds of files to generate: "manifests", "handlers", "conversions", "tests".
	Outputs []string
	// Manifest is the manifest's absolute path.
	Manifest string
	// AcceptRemoval allows the removal of enforcement that the user has not caused, such as that of a package that is
	// not read.
	AcceptRemoval bool
	// ComparesNothing disables the check for removed enforcement, for runs that write no files.
	ComparesNothing bool
}

// Generate reads the packages and generates the files for their markers.
func Generate(ctx context.Context, c Config) Result {
	r := c.Resolve()
	return r.Generate(ctx, r.Read(ctx, Edits{}), Edits{})
}

// State is a project as read from its markers and its source.
type State struct {
	load.Result
	// Project is the model of the packages' markers.
	Project *model.Project
	// Diagnostics are the findings in webhook-gen.yaml, in the source and in the markers.
	Diagnostics diag.List

	markers diag.List // Diagnostics without those about the user's validators and defaulters
}

// Read reads the packages with the edits applied.
func (r Run) Read(ctx context.Context, e Edits) State {
	source, diags := load.Load(ctx, load.Config{Dir: r.dir, Patterns: r.Packages, Tags: r.Tags, Markers: markers(), Overlay: e.Overlay()})
	s := r.Build(ctx, source)
	s.markers.Add(diags...)
	s.Diagnostics.Add(diags...)
	return s
}

// Reread updates the facts about the user's validators, defaulters and test functions after further edits of their
// files. It keeps the model, and adds the sample objects for functions that the user has written.
func (s *State) Reread(ctx context.Context, e Edits) {
	if s.Module != nil { // nil is already reported
		s.Module.Overlay(e.Overlay())
		s.inspect(ctx, true)
	}
}

// Build builds the model from the packages' +webhook markers and, unless another tool reads them, +kubebuilder
// markers.
func (r Run) Build(ctx context.Context, source load.Result) State {
	var others []*model.Configuration
	s := State{Result: source}
	options := r.model()
	groups := r.byManifest(source.Packages)
	for _, manifest := range slices.Sorted(maps.Keys(groups)) {
		packages := groups[manifest]
		for _, p := range packages {
			options.Manifests[p.Path] = manifest
		}
		if r.Kubebuilder {
			all, found := kubebuilder.Configurations(packages)
			for _, c := range all {
				c.Manifest = manifest
			}
			others = append(others, all...)
			s.markers.Add(found...)
		}
	}
	project, found := semantics.Project(ctx, source.Module, source.Packages, others, options)
	r.addDefinitionRules(project)
	s.Project = project
	s.markers = slices.Concat(r.Diagnostics, s.markers, found)
	s.inspect(ctx, false)
	return s
}

// inspect reads the user's validators and defaulters. If a marker has an error, it reports no unused methods, because
// that marker may use them.
func (s *State) inspect(ctx context.Context, samples bool) {
	others, _, _ := kubebuilder.Read(s.Packages) // another tool may read these markers and report their errors
	found := semantics.Implementations(ctx, s.Module, s.Project, others, samples)
	if s.markers.HasErrors() {
		found = nil
	}
	s.Diagnostics = slices.Concat(s.markers, found)
}

// Generate generates the files for a state that was read with the edits. The result includes the edits. A step with
// errors is the last one, because a later step may report the same mistakes again. Checks and plans are one step.
func (r Run) Generate(ctx context.Context, s State, e Edits) Result {
	project := s.Project
	result := Result{Root: r.Root, project: project}
	if r.Diagnostics.HasErrors() {
		return result.with(r.Diagnostics, r.Strict)
	}

	facts := r.readFacts(ctx, s)
	options, unread := r.Rendering(s.Module, facts.schemas)
	result.options = options
	diags := slices.Concat(s.Diagnostics, unread, check.Project(project), check.Files(project, facts.Facts), lint.Never(project, facts.lint))
	conversions, inConversions := convert.Project(ctx, s.Module, project)
	definitions, inDefinitions := r.mergeDefinitions(project, facts.definitions, options)
	diags.Add(slices.Concat(inConversions, inDefinitions, check.Program(render.ProgramFields(project, conversions, options)))...)
	if diags.HasErrors() {
		return result.with(diags, r.Strict)
	}

	rendered, err := render.Project(project, conversions, options)
	if err != nil {
		diags.Add(diag.Errorf(diag.Range{}, "", "%s", err))
		return result.with(diags, r.Strict)
	}
	files := r.Heading.Above(slices.Concat(rendered, definitions))
	changes, found := output.Compare(r.Root, slices.Concat(files, r.Heading.Above(e.Create)), r.owned(s.Generated))
	changes = e.Among(changes)
	if slices.Contains(r.Outputs, output.Manifests) {
		diags.Add(r.OtherManifests(project.Webhooks())...)
	}
	if diags.Add(found...); !diags.HasErrors() {
		diags.Add(r.losses(ctx, s, e, changes)...)
	}
	result.Files, result.Changes, result.LacksRuntime = files, changes, r.LacksRuntime(s, files)
	return result.with(diags, r.Strict)
}

// markers returns search texts. Load does not parse a file without any of them.
func markers() []string { return []string{"+" + registry.Prefix, "+kubebuilder:webhook"} }

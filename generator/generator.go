// SPDX-License-Identifier: Apache-2.0

// Package generator is the engine of webhook-gen: markers in, files out. generator.go is the
// whole line; every other package below internal/ is one phase of it.
//
//	patterns -> load -> front ends -> build -> check -> convert -> render -> output
//
// Generate writes nothing. Its Result is a value that can be written, shown as a diff, or dropped.
package generator

import (
	"context"
	"io"
	"path"
	"path/filepath"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/build"
	"github.com/webhook-gen/webhook-gen/generator/internal/check"
	"github.com/webhook-gen/webhook-gen/generator/internal/config"
	"github.com/webhook-gen/webhook-gen/generator/internal/convert"
	"github.com/webhook-gen/webhook-gen/generator/internal/crd"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/kubebuilder"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/registry"
	"github.com/webhook-gen/webhook-gen/generator/internal/render"
)

// Config says what to generate. What it leaves empty is as webhook-gen.yaml has it.
type Config struct {
	// Dir is the absolute folder that the run stands in.
	Dir string
	// Patterns name packages as the go command does.
	Patterns []string
	// Tags are build tags besides the platform's.
	Tags []string
	// Strict makes errors of warnings.
	Strict bool
	// AdmissionRegistration is "v1" or "v1beta1".
	AdmissionRegistration string
	// Outputs are the kinds of files that are wanted: "manifests", "handlers", "conversions", "tests".
	Outputs []string
	// Manifest is the manifest's absolute path.
	Manifest string
	// Origin is where a project gets webhook-gen from. Only commands that change go.mod need it.
	Origin Origin
}

// Change is what a run does to one file.
type Change = output.Change

// Result is what a run found and made.
type Result struct {
	// Root is the module's folder.
	Root string
	// Diagnostics are the findings of every phase, sorted.
	Diagnostics diag.List
	// Files are all files that the markers ask for; none where there are errors.
	Files []output.File
	// Changes are what has to happen on disk; none where there are errors.
	Changes []Change

	direct       [][]byte
	lacksRuntime bool
}

// Generate reads the packages and makes the files that their markers ask for.
func Generate(ctx context.Context, c Config) Result {
	run, diags := c.resolve()
	return run.generate(ctx, diags, edits{})
}

// generate makes the files that the markers ask for once the edits are made, and the edits with them.
func (r run) generate(ctx context.Context, diags diag.List, e edits) Result {
	source, project, found := r.project(ctx, e)
	diags.Add(found...)
	diags.Add(check.Project(project)...)
	diags.Add(r.checkCallers(project)...)
	diags.Add(r.checkBases()...)
	conversions, found := convert.Project(ctx, source.Module, project)
	diags.Add(found...)
	result := Result{Root: r.root}
	diags.Add(r.checkRuntime(ctx, e)...)
	options := r.render(source.Module)
	var err error
	if options.Imported, err = r.importedRuntime(ctx, source.Module, e); err != nil {
		diags.Add(diag.Errorf(diag.Range{}, "", "%s", err))
	}
	diags.Add(checkProgram(project, conversions, options)...)
	files, err := render.Project(project, conversions, options)
	if err != nil {
		diags.Add(diag.Errorf(diag.Range{}, "", "%s", err))
	}
	if result.direct, err = render.Direct(project, options); err != nil {
		diags.Add(diag.Errorf(diag.Range{}, "", "%s", err))
	}
	merged, found := r.definitions(project)
	diags.Add(found...)
	files = r.heading.Above(append(files, merged...))
	changes, found := output.Compare(r.root, slices.Concat(files, r.heading.Above(e.create)), r.owned(source))
	diags.Add(found...)

	if r.Strict {
		diags = diags.Promote()
	}
	result.Diagnostics = diags.Sort()
	if !diags.HasErrors() {
		result.Files, result.Changes = files, e.among(changes)
		version, _ := runtimeVersion(r.root)
		result.lacksRuntime = !r.vendored() && version == "" && importsRuntime(files) &&
			source.Module.Dir == r.root && !source.Module.InWorkspace(RuntimeModule)
	}
	return result
}

// project reads the packages as they are once the edits are made.
func (r run) project(ctx context.Context, e edits) (load.Result, *model.Project, diag.List) {
	source, diags := load.Load(ctx, load.Config{Dir: r.dir, Patterns: r.Packages, Tags: r.Tags, Markers: markers(), Overlay: e.overlay()})
	project, found := r.build(ctx, source.Module, source.Packages, r.model())
	diags.Add(found...)
	return source, project, diags
}

// build makes the project of the packages' markers: +webhook markers and, unless another
// tool reads them, +kubebuilder markers.
func (r run) build(ctx context.Context, module *load.Module, packages []*load.Package, o build.Options) (*model.Project, diag.List) {
	var others []*model.Configuration
	var diags diag.List
	if r.Kubebuilder {
		others, diags = kubebuilder.Configurations(packages)
	}
	project, found := build.Project(ctx, module, packages, others, o)
	diags.Add(found...)
	return project, diags
}

// markers are the texts of which a file must hold one to be of interest.
func markers() []string { return []string{"+" + registry.Prefix, "+kubebuilder:webhook"} }

// run is what a Config comes to, webhook-gen.yaml considered.
type run struct {
	config.Config
	root        string         // the module's folder
	dir         string         // what Packages are relative to
	manifest    string         // absolute
	asNew       bool           // files that are written once are asked for, whether or not they are there
	heading     output.Heading // the user's text at the top of files
	origin      Origin
	authorities []byte // who signs the server's certificate, PEM; nil where something in the cluster says it
	whole       bool   // the packages are all that the project generates from
	// speaksFor are the outputs whose files are removed where nothing asks for them.
	speaksFor []string
}

func (c Config) resolve() (run, diag.List) {
	root, ok := load.Root(c.Dir)
	if !ok {
		root = c.Dir // load says what is missing
	}
	settings, diags := config.Read(root)
	r := run{Config: settings, root: root, dir: root, origin: c.Origin}
	r.manifest = filepath.Join(root, filepath.FromSlash(settings.Manifests.Path))
	r.whole = true
	if len(c.Patterns) > 0 {
		r.Packages, r.dir = c.Patterns, c.Dir
		r.whole = c.Dir == root && slices.Contains(c.Patterns, "./...")
	}
	if len(c.Tags) > 0 {
		r.Tags = c.Tags
	}
	r.speaksFor = []string{output.Manifests, output.Handlers, output.Conversions, output.Tests, output.Deliveries}
	if len(c.Outputs) > 0 {
		r.Outputs, r.speaksFor = c.Outputs, c.Outputs
	}
	if c.AdmissionRegistration != "" {
		r.Manifests.AdmissionRegistration = c.AdmissionRegistration
	}
	if c.Manifest != "" {
		r.manifest = c.Manifest
	}
	r.Strict = r.Strict || c.Strict
	diags.Add(r.readAuthorities()...)
	if r.HeaderFile.Path != "" {
		heading, problems := output.ReadHeading(root, r.HeaderFile.Path, r.HeaderFile.Place)
		r.heading = heading
		diags.Add(problems...)
	}
	return r, diags
}

// owned are the existing files of ours that the run speaks for: those of them that nothing asks
// for any more are removed. A run over some packages cannot know what others ask for, and one that is
// told on the command line to generate only some outputs leaves the others alone.
func (r run) owned(source load.Result) []string {
	if !r.whole {
		return nil
	}
	below := load.GeneratedBelow(filepath.Join(r.root, filepath.FromSlash(r.Handlers.Path)))
	patches, _ := filepath.Glob(filepath.Join(r.root, filepath.FromSlash(output.CRDPatches), output.CRDPatch)) // the pattern is a good one
	owned := slices.Concat(source.Generated, below, patches, []string{r.manifest, filepath.Join(filepath.Dir(r.manifest), "kustomization.yaml")})
	if r.Program != "" {
		owned = append(owned, render.ProgramFile(filepath.Join(r.root, filepath.FromSlash(r.Program)))) // whether or not a pattern covers it
	}
	owned = slices.DeleteFunc(owned, func(file string) bool {
		outputs := output.KindsOf(file)
		return outputs == nil || slices.ContainsFunc(outputs, func(o string) bool { return !slices.Contains(r.speaksFor, o) })
	})
	if slices.Contains(r.speaksFor, output.Deliveries) {
		owned = append(owned, r.delivered()...)
	}
	return owned
}

func (r run) model() build.Options {
	o := build.Options{Domain: r.Domain, API: r.Manifests.AdmissionRegistration, NamePrefix: r.Manifests.NamePrefix, AsNew: r.asNew}
	r.deliver(&o)
	if slices.Contains(r.Outputs, output.Handlers) {
		o.Handlers = r.Handlers.Path
	}
	if slices.Contains(r.Outputs, output.Conversions) {
		o.Conversions = r.Handlers.Path
	}
	return o
}

func (r run) render(m *load.Module) render.Options {
	o := render.Options{
		Outputs: r.Outputs, Manifest: r.manifest, Header: r.Manifests.Header, Handlers: r.Handlers.Path, Vendored: r.vendored(), Definitions: r.CRDs, Patches: len(r.CRDs) == 0, Program: r.program(m),
		Delivery: r.delivery(), Kustomization: r.Delivery.Name != "" || !r.Kubebuilder, Samples: r.Tests.Samples, Integration: r.Tests.Integration,
	}
	if m != nil {
		o.HandlersName, _ = m.PackageName(path.Join(m.Path, r.Handlers.Path))
		o.Replacements = m.Replacements(filepath.Join(m.Dir, filepath.FromSlash(r.Tests.Integration)))
	}
	return o
}

// definitions are the files of CRDs in which conversions are told, where webhook-gen.yaml names such files.
func (r run) definitions(p *model.Project) ([]output.File, diag.List) {
	if len(r.CRDs) == 0 || !slices.Contains(r.Outputs, output.Conversions) {
		return nil, nil
	}
	var conversions []crd.Conversion
	for _, d := range convert.Definitions(p) {
		stanza, err := render.Stanza(d, r.delivery())
		if err != nil {
			return nil, diag.List{diag.Errorf(diag.Range{}, "", "writing spec.conversion: %s", err)}
		}
		conversions = append(conversions, crd.Conversion{Range: d.Range, Name: d.Name, Versions: d.Versions, Stanza: stanza})
	}
	return crd.Merge(crd.Options{Root: r.root, Patterns: r.CRDs, Whole: r.whole}, conversions)
}

// program is the package of the program that is to register all webhooks; it has the name that it has,
// and is a main where there is none yet.
func (r run) program(m *load.Module) model.HandlerPackage {
	if r.Program == "" || m == nil {
		return model.HandlerPackage{}
	}
	p := model.HandlerPackage{Dir: filepath.Join(m.Dir, filepath.FromSlash(r.Program)), Path: path.Join(m.Path, r.Program), Name: "main"}
	if name, ok := m.PackageName(p.Path); ok {
		p.Name = name
	}
	return p
}

// Manifest is the text of the webhook configurations; empty if there are none.
func (r Result) Manifest() []byte {
	for _, f := range r.Files {
		if f.Owner == output.Manifest {
			return f.Content
		}
	}
	return nil
}

// Notes say what to know of the changes besides, each once.
func (r Result) Notes() []string {
	var notes []string
	for _, c := range r.Changes {
		if c.Note != "" && !slices.Contains(notes, c.Note) {
			notes = append(notes, c.Note)
		}
	}
	return notes
}

// Direct are the webhook configurations, and patches of the CustomResourceDefinitions whose versions webhooks convert,
// as they are where an API server calls the program itself, and wherever the project has them.
func (r Result) Direct() [][]byte { return r.direct }

// Write carries out the changes: all of them or, where one fails, none. It removes what earlier runs that were killed
// have left beside the files.
func (r Result) Write() diag.List {
	var folders []string
	for _, f := range r.Files {
		folders = append(folders, filepath.Dir(f.Path))
	}
	for _, c := range r.Changes {
		folders = append(folders, filepath.Dir(c.Path))
	}
	slices.Sort(folders)
	output.Sweep(slices.Compact(folders))
	return output.Write(r.Changes)
}

// Diff prints the changes as a unified diff with paths relative to the module.
func (r Result) Diff(w io.Writer) error { return output.Diff(w, r.Root, r.Changes) }

// SPDX-License-Identifier: Apache-2.0

// Package generator is the engine of webhook-gen: it reads markers and makes files. generator.go is the whole pipeline;
// every other package below internal/ is one phase of it.
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
	"github.com/webhook-gen/webhook-gen/internal/regular"
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
	// Outputs are the kinds of files to make: "manifests", "handlers", "conversions", "tests".
	Outputs []string
	// Manifest is the manifest's absolute path.
	Manifest string
	// Origin is the source of webhook-gen for the project. Only commands that change go.mod need it.
	Origin Origin
}

// Change is what a run does to one file.
type Change = output.Change

// Result is the outcome of a run.
type Result struct {
	// Root is the module's folder.
	Root string
	// Diagnostics are the findings of every phase, sorted.
	Diagnostics diag.List
	// Files are all files made from the markers; empty if there are errors.
	Files []output.File
	// Changes are the changes to make on disk; empty if there are errors.
	Changes []Change

	direct       [][]byte
	lacksRuntime bool
}

// Generate reads the packages and makes the files for their markers.
func Generate(ctx context.Context, c Config) Result {
	run, diags := c.resolve()
	return run.generate(ctx, diags, edits{})
}

// generate applies the edits in memory and makes the files for the markers. The result contains the edits too.
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
	options.Schemas = r.schemas(project)
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

// project reads the packages with the edits applied.
func (r run) project(ctx context.Context, e edits) (load.Result, *model.Project, diag.List) {
	source, diags := load.Load(ctx, load.Config{Dir: r.dir, Patterns: r.Packages, Tags: r.Tags, Markers: markers(), Overlay: e.overlay()})
	project, found := r.build(ctx, source.Module, source.Packages, r.model())
	diags.Add(found...)
	return source, project, diags
}

// build makes the project from the packages' markers: +webhook markers and, unless another tool reads
// them, +kubebuilder markers.
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

// markers returns the texts to search files for. A file without any of them is not parsed.
func markers() []string { return []string{"+" + registry.Prefix, "+kubebuilder:webhook"} }

// run is a Config completed from webhook-gen.yaml.
type run struct {
	config.Config
	root        string         // the module's folder
	dir         string         // base folder of Packages
	manifest    string         // absolute
	asNew       bool           // includes the files that are created once, even if they exist
	heading     output.Heading // the user's text at the top of files
	origin      Origin
	authorities []byte // CA of the server's certificate, PEM; nil if something in the cluster provides it
	whole       bool   // the packages are all packages of the project
	// speaksFor are the outputs whose files are removed once no marker needs them.
	speaksFor []string
}

func (c Config) resolve() (run, diag.List) {
	root, ok := load.Root(c.Dir)
	if !ok {
		root = c.Dir // load reports the missing go.mod
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

// owned returns the existing generated files that the run may remove. It removes the ones that no marker needs any
// more. A run over some packages cannot know which files other packages need. A run with outputs set on the command
// line leaves the files of other outputs alone.
func (r run) owned(source load.Result) []string {
	if !r.whole {
		return nil
	}
	below := load.GeneratedBelow(filepath.Join(r.root, filepath.FromSlash(r.Handlers.Path)))
	// The pattern is valid, so there is no error.
	patches, _ := filepath.Glob(filepath.Join(r.root, filepath.FromSlash(output.CRDPatches), output.CRDPatch))
	owned := slices.Concat(source.Generated, below, patches, []string{r.manifest, filepath.Join(filepath.Dir(r.manifest), "kustomization.yaml")})
	if r.Program != "" {
		// The program's file counts even if no pattern covers its package.
		owned = append(owned, render.ProgramFile(filepath.Join(r.root, filepath.FromSlash(r.Program))))
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

// definitions returns the CRD files with their conversions set, if webhook-gen.yaml names such files.
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

// schemas returns the files that define the kinds with conversions, by the names of the definitions: the files of crds
// in webhook-gen.yaml, or else the folder that controller-gen writes.
func (r run) schemas(p *model.Project) map[string]string {
	files := map[string]string{}
	definitions := convert.Definitions(p)
	if len(definitions) == 0 || !slices.Contains(r.Outputs, output.Tests) {
		return files
	}
	patterns := r.CRDs
	if len(patterns) == 0 {
		patterns = []string{render.CRDBases}
	}
	for _, file := range (crd.Options{Root: r.root, Patterns: patterns}).Files() {
		text, err := regular.ReadFile(file)
		if err != nil {
			continue // other phases report the files that they need
		}
		for _, d := range definitions {
			if _, ok := files[d.Name]; !ok && crd.Defines(text, d.Name, d.Versions) {
				files[d.Name] = file
			}
		}
	}
	return files
}

// program returns the package of the program that registers all webhooks, under its existing name. The name is main if
// the package does not exist yet.
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

// Manifest returns the text of the webhook configurations, or nothing without configurations.
func (r Result) Manifest() []byte {
	for _, f := range r.Files {
		if f.Owner == output.Manifest {
			return f.Content
		}
	}
	return nil
}

// Notes returns the notes on the changes, without duplicates.
func (r Result) Notes() []string {
	var notes []string
	for _, c := range r.Changes {
		if c.Note != "" && !slices.Contains(notes, c.Note) {
			notes = append(notes, c.Note)
		}
	}
	return notes
}

// Direct returns the webhook configurations and the patches of the CustomResourceDefinitions with conversion webhooks.
// They have the form in which an API server calls the program itself. The result does not depend on how the project is
// deployed.
func (r Result) Direct() [][]byte { return r.direct }

// Write carries out all changes, or none if one fails. It also removes temporary files that earlier, killed runs left
// beside the files.
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

// Diff prints the changes as a unified diff. Paths are relative to the module.
func (r Result) Diff(w io.Writer) error { return output.Diff(w, r.Root, r.Changes) }

// SPDX-License-Identifier: Apache-2.0

// Package engine is the whole pipeline: it reads markers and makes files. Every package of an earlier phase is one step
// of it.
//
//	patterns -> load -> front ends -> build -> check -> convert -> render -> output
//
// Generate writes nothing. Its Result is a value that can be written, shown as a diff, or dropped.
package engine

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

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
	// AcceptRemoval lets enforcement go whose cause is not an act of the user, such as a package that is not read.
	AcceptRemoval bool
	// ComparesNothing does not look for enforcement that goes. It is for runs that write no files.
	ComparesNothing bool
}

// Result is the outcome of a run.
type Result struct {
	// Root is the module's folder.
	Root string
	// Diagnostics are the findings of every phase, sorted.
	Diagnostics diag.List
	// Files are all files made from the markers; empty if there are errors.
	Files []output.File
	// Changes are the changes to make on disk; empty if there are errors.
	Changes []output.Change
	// Direct are the webhook configurations and the patches of the CustomResourceDefinitions with conversion webhooks,
	// in the form in which an API server calls the program itself. They do not depend on how the project is deployed.
	Direct [][]byte
	// LacksRuntime is true if generated files import the runtime module and go.mod does not require it.
	LacksRuntime bool
}

// Generate reads the packages and makes the files for their markers.
func Generate(ctx context.Context, c Config) Result {
	r := c.Resolve()
	return r.Generate(ctx, r.Read(ctx, Edits{}), Edits{})
}

// State is a project as its markers and its source describe it.
type State struct {
	load.Result
	// Project is the model of the packages' markers.
	Project *model.Project
	// Diagnostics are the findings in webhook-gen.yaml, the source and the markers.
	Diagnostics diag.List

	markers diag.List // Diagnostics without those on the user's validators and defaulters
}

// Read reads the packages with the edits applied.
func (r Run) Read(ctx context.Context, e Edits) State {
	source, diags := load.Load(ctx, load.Config{Dir: r.dir, Patterns: r.Packages, Tags: r.Tags, Markers: markers(), Overlay: e.Overlay()})
	s := r.Build(ctx, source)
	s.markers.Add(diags...)
	s.Diagnostics.Add(diags...)
	return s
}

// Reread brings the facts about the user's validators, defaulters and functions for tests up to date with further edits
// of their files, without another model. It adds the sample objects of functions that the user has written.
func (s *State) Reread(ctx context.Context, e Edits) {
	if s.Module != nil { // nil is an error already
		s.Module.Overlay(e.Overlay())
		s.inspect(ctx, true)
	}
}

// Build makes the model of the packages' +webhook markers and, unless another tool reads them, +kubebuilder markers.
func (r Run) Build(ctx context.Context, source load.Result) State {
	var others []*model.Configuration
	s := State{Result: source}
	if r.Kubebuilder {
		others, s.markers = kubebuilder.Configurations(source.Packages)
	}
	project, found := build.Project(ctx, source.Module, source.Packages, others, r.model())
	r.addDefinitionRules(project)
	s.Project = project
	s.markers = slices.Concat(r.Diagnostics, s.markers, found)
	s.inspect(ctx, false)
	return s
}

// inspect reads the user's validators and defaulters. While a marker has a mistake, it reports none of their methods:
// that marker may be what calls them.
func (s *State) inspect(ctx context.Context, samples bool) {
	others, _, _ := kubebuilder.Read(s.Packages) // also if another tool reads these markers, and reports their mistakes
	found := build.Implementations(ctx, s.Module, s.Project, others, samples)
	if s.markers.HasErrors() {
		found = nil
	}
	s.Diagnostics = slices.Concat(s.markers, found)
}

// Generate makes the files for the markers of a state that was read with the edits. The result contains the edits too.
func (r Run) Generate(ctx context.Context, s State, e Edits) Result {
	project := s.Project
	diags := slices.Concat(s.Diagnostics, check.Project(project), r.checkNever(project), r.checkCallers(project), r.checkConvertible(ctx, s))
	conversions, inConversions := convert.Project(ctx, s.Module, project)
	result := Result{Root: r.Root}
	options, unread := r.Rendering(s.Module)
	files, inDefinitions := r.definitions(project, &options)
	diags = slices.Concat(diags, inConversions, unread, r.checkListed(project, options), inDefinitions,
		checkProgram(project, conversions, options))
	rendered, err := render.Project(project, conversions, options)
	if err != nil && !diags.HasErrors() { // else it may follow from a mistake in go.mod
		diags.Add(diag.Errorf(diag.Range{}, "", "%s", err))
	}
	if result.Direct, err = render.Direct(project, options); err != nil {
		diags.Add(diag.Errorf(diag.Range{}, "", "%s", err))
	}
	files = r.Heading.Above(append(rendered, files...))
	changes, found := output.Compare(r.Root, slices.Concat(files, r.Heading.Above(e.Create)), r.owned(s.Generated))
	diags.Add(found...)
	changes = e.Among(changes)
	if !diags.HasErrors() { // with a mistake in a marker, a name is only missing until the mistake is mended
		removals := r.removals(ctx, s, e, changes)
		if diags.Add(removals...); !removals.HasErrors() { // else no code has lost its marker
			orphans := output.Orphans(changes)
			if !r.accepts {
				used := map[string][]string{}
				for _, w := range project.Webhooks() {
					if h := w.Handler; h != nil {
						used[h.Package.Dir] = append(used[h.Package.Dir], h.Implementation)
					}
				}
				renamed, others := output.Renamed(r.Root, changes, used, orphans)
				diags.Add(renamed...)
				orphans = others
			}
			diags.Add(orphans...)
		}
	}

	diags.Add(r.renamedDelivery(changes)...)
	if r.Diagnostics.HasErrors() {
		diags = r.Diagnostics // the other findings may follow from settings that could not be read
	}
	if r.Strict {
		diags = diags.Promote()
	}
	result.Diagnostics = diags.Sorted()
	if !diags.HasErrors() {
		result.Files, result.Changes = files, changes
		result.LacksRuntime = r.LacksRuntime(s, files)
	}
	return result
}

// LacksRuntime reports whether files import the runtime module and go.mod does not require it.
func (r Run) LacksRuntime(s State, files []output.File) bool {
	return ImportsRuntime(files) && s.Module.Dir == r.Root && !s.Module.Requires(RuntimeModule) && !s.Module.InWorkspace(RuntimeModule)
}

// markers returns the texts to search files for. A file without any of them is not parsed.
func markers() []string { return []string{"+" + registry.Prefix, "+kubebuilder:webhook"} }

// Run is a Config completed from webhook-gen.yaml.
type Run struct {
	config.Config
	// Root is the module's folder.
	Root string
	// Manifest is the manifest's absolute path.
	Manifest string
	// Heading is the user's text at the top of files.
	Heading output.Heading
	// Diagnostics are the findings in webhook-gen.yaml and the files that it names.
	Diagnostics diag.List

	dir         string // base folder of Packages
	authorities []byte // CA of the server's certificate, PEM; nil if something in the cluster provides it
	whole       bool   // the packages are all packages of the project
	compares    bool   // enforcement that goes is reported
	accepts     bool   // and may go, whatever the cause
	// speaksFor are the outputs whose files are removed once no marker needs them.
	speaksFor []string
}

// allPackages is the pattern of all packages of a module.
const allPackages = "./..."

// Resolve completes the Config from webhook-gen.yaml.
func (c Config) Resolve() Run {
	return c.complete(config.Read(c.Root()))
}

// ResolveWith completes the Config from a text of webhook-gen.yaml that need not be on disk.
func (c Config) ResolveWith(text []byte) Run {
	return c.complete(config.Parse(filepath.Join(c.Root(), config.FileName), text))
}

// Root returns the module's folder, or Dir if it is in no module.
func (c Config) Root() string {
	root, _ := load.Root(c.Dir)
	return cmp.Or(root, c.Dir) // load reports the missing go.mod
}

func (c Config) complete(settings config.Config, diags diag.List) Run {
	root := c.Root()
	r := Run{Config: settings, Root: root, dir: root, Diagnostics: diags, whole: true}
	r.Manifest = cmp.Or(c.Manifest, filepath.Join(root, filepath.FromSlash(settings.Manifests.Path)))
	r.Manifests.AdmissionRegistration = cmp.Or(c.AdmissionRegistration, settings.Manifests.AdmissionRegistration)
	if len(c.Patterns) == 0 && slices.Equal(r.Packages, []string{allPackages}) {
		r.Packages = append(r.Packages, load.Nested(root)...)
	}
	if len(c.Patterns) > 0 {
		r.Packages, r.dir = c.Patterns, c.Dir
		r.whole = c.Dir == root && slices.Contains(c.Patterns, allPackages)
	}
	if len(c.Tags) > 0 {
		r.Tags = c.Tags
	}
	r.speaksFor = []string{output.Manifests, output.Handlers, output.Conversions, output.Tests, output.Deliveries}
	for _, o := range c.Outputs {
		if !slices.Contains(r.speaksFor, o) {
			r.Diagnostics.Add(diag.Errorf(diag.Range{}, "", "%q is not an output: those are %s", o, strings.Join(r.speaksFor, ", ")))
		}
	}
	r.compares, r.accepts = !c.ComparesNothing && len(c.Outputs) == 0, c.AcceptRemoval
	if len(c.Outputs) > 0 {
		r.Outputs, r.speaksFor = c.Outputs, c.Outputs
	}
	r.Strict = r.Strict || c.Strict
	r.Diagnostics.Add(r.readAuthorities()...)
	if r.HeaderFile.V != "" {
		heading, problems := output.ReadHeading(root, r.HeaderFile.V, r.HeaderFile.At)
		r.Heading = heading
		r.Diagnostics.Add(problems...)
	}
	r.Heading = r.Heading.In(root)
	return r
}

// owned returns the existing generated files that the run may remove. It removes the ones that no marker needs any
// more. A run over some packages cannot know which files other packages need. A run with outputs set on the command
// line leaves the files of other outputs alone.
func (r Run) owned(generated []string) []string {
	if !r.whole {
		return nil
	}
	manifests := filepath.Dir(r.Manifest)
	owned := slices.Concat(generated, load.GeneratedBelow(filepath.Join(r.Root, filepath.FromSlash(r.Handlers.Path))),
		load.Names(r.Root, path.Join(output.CRDPatches, output.CRDPatch)), load.Names(manifests, render.ReplacementFiles()...), []string{
			r.Manifest, filepath.Join(manifests, render.PoliciesFile), filepath.Join(manifests, "kustomization.yaml"),
		})
	if r.Program != "" {
		// The program's file counts even if no pattern covers its package.
		owned = append(owned, render.ProgramFile(filepath.Join(r.Root, filepath.FromSlash(r.Program))))
	}
	owned = slices.DeleteFunc(owned, func(file string) bool {
		return !slices.Contains(r.speaksFor, output.KindOf(file))
	})
	if slices.Contains(r.speaksFor, output.Deliveries) {
		owned = append(owned, load.Names(r.Root, render.DeliveryPatterns()...)...)
	}
	return owned
}

func (r Run) model() build.Options {
	o := build.Options{Domain: r.Domain, API: r.Manifests.AdmissionRegistration, NamePrefix: r.Manifests.NamePrefix, MinKubernetes: r.MinKubernetesVersion}
	r.deliver(&o)
	if slices.Contains(r.Outputs, output.Handlers) {
		o.Handlers = r.Handlers.Path
	}
	if slices.Contains(r.Outputs, output.Conversions) {
		o.Conversions = r.Handlers.Path
	}
	return o
}

// Rendering returns the options for the files of a module. It also reports the files that cannot be read.
func (r Run) Rendering(m *load.Module) (render.Options, diag.List) {
	delivery, unread := r.Deployment()
	o := render.Options{
		Outputs: r.Outputs, Manifest: r.Manifest, Header: r.Manifests.Header, Handlers: r.Handlers.Path, Definitions: r.CRDs, Patches: len(r.CRDs) == 0, Program: r.program(m),
		Delivery: delivery, Kustomization: r.Delivery.Name != "" || !r.Kubebuilder, Samples: r.Tests.Samples, Integration: r.Tests.Integration,
	}
	if m != nil {
		o.HandlersName, _ = m.PackageName(path.Join(m.Path, r.Handlers.Path))
		o.Replacements = m.Replacements(filepath.Join(m.Dir, filepath.FromSlash(r.Tests.Integration)))
	}
	return o, unread
}

// DefinitionPatterns are the files with CustomResourceDefinitions: crds in webhook-gen.yaml, or else the folder that
// controller-gen writes.
func (r Run) DefinitionPatterns() []string {
	if len(r.CRDs) == 0 {
		return []string{render.CRDBases}
	}
	return r.CRDs
}

// definitions returns the CRD files with their conversions set, if webhook-gen.yaml names such files. For tests, it
// sets the files that define the kinds with conversions.
func (r Run) definitions(p *model.Project, o *render.Options) ([]output.File, diag.List) {
	all := convert.Definitions(p)
	tested, merged := len(all) > 0 && slices.Contains(r.Outputs, output.Tests), len(r.CRDs) > 0 && slices.Contains(r.Outputs, output.Conversions)
	if !tested && !merged {
		return nil, nil
	}
	files := load.Texts(r.Root, r.DefinitionPatterns()...)
	o.Schemas = map[string]string{}
	var conversions []crd.Conversion
	for _, d := range all {
		i := slices.IndexFunc(files, func(f load.Text) bool { return crd.Defines(f.Content, d.Name, d.Versions) })
		if tested && i >= 0 {
			o.Schemas[d.Name] = files[i].Path
		}
		stanza, err := render.Stanza(d, o.Delivery)
		if err != nil {
			return nil, diag.List{diag.Errorf(diag.Range{}, "", "writing spec.conversion: %s", err)}
		}
		conversions = append(conversions, crd.Conversion{Range: d.Range, Name: d.Name, Versions: d.Versions, Stanza: stanza})
	}
	if !merged {
		return nil, nil
	}
	return crd.Merge(crd.Options{Files: files, Patterns: r.CRDs, Whole: r.whole}, conversions)
}

// program returns the package of the program that registers all webhooks, under its existing name. The name is main if
// the package does not exist yet.
func (r Run) program(m *load.Module) model.HandlerPackage {
	if r.Program == "" || m == nil {
		return model.HandlerPackage{}
	}
	importPath := path.Join(m.Path, r.Program)
	name, _ := m.PackageName(importPath)
	return model.HandlerPackage{Dir: filepath.Join(m.Dir, filepath.FromSlash(r.Program)), Path: importPath, Name: cmp.Or(name, "main")}
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

// Program returns the module's folder and path, and the program's folder in it, as set in webhook-gen.yaml. program is
// empty if webhook-gen.yaml does not set it.
func Program(c Config) (root, module, program string, err error) {
	r := c.Resolve()
	for _, d := range r.Diagnostics {
		if d.Severity == diag.Error {
			return "", "", "", errors.New(d.Message)
		}
	}
	module, _ = load.ModulePath(r.Root) // a folder without go.mod has none
	return r.Root, module, r.Program, nil
}

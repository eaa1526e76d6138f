// SPDX-License-Identifier: Apache-2.0

// Package engine runs the whole pipeline from markers to files. Each step is a package.
//
//	patterns -> load -> front ends -> build -> check -> convert -> render -> output
//
// Generate writes nothing. The caller can write its Result, print it as a diff, or drop it.
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

// Result is the outcome of a run.
type Result struct {
	// Root is the module's folder.
	Root string
	// Diagnostics are the findings of every phase, sorted.
	Diagnostics diag.List
	// Files are the generated files. It is empty if there are errors.
	Files []output.File
	// Changes are the changes on disk. It is empty if there are errors.
	Changes []output.Change
	// LacksRuntime is true if generated files import the runtime module and go.mod does not require it.
	LacksRuntime bool

	project *model.Project
	options render.Options
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

// inspect reads the user's validators and defaulters. If a marker has an error, it reports no unused methods, because
// that marker may use them.
func (s *State) inspect(ctx context.Context, samples bool) {
	others, _, _ := kubebuilder.Read(s.Packages) // another tool may read these markers and report their errors
	found := build.Implementations(ctx, s.Module, s.Project, others, samples)
	if s.markers.HasErrors() {
		found = nil
	}
	s.Diagnostics = slices.Concat(s.markers, found)
}

// Generate generates the files for a state that was read with the edits. The result includes the edits.
func (r Run) Generate(ctx context.Context, s State, e Edits) Result {
	project := s.Project
	diags := slices.Concat(s.Diagnostics, check.Project(project), r.checkNever(project), r.checkCallers(project), r.checkConvertible(ctx, s))
	conversions, inConversions := convert.Project(ctx, s.Module, project)
	options, unread := r.Rendering(s.Module)
	files, inDefinitions := r.definitions(project, &options)
	result := Result{Root: r.Root, project: project, options: options}
	diags = slices.Concat(diags, inConversions, unread, r.checkListed(project, options), inDefinitions,
		checkProgram(project, conversions, options))
	rendered, err := render.Project(project, conversions, options)
	if err != nil && !diags.HasErrors() { // else an error in go.mod may cause it
		diags.Add(diag.Errorf(diag.Range{}, "", "%s", err))
	}
	files = r.Heading.Above(append(rendered, files...))
	changes, found := output.Compare(r.Root, slices.Concat(files, r.Heading.Above(e.Create)), r.owned(s.Generated))
	diags.Add(found...)
	changes = e.Among(changes)
	if !diags.HasErrors() { // an error in a marker may cause a missing name
		removals := r.removals(ctx, s, e, changes)
		if diags.Add(removals...); !removals.HasErrors() { // else no code has lost its marker
			orphans := output.Orphans(changes)
			if !r.acceptsRemovals {
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
		diags = r.Diagnostics // invalid settings may cause the other findings
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

// markers returns search texts. Load does not parse a file without any of them.
func markers() []string { return []string{"+" + registry.Prefix, "+kubebuilder:webhook"} }

// Run is a Config completed from webhook-gen.yaml.
type Run struct {
	config.Config
	// Root is the module's folder.
	Root string
	// Manifest is the manifest's absolute path.
	Manifest string
	// Heading is the user's text at the top of generated files.
	Heading output.Heading
	// Diagnostics are the findings in webhook-gen.yaml and the files that it names.
	Diagnostics diag.List

	dir             string // base folder of Packages
	authorities     []byte // PEM of the CA for the server's certificate; nil if something in the cluster injects it
	readsAll        bool   // the run reads all packages of the project
	reportsRemovals bool   // the run reports removed enforcement
	acceptsRemovals bool   // the run allows removed enforcement of any cause
	// speaksFor lists the outputs of which the run removes unused files.
	speaksFor []string
}

// allPackages is the pattern of all packages of a module.
const allPackages = "./..."

// Resolve completes the Config from webhook-gen.yaml.
func (c Config) Resolve() Run {
	return c.complete(config.Read(c.Root()))
}

// ResolveWith completes the Config from the text of a webhook-gen.yaml, which need not be on disk.
func (c Config) ResolveWith(text []byte) Run {
	return c.complete(config.Parse(filepath.Join(c.Root(), config.FileName), text))
}

// Root returns the module's folder, or Dir outside of a module.
func (c Config) Root() string {
	root, _ := load.Root(c.Dir)
	return cmp.Or(root, c.Dir) // load reports the missing go.mod
}

func (c Config) complete(settings config.Config, diags diag.List) Run {
	root := c.Root()
	r := Run{Config: settings, Root: root, dir: root, Diagnostics: diags, readsAll: true}
	r.Manifest = cmp.Or(c.Manifest, filepath.Join(root, filepath.FromSlash(settings.Manifests.Path)))
	r.Manifests.AdmissionRegistration = cmp.Or(c.AdmissionRegistration, settings.Manifests.AdmissionRegistration)
	if len(c.Patterns) == 0 && slices.Equal(r.Packages, []string{allPackages}) {
		r.Packages = append(r.Packages, load.Nested(root)...)
	}
	if len(c.Patterns) > 0 {
		r.Packages, r.dir = c.Patterns, c.Dir
		r.readsAll = c.Dir == root && slices.Contains(c.Patterns, allPackages)
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
	r.reportsRemovals, r.acceptsRemovals = !c.ComparesNothing && len(c.Outputs) == 0, c.AcceptRemoval
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

// owned returns the existing generated files that the run removes if no marker needs them. A run over some packages
// owns no files, because the others' needs are unknown. With outputs on the command line, the run does not own files
// of other outputs.
func (r Run) owned(generated []string) []string {
	if !r.readsAll {
		return nil
	}
	manifests := filepath.Dir(r.Manifest)
	owned := slices.Concat(generated, load.GeneratedBelow(filepath.Join(r.Root, filepath.FromSlash(r.Handlers.Path))),
		load.Names(r.Root, path.Join(output.CRDPatches, output.CRDPatch)), load.Names(manifests, render.ReplacementFiles()...), []string{
			r.Manifest, filepath.Join(manifests, render.PoliciesFile), filepath.Join(manifests, "kustomization.yaml"),
		})
	if r.Program != "" {
		// The run owns the program's file even if no pattern matches its package.
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

// DefinitionPatterns returns patterns for CRD files: crds in webhook-gen.yaml, or controller-gen's folder.
func (r Run) DefinitionPatterns() []string {
	if len(r.CRDs) == 0 {
		return []string{render.CRDBases}
	}
	return r.CRDs
}

// definitions returns the CRD files in webhook-gen.yaml with their conversions set. For tests, it also sets the files
// of the CRDs with conversions in o.
func (r Run) definitions(p *model.Project, o *render.Options) ([]output.File, diag.List) {
	all := render.Definitions(p)
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
	return crd.Merge(crd.Options{Files: files, Patterns: r.CRDs, Whole: r.readsAll}, conversions)
}

// program returns the package of the program that registers all webhooks. Its name is main if the package does not
// exist.
func (r Run) program(m *load.Module) model.HandlerPackage {
	if r.Program == "" || m == nil {
		return model.HandlerPackage{}
	}
	importPath := path.Join(m.Path, r.Program)
	name, _ := m.PackageName(importPath)
	return model.HandlerPackage{Dir: filepath.Join(m.Dir, filepath.FromSlash(r.Program)), Path: importPath, Name: cmp.Or(name, "main")}
}

// Direct returns the webhook configurations and the patches of the CustomResourceDefinitions with conversion webhooks,
// in the form in which an API server calls the program itself. They do not depend on how the project is deployed.
func (r Result) Direct() ([][]byte, error) { return render.Direct(r.project, r.options) }

// Webhooks returns the webhooks of all markers.
func (r Result) Webhooks() []*model.Webhook { return r.project.Webhooks() }

// Manifest returns the text of the webhook configurations, or nil if there are none.
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

// Write makes all changes, or none if one fails. It also removes the temporary files of earlier, killed runs in the
// same folders.
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

// Program returns the module's folder and path, and the program's folder in the module. program is empty if
// webhook-gen.yaml does not set it.
func Program(c Config) (root, module, program string, err error) {
	r := c.Resolve()
	for _, d := range r.Diagnostics {
		if d.Severity == diag.Error {
			return "", "", "", errors.New(d.Message)
		}
	}
	module, _ = load.ModulePath(r.Root) // a folder without go.mod has no path
	return r.Root, module, r.Program, nil
}

// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"cmp"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/config"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/render"
	"github.com/webhook-gen/webhook-gen/generator/internal/semantics"
)

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

	dir             string   // base folder of Packages
	authorities     []byte   // PEM of the CA for the server's certificate; nil if something in the cluster injects it
	readsAll        bool     // the run reads all packages of the project
	reportsRemovals bool     // the run reports removed enforcement
	acceptsRemovals bool     // the run allows removed enforcement of any cause
	ownedOutputs    []string // the run removes unused files of these outputs
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
	for _, m := range r.Manifests.Files {
		r.Packages = append(slices.Clip(r.Packages), m.Packages...)
	}
	if c.Manifest != "" {
		r.Manifests.Files = nil
	}
	if len(c.Patterns) > 0 {
		r.Packages, r.dir = c.Patterns, c.Dir
		r.readsAll = c.Dir == root && slices.Contains(c.Patterns, allPackages)
	}
	if len(c.Tags) > 0 {
		r.Tags = c.Tags
	}
	r.ownedOutputs = []string{output.Manifests, output.Handlers, output.Conversions, output.Tests, output.Deliveries}
	for _, o := range c.Outputs {
		if !slices.Contains(r.ownedOutputs, o) {
			r.Diagnostics.Add(diag.Errorf(diag.Range{}, "", "%q is not an output: those are %s", o, strings.Join(r.ownedOutputs, ", ")))
		}
	}
	r.reportsRemovals, r.acceptsRemovals = !c.ComparesNothing && len(c.Outputs) == 0, c.AcceptRemoval
	if len(c.Outputs) > 0 {
		r.Outputs, r.ownedOutputs = c.Outputs, c.Outputs
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
	owned := slices.Concat(generated, load.GeneratedBelow(filepath.Join(r.Root, filepath.FromSlash(r.Handlers.Path))),
		load.Names(r.Root, path.Join(output.CRDPatches, output.CRDPatch)))
	for _, manifest := range r.AllManifests() {
		folder := filepath.Dir(manifest)
		owned = append(owned, load.Names(folder, render.ReplacementFiles()...)...)
		owned = append(owned, manifest, filepath.Join(folder, render.PoliciesFile), filepath.Join(folder, "kustomization.yaml"))
	}
	if r.Program != "" {
		// The run owns the program's file even if no pattern matches its package.
		owned = append(owned, render.ProgramFile(filepath.Join(r.Root, filepath.FromSlash(r.Program))))
	}
	owned = slices.DeleteFunc(owned, func(file string) bool {
		return !slices.Contains(r.ownedOutputs, output.KindOf(file))
	})
	if slices.Contains(r.ownedOutputs, output.Deliveries) {
		owned = append(owned, load.Names(r.Root, render.DeliveryPatterns()...)...)
	}
	return owned
}

// model returns the settings of the model.
func (r Run) model() semantics.Options {
	o := semantics.Options{Domain: r.Domain, API: r.Manifests.AdmissionRegistration, NamePrefix: r.Manifests.NamePrefix, MinKubernetes: r.MinKubernetesVersion, Manifests: map[string]string{}}
	if r.Delivery.Name != "" {
		o.NamePrefix = cmp.Or(o.NamePrefix, r.Delivery.Name+"-") // avoids other projects' configurations in the cluster
		o.Service = semantics.ServiceName{Namespace: r.namespace(), Name: r.Delivery.Name}
		o.KeepOut = []string{"kube-system", r.namespace()}
		if !r.isAggregated() { // else only the APIService has the CA bundle
			o.CABundle = r.authorities
		}
	}
	if slices.Contains(r.Outputs, output.Handlers) {
		o.Handlers = r.Handlers.Path
	}
	if slices.Contains(r.Outputs, output.Conversions) {
		o.Conversions = r.Handlers.Path
	}
	return o
}

// Rendering returns the options for the files of a module. schemas are the files of CRDs with conversions, by the
// CRDs' names. Rendering also reports the files that cannot be read.
func (r Run) Rendering(m *load.Module, schemas map[string]string) (render.Options, diag.List) {
	delivery, unread := r.Deployment()
	o := render.Options{
		Outputs: r.Outputs, Manifest: r.Manifest, Header: r.Manifests.Header, Handlers: r.Handlers.Path, Definitions: r.CRDs, Patches: len(r.CRDs) == 0, Program: r.program(m),
		Delivery: delivery, Kustomization: !r.keepsKustomization(), Schemas: schemas, Samples: r.Tests.Samples, Integration: r.Tests.Integration,
	}
	if m != nil {
		o.HandlersName, _ = m.PackageName(path.Join(m.Path, r.Handlers.Path))
		o.Replacements = m.Replacements(filepath.Join(m.Dir, filepath.FromSlash(r.Tests.Integration)))
	}
	return o, unread
}

// keepsKustomization reports whether the user writes the kustomization.yaml beside the manifest.
func (r Run) keepsKustomization() bool { return r.Delivery.Name == "" && r.Kubebuilder }

// DefinitionPatterns returns patterns for CRD files: crds in webhook-gen.yaml, or controller-gen's folder.
func (r Run) DefinitionPatterns() []string {
	if len(r.CRDs) == 0 {
		return []string{render.CRDBases}
	}
	return r.CRDs
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

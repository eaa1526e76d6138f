// SPDX-License-Identifier: Apache-2.0

package project

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"golang.org/x/mod/module"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/webhook-gen/webhook-gen/generator/internal/config"
	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/render"
	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// Options describe a new project. Empty fields are derived.
type Options struct {
	// Module is the module's path. It is required only in a folder without go.mod.
	Module string
	// Domain is the suffix of API groups. The default is the first element of the module path, except for code hosts
	// with many owners.
	Domain string
	// Name is the project's name. The default is the last element of the module path.
	Name string
	// Program is the folder of the program that serves the webhooks, relative to the root. The default is the
	// existing program's folder, or else cmd/webhook.
	Program string
	// Certificates is the source of the server's certificate: "cert-manager", the default, "self-managed" or "secret".
	Certificates string
	// Topology determines how API servers call the program: "service", the default, or "aggregated".
	Topology string
}

// Init creates a project. A folder without Go code becomes a new module. In a folder with Go code, it only writes
// webhook-gen.yaml and generated files.
func Init(ctx context.Context, c Config, p Options) (Result, error) {
	root, ok := load.Root(c.Dir)
	if !ok {
		if p.Module == "" {
			return Result{}, errors.New("the new module needs a path: --module example.com/app")
		}
		return c.newModule(c.Dir, p)
	}
	found, diags := load.Load(ctx, load.Config{Dir: root, Markers: []string{"package "}})
	switch {
	case found.Module == nil || diags.HasErrors():
		return Result{Result: engine.Result{Root: root, Diagnostics: diags.Sorted()}}, errStopped
	case p.Module != "" && p.Module != found.Module.Path:
		return Result{}, fmt.Errorf("this folder belongs to the module %s: leave --module out to add webhooks to it", found.Module.Path)
	}
	p.Module = found.Module.Path
	isNew := !regular.Exists(filepath.Join(root, config.FileName))
	if isNew && len(found.Packages) == 0 {
		return c.newModule(root, p)
	}
	return c.join(ctx, root, p, found.Packages, isNew)
}

// check returns an error for invalid fields, and sets empty ones.
func (p *Options) check() error {
	if err := module.CheckImportPath(p.Module); err != nil {
		return fmt.Errorf("--module: %w", err)
	}
	p.Domain = cmp.Or(p.Domain, ownDomain(p.Module))
	if p.Domain == "" {
		first, _, _ := strings.Cut(p.Module, "/")
		return fmt.Errorf("pass the domain that ends the names of API groups: --domain example.com (the domain of %s is not yours)", first)
	}
	if len(validation.IsDNS1123Subdomain(p.Domain)) > 0 {
		return fmt.Errorf("--domain: %q is not a DNS subdomain, as example.com", p.Domain)
	}
	prefix, _, _ := module.SplitPathVersion(p.Module)
	p.Name = cmp.Or(p.Name, strings.ToLower(strings.NewReplacer(".", "-", "_", "-").Replace(path.Base(prefix))))
	if len(validation.IsDNS1123Label(p.Name)) > 0 {
		return fmt.Errorf("--name: %q cannot name objects in a cluster: lower-case letters, digits and - can", p.Name)
	}
	p.Certificates, p.Topology = cmp.Or(p.Certificates, "cert-manager"), cmp.Or(p.Topology, "service")
	return nil
}

// ownDomain returns the domain in a module's path. It returns "" if the first element is not a domain, or is a code
// host with many owners.
func ownDomain(module string) string {
	first, _, _ := strings.Cut(module, "/")
	forges := []string{"github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "sigs.k8s.io"}
	if slices.Contains(forges, first) || !strings.Contains(first, ".") {
		return ""
	}
	return first
}

func (c Config) newModule(root string, p Options) (Result, error) {
	if err := p.check(); err != nil {
		return Result{}, err
	}
	files, err := firstFiles{Options: p, Alone: true}.below(".", root)
	if err != nil {
		return Result{}, err
	}
	c.Dir = root
	s, err := c.begin(files)
	if err != nil {
		return Result{}, err
	}
	project := &model.Project{Module: model.Module{Path: p.Module, Dir: root}, API: s.Manifests.AdmissionRegistration}
	options, _ := s.Rendering(nil, nil) // a new module has no files to read
	options.Program = model.HandlerPackage{Dir: filepath.Join(root, filepath.FromSlash(s.Program)), Path: path.Join(p.Module, s.Program), Name: "main"}
	generated, err := render.Project(project, nil, options)
	if err != nil {
		return Result{}, err
	}
	changes, found := output.Compare(root, append(files, generated...), nil)
	if err := s.replaceBelow(changes, engine.RuntimeModule, engine.CommandsModule); err != nil {
		return Result{}, err
	}
	diags := append(s.Diagnostics, found...)
	result := Result{Result: engine.Result{Root: root, Diagnostics: diags.Sorted()}}
	if !diags.HasErrors() {
		result.Files, result.Changes = generated, changes
	}
	result.Next = []string{"make test", "make tools", "bin/webhook-gen create api --group shop --version v1 --kind Order"}
	return result, nil
}

// begin completes a project's first files, and returns the site with their settings. go.mod gets the requirements for
// the files' imports.
func (c Config) begin(files []output.File) (s site, err error) {
	i := slices.IndexFunc(files, func(f output.File) bool { return filepath.Base(f.Path) == config.FileName })
	s = site{Run: c.ResolveWith(files[i].Content), origin: c.Origin}
	for i := range files {
		f := &files[i]
		switch isRoot := filepath.Dir(f.Path) == s.Root; {
		case filepath.Base(f.Path) != "go.mod":
		case !isRoot:
			f.Content, err = s.origin.require(f.Path, f.Content, ToolModule)
		default:
			f.Content, err = s.origin.require(f.Path, f.Content, engine.RuntimeModule, engine.CommandsModule)
			f.Note = s.origin.note()
		}
		if err != nil {
			return s, err
		}
	}
	return s, nil
}

// tools returns the module that pins the version of webhook-gen, in the folder tools or, if that exists, below it. It
// is a separate module so that its requirements do not affect the project's versions.
func (s site) tools(modulePath string) ([]output.File, error) {
	folder := "tools"
	if regular.Exists(filepath.Join(s.Root, folder)) {
		folder = "tools/webhook-gen"
	}
	dir := filepath.Join(s.Root, filepath.FromSlash(folder))
	if regular.Exists(dir) {
		return nil, nil
	}
	f, err := fromTemplate(filepath.Join(dir, "go.mod"), "existing/tools.go.mod.tmpl", map[string]string{"Module": path.Join(modulePath, folder)})
	if err != nil {
		return nil, err
	}
	f.Content, err = s.origin.require(f.Path, f.Content, ToolModule)
	return []output.File{f}, err
}

// join adds webhook-gen to a project that has Go code.
func (c Config) join(ctx context.Context, root string, p Options, packages []*load.Package, isNew bool) (Result, error) {
	c.Dir = root
	s := site{Run: c.Resolve(), origin: c.Origin}
	var e edits
	callsAll := false
	kubebuilder := regular.Exists(filepath.Join(root, "PROJECT")) ||
		slices.ContainsFunc(packages, func(p *load.Package) bool { return contains(p, "+kubebuilder:webhook:") })
	if isNew {
		p.Domain = cmp.Or(p.Domain, kubebuilderDomain(load.ReadText(root, "PROJECT").Content), ownDomain(p.Module))
		if p.Program == "" {
			program, err := findProgram(packages)
			if err != nil {
				return Result{}, err
			}
			p.Program = program
		}
		callsAll = p.Program == "" // the new program registers all webhooks
		p.Program = cmp.Or(p.Program, "cmd/webhook")
		files, err := firstFiles{Options: p, Kubebuilder: kubebuilder}.filesForModule(root, callsAll)
		if err != nil {
			return Result{}, err
		}
		if s, err = c.begin(files); err != nil {
			return Result{}, err
		}
		pinned, err := s.tools(p.Module)
		if err != nil {
			return Result{}, err
		}
		e.Create = append(files, pinned...)
	}
	result := Result{Result: s.generate(ctx, s.Read(ctx, e.Edits), e)}
	if result.Diagnostics.HasErrors() {
		return result, nil
	}
	if kubebuilder {
		result.Next = append(result.Next, "with the first webhook, "+deployBeside(root))
	}
	if s.Domain == "" {
		result.Next = append(result.Next, "name the domain that ends the names of webhooks on kinds of others in "+config.FileName+": domain: example.com")
	}
	if !callsAll {
		result.Next = append(result.Next, registerAll(s.Program, kubebuilder)...)
	}
	if ignored := load.ReadText(root, ".gitignore").Content; ignored != nil && !bytes.Contains(ignored, []byte(".webhook-gen-")) {
		result.Next = append(result.Next, "add .webhook-gen-* to .gitignore: files of that name are left by a run that is killed, until the next")
	}
	result.Next = append(result.Next, "webhook-gen create webhook --group apps --version v1 --kind Deployment --validating")
	return result, nil
}

// registerAll returns the steps after which one of the project's own programs registers all webhooks.
func registerAll(program string, kubebuilder bool) []string {
	line := "newWebhooks().Register(mux.Handle)"
	if kubebuilder {
		line = "utilruntime.Must(newWebhooks().Register(mgr.GetWebhookServer().Register))"
	}
	if program == "" {
		return []string{"name the folder of your program in " + config.FileName + ": program: cmd", "add one line to main, where the server is made:\n\n\t" + line + "\n"}
	}
	return []string{"add one line to the main package in " + program + ", where the server is made:\n\n\t" + line + "\n"}
}

// deployBeside returns the steps to deploy the manifest beside controller-gen's.
func deployBeside(root string) string {
	if regular.Exists(filepath.Join(root, "config", "default", "kustomization.yaml")) {
		return "list ../webhook-gen under resources in config/default/kustomization.yaml"
	}
	return "apply what kustomize build config/webhook-gen makes together with your own webhook configurations"
}

// kubebuilderDomain returns the domain in a PROJECT file, or "".
func kubebuilderDomain(text []byte) string {
	var project struct{ Domain string }
	if err := yaml.Unmarshal(text, &project); err != nil {
		return ""
	}
	return project.Domain
}

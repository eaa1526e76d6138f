// SPDX-License-Identifier: Apache-2.0

package project

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/check"
	"github.com/webhook-gen/webhook-gen/generator/internal/config"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/kubebuilder"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/registry"
	"github.com/webhook-gen/webhook-gen/generator/internal/render"
	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// ImportOptions are the options of Import.
type ImportOptions struct {
	// Handlers adds the markers to types and writes handlers with empty methods. Otherwise, the markers are on the
	// package and there are no handlers.
	Handlers bool
	// DryRun is true if the caller will not write the result, so that findings refer to the current files.
	DryRun bool
}

// Import replaces the packages' +kubebuilder:webhook markers by +webhook markers, in the user's files. It checks that
// the manifest stays the same. With handlers, the markers are on types.
func Import(ctx context.Context, c Config, o ImportOptions) (Result, error) {
	patterns := c.Patterns
	c.Patterns = nil // the manifest is that of the whole project
	run, settings := importing(c)
	im := importer{ctx: ctx, site: site{Run: run, origin: c.Origin}, options: o, before: run.Read(ctx, engine.Edits{})}
	result := Result{Result: engine.Result{Root: run.Root}}
	diags := im.before.Diagnostics
	// An object that the API server rejects gives a warning with a +kubebuilder marker and an error with a +webhook
	// marker.
	diags.Add(check.Project(im.before.Project).Promote()...)
	if run.Strict {
		diags = diags.Promote()
	}
	isSelected, unmatched := selected(ctx, run, c.Dir, patterns)
	diags.Add(unmatched...)
	if !diags.HasErrors() {
		im.read(isSelected)
		diags.Add(im.withoutHandlers(isSelected)...)
	}
	if len(im.webhooks) == 0 && len(im.configurations) == 0 {
		result.Diagnostics = diags.Sorted()
		return result, nil
	}
	if !run.Kubebuilder {
		return result, fmt.Errorf("%s leaves +kubebuilder:webhook markers to controller-gen: remove kubebuilder: false before you import them", config.FileName)
	}
	if o.Handlers && !slices.Contains(run.Outputs, output.Handlers) {
		return result, fmt.Errorf("handlers are not among the outputs (%s): add them to outputs of %s", strings.Join(run.Outputs, ", "), config.FileName)
	}
	im.shorten()
	var e edits
	var after engine.State
	if !o.Handlers {
		e, after = im.rewrite(), im.onPackage()
	} else {
		var err error
		if e, after, err = im.onTypes(); err != nil {
			return result, err
		}
	}
	diags = slices.Concat(diags, im.diags, after.Diagnostics, check.Project(after.Project))
	if !diags.HasErrors() && !sameManifest(im.before.Project, after.Project) {
		diags.Add(diag.Errorf(diag.Range{}, "", "the rewritten markers do not give the same manifest; nothing was changed").
			WithHint("this is a mistake in webhook-gen: please report it with the markers"))
	}
	result.Diagnostics = diags.Sorted()
	if diags.HasErrors() || len(e.Change) == 0 && len(e.Create) == 0 {
		return result, nil
	}
	commands := im.withoutControllerGen()
	im.diags.Add(commands...)
	result.Diagnostics.Add(commands...)
	if settings != nil {
		e.Create = append(e.Create, *settings)
	} else if run.Manifests.Header {
		path := filepath.Join(run.Root, config.FileName)
		header := diag.Warningf(diag.InFile(path), "", "the manifest gains a header line and the defaults of API servers").
			WithHint("set manifests.header: false to keep it as it was")
		im.diags.Add(header)
		result.Diagnostics.Add(header)
	}
	if !o.Handlers {
		result.Diagnostics.Add(run.OtherManifests(after.Project.Webhooks())...)
		created, found := output.Compare(run.Root, e.Create, nil)
		result.Diagnostics.Add(found...)
		result.Changes = append(slices.Clone(e.Change), created...)
		return result, nil
	}
	after.Reread(ctx, e.Edits)
	result.Result = im.generate(ctx, after, e)
	result.Diagnostics.Add(im.diags...)
	if !result.Diagnostics.HasErrors() {
		result.Next = im.nextSteps(after)
	}
	return result, nil
}

// importing completes the Config. A project without webhook-gen.yaml gets one that turns off
// the manifest's header, so that the manifest stays the same byte for byte.
func importing(c Config) (engine.Run, *output.File) {
	run := c.Resolve()
	path := filepath.Join(run.Root, config.FileName)
	if regular.Exists(path) {
		return run, nil
	}
	return c.ResolveWith([]byte(importedConfig)), &output.File{Path: path, Content: []byte(importedConfig), Owner: output.Once}
}

const importedConfig = `version: 1
manifests:
  header: false # the manifest stays as controller-gen wrote it; true marks it as generated
`

// importer is one run of Import.
type importer struct {
	site
	ctx            context.Context
	options        ImportOptions
	before         engine.State
	webhooks       []*importedWebhook
	configurations []kubebuilder.Configuration
	holders        []*holder
	diags          diag.List // about markers that are not rewritten
}

// importedWebhook is the webhook of a +kubebuilder:webhook marker.
type importedWebhook struct {
	kubebuilder.Webhook
	found
	kind *model.Kind // the kind of the found type; nil if the rules do not match it
	// other is the kind of the found type if the webhook's rules do not match it.
	other *model.Kind
	// omitted are the arguments that the +webhook marker does not need.
	omitted []string
	// holder has the webhook's marker. It is nil if the package has it.
	holder *holder
	// left is the reason for keeping the old marker, or "" if it is rewritten.
	left string
}

// unselected is the reason for markers in packages that the user has not selected. They give no warning.
const unselected = "its package is not named"

// target returns the argument `for`, or "".
func (w *importedWebhook) target() string {
	if w.kind == nil {
		return ""
	}
	return w.object.Path + "." + w.object.Name
}

// selected returns a function that reports whether a package matches the patterns, and the errors in the patterns.
// Without patterns, all packages match.
func selected(ctx context.Context, run engine.Run, dir string, patterns []string) (func(*load.Package) bool, diag.List) {
	if len(patterns) == 0 {
		return func(*load.Package) bool { return true }, nil
	}
	named, found := load.Load(ctx, load.Config{Dir: dir, Patterns: patterns, Tags: run.Tags, Markers: []string{"+kubebuilder:webhook", "+webhook"}})
	// Read has already reported the errors in files.
	found = slices.DeleteFunc(found, func(d diag.Diagnostic) bool { return d.Pos.File != "" })
	return func(p *load.Package) bool {
		return slices.ContainsFunc(named.Packages, func(n *load.Package) bool { return n.Dir == p.Dir })
	}, found
}

// withoutHandlers returns a warning for each marker that an earlier import has rewritten without a handler, if this one
// is to make handlers.
func (im *importer) withoutHandlers(selected func(*load.Package) bool) (found diag.List) {
	for _, w := range im.before.Project.Webhooks() {
		isSelected := func(p *load.Package) bool { return p.Path == w.Package && selected(p) }
		if im.options.Handlers && !w.Kubebuilder && w.Kind != nil && w.Handler == nil && slices.ContainsFunc(im.before.Packages, isSelected) {
			found.Add(diag.Warningf(w.Range, "", "%s has no handler: import makes those of +kubebuilder:webhook markers", w.Spec.Name).
				WithHint("restore the old marker before this command, or move this one above a Go type and run webhook-gen"))
		}
	}
	return found
}

// read reads the webhooks of the markers and the code that serves them. It keeps the markers of packages that are not
// selected.
func (im *importer) read(selected func(*load.Package) bool) {
	var webhooks []kubebuilder.Webhook
	webhooks, im.configurations, _ = kubebuilder.Read(im.before.Packages)
	if len(webhooks) == 0 {
		return
	}
	sources := sourcesOf(im.ctx, im.Run, im.before.Packages)
	for _, w := range webhooks {
		i := slices.IndexFunc(sources, func(s source) bool { return s.Package == w.Package })
		one := &model.Webhook{Mutating: w.Mutating, Spec: w.Spec}
		imported := &importedWebhook{Webhook: w, found: search(sources[i], sources, one)}
		if !selected(w.Package) {
			imported.left = unselected
		}
		im.webhooks = append(im.webhooks, imported)
	}
}

// shorten finds the arguments that the markers can omit without a change of the webhook, and the webhooks' kinds. It
// first tries without these arguments, and then only with those that make a difference.
func (im *importer) shorten() {
	arguments := []string{"groups", "versions", "resources", "path", "sideEffects", "admissionReviewVersions"}
	ofKind := func(argument string) bool { return slices.Contains(arguments[:4], argument) }
	pending := slices.Clone(im.webhooks)
	try := func(otherwise func(*importedWebhook, *model.Project)) {
		if len(pending) == 0 {
			return
		}
		project := im.onPackage().Project
		pending = slices.DeleteFunc(pending, func(w *importedWebhook) bool {
			m := equalWebhook(project, w)
			if m == nil {
				otherwise(w, project)
			} else if w.setKind(m); w.kind == nil {
				w.omitted = slices.DeleteFunc(slices.Clone(w.omitted), ofKind)
			}
			return m != nil
		})
	}
	for _, w := range im.webhooks {
		w.omitted = arguments
		if w.object.IsZero() {
			w.omitted = arguments[4:]
		} else if w.left == "" {
			w.kind = &model.Kind{} // unknown so far
		}
	}
	try(func(w *importedWebhook, p *model.Project) {
		if m := webhookNamed(p, w); m == nil {
			w.omitted = nil // the kind needs an argument
		} else {
			w.omitted = slices.DeleteFunc(slices.Clone(w.omitted), func(argument string) bool { return differsIn(argument, m.Spec, w.Spec) })
		}
	})
	try(func(w *importedWebhook, _ *model.Project) { w.kind, w.omitted = nil, arguments[4:] })
	try(func(w *importedWebhook, _ *model.Project) { w.omitted = nil })
}

// differsIn reports whether two webhooks differ in the fields of an argument. If `resources` is not set, the kind
// determines the scope.
func differsIn(argument string, a, b registry.Spec) bool {
	of := func(s registry.Spec) any {
		r := s.Rules[0]
		return map[string]any{
			"groups": r.APIGroups, "versions": r.APIVersions, "resources": []any{r.Resources, r.Scope}, "path": s.ClientConfig,
			"sideEffects": s.SideEffects, "admissionReviewVersions": s.AdmissionReviewVersions,
		}[argument]
	}
	return len(a.Rules) > 0 && len(b.Rules) > 0 && asJSON(of(a)) != asJSON(of(b))
}

// setKind sets the webhook's kind to that of m, or its other kind if the rules do not match it.
func (w *importedWebhook) setKind(m *model.Webhook) {
	w.kind, w.other = nil, m.Kind
	if m.Kind != nil && isFor(w, *m.Kind) {
		w.kind, w.other = m.Kind, nil
	}
}

// equalWebhook returns a project's webhook that equals the imported one, or nil.
func equalWebhook(p *model.Project, w *importedWebhook) *model.Webhook {
	if m := webhookNamed(p, w); m != nil && asJSON(m.Spec) == asJSON(w.Spec) {
		return m
	}
	return nil
}

// webhookNamed returns a project's webhook with the name of the imported one, or nil if there is not exactly one.
func webhookNamed(p *model.Project, w *importedWebhook) *model.Webhook {
	all := slices.DeleteFunc(p.Webhooks(), func(m *model.Webhook) bool { return m.Mutating != w.Mutating || m.Spec.Name != w.Spec.Name })
	if len(all) != 1 {
		return nil
	}
	return all[0]
}

// isFor reports whether the rules of a webhook match a kind, possibly with others.
func isFor(w *importedWebhook, k model.Kind) bool {
	return len(w.Spec.Rules) > 0 && slices.Contains(w.Spec.Rules[0].APIGroups, k.Group) && slices.Contains(w.Spec.Rules[0].APIVersions, k.Version) &&
		slices.ContainsFunc(w.Spec.Rules[0].Resources, func(r string) bool {
			resource, _, _ := strings.Cut(r, "/")
			return resource == k.Plural
		})
}

// onPackage returns the project with all markers on their packages.
func (im *importer) onPackage() engine.State {
	source := im.before.Result
	packages := slices.Clone(source.Packages)
	var diags diag.List
	for _, c := range im.rewrite().Change {
		i := slices.IndexFunc(packages, func(p *load.Package) bool { return p.Dir == filepath.Dir(c.Path) })
		var found diag.List
		packages[i], found = packages[i].WithText(c.Path, c.New)
		diags.Add(found...)
	}
	source.Packages = packages
	state := im.Build(im.ctx, source)
	state.Diagnostics.Add(diags...)
	return state
}

func sameManifest(a, b *model.Project) bool {
	manifest := render.Options{Outputs: []string{output.Manifests}}
	textA, errA := render.Project(a, nil, manifest)
	textB, errB := render.Project(b, nil, manifest)
	return errors.Join(errA, errB) == nil && len(textA) == len(textB) && (len(textA) == 0 || bytes.Equal(textA[0].Content, textB[0].Content))
}

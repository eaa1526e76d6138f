// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/config"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/manifest"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/render"
	"github.com/webhook-gen/webhook-gen/generator/internal/semantics"
	"github.com/webhook-gen/webhook-gen/generator/internal/upgrade"
)

// losses reports enforcement that the changes remove and, without errors, the user's code that has lost its marker.
func (r Run) losses(ctx context.Context, s State, e Edits, changes []output.Change) diag.List {
	found := slices.Concat(r.renamedDelivery(changes), r.removals(ctx, s, e, changes))
	if !found.HasErrors() {
		found.Add(r.orphans(s.Project, changes)...)
	}
	return found
}

// removals reports the enforcement that the changes remove, compared with the files on disk. If the user has caused
// it, the finding is a note, otherwise an error, unless the run accepts removals.
func (r Run) removals(ctx context.Context, s State, e Edits, changes []output.Change) (diags diag.List) {
	if !r.reportsRemovals {
		return nil
	}
	var lost, gained []upgrade.Loss
	from := map[upgrade.Loss]string{} // the folder
	for _, folder := range r.enforcing() {
		in := slices.DeleteFunc(slices.Clone(changes), func(c output.Change) bool { return r.enforcedBy(c.Path) != folder })
		old, broken := enforced(in, func(c output.Change) []byte { return c.Old })
		to, _ := enforced(in, func(c output.Change) []byte { return c.New })
		gained = append(gained, upgrade.Lost(to, old)...)
		if !slices.ContainsFunc(in, func(c output.Change) bool { return c.Old != nil }) {
			continue // nothing was enforced before
		}
		if folder != charts && !r.acceptsRemovals {
			diags.Add(unreadable(broken)...)
		}
		for _, l := range upgrade.Lost(old, to) {
			if !slices.Contains(lost, l) { // the chart repeats the manifests
				lost = append(lost, l)
				from[l] = folder
			}
		}
	}
	lost = slices.DeleteFunc(lost, func(l upgrade.Loss) bool { // it moves to another manifest
		return slices.ContainsFunc(gained, func(g upgrade.Loss) bool { return g.Object == l.Object && g.Part == "" && l.Part == "" })
	})
	diags.Add(r.unregistered(s.Module, changes)...)
	if len(lost) == 0 {
		return diags
	}
	causes := r.causes(ctx, s, e)
	causes.lost, causes.from = lost, from
	for _, l := range lost {
		diags.Add(causes.finding(l))
	}
	return diags
}

// charts is the folder of charts.
const charts = "charts"

// unwritten is the cause of a loss by the outputs or the delivery in webhook-gen.yaml.
const unwritten = config.FileName + " no longer has it written"

// enforcing returns the folders whose files are compared on their own, because an API server may have the files of one
// without those of another: charts, and the folders of the manifests. "" stands for all other files.
func (r Run) enforcing() []string {
	folders := []string{""}
	for _, manifest := range r.AllManifests()[1:] {
		folders = append(folders, filepath.Dir(manifest))
	}
	return append(folders, charts)
}

// enforcedBy returns the folder of enforcing with a file.
func (r Run) enforcedBy(file string) string {
	folder := filepath.Dir(file)
	if rel, err := filepath.Rel(r.Root, file); err == nil && strings.HasPrefix(filepath.ToSlash(rel), charts+"/") && !slices.Contains(r.enforcing(), folder) {
		return charts
	}
	if slices.Contains(r.enforcing(), folder) {
		return folder
	}
	return ""
}

// orphans reports the user's code whose markers are gone, and types that were renamed. The latter are no errors if the
// run accepts removals.
func (r Run) orphans(p *model.Project, changes []output.Change) diag.List {
	orphans := output.Orphans(changes)
	if r.acceptsRemovals {
		return orphans
	}
	used := map[string][]string{}
	for _, w := range p.Webhooks() {
		if h := w.Handler; h != nil {
			used[h.Package.Dir] = append(used[h.Package.Dir], h.Implementation)
		}
	}
	renamed, others := output.Renamed(r.Root, changes, used, orphans)
	return slices.Concat(renamed, others)
}

// unregistered reports packages that the program no longer registers because the run does not read all packages.
func (r Run) unregistered(m *load.Module, changes []output.Change) (diags diag.List) {
	if r.readsAll || r.acceptsRemovals || m == nil {
		return nil
	}
	for _, c := range changes {
		if filepath.Base(c.Path) != filepath.Base(render.ProgramFile("")) || c.Action != output.Replace {
			continue
		}
		now := load.ImportsOf(c.New)
		for _, path := range load.ImportsOf(c.Old) {
			first, _, _ := strings.Cut(path, "/")
			isStandard := !strings.Contains(first, ".") && !strings.HasPrefix(path, m.Path+"/")
			if !slices.Contains(now, path) && !isStandard && !strings.Contains(path, "webhook-gen/runtime") {
				diags.Add(lost(diag.Error, diag.InFile(c.Path), "no longer registered: the webhooks and conversions of %s (the run does not read all packages)", path).
					WithHint("webhook-gen generate ./..., or pass --accept-removal if the removal is meant"))
			}
		}
	}
	return diags
}

// unreadable reports files on disk of which nobody can tell what they enforce.
func unreadable(found diag.List) (diags diag.List) {
	for _, d := range found {
		if d.Severity == diag.Error && d.Rule == manifest.RuleYAML {
			diags.Add(lost(diag.Error, d.Range, "nothing tells what the file enforces: %s", d.Message).
				WithHint("repair it, or take it from the last commit: git checkout HEAD -- %s; --accept-removal replaces it", filepath.Base(d.Pos.File)))
		}
	}
	return diags
}

// enforced returns the state of the YAML files in changes, before or after the changes, and the mistakes in these
// files.
func enforced(changes []output.Change, text func(output.Change) []byte) (*upgrade.State, diag.List) {
	var files []load.Text
	for _, c := range changes {
		content := text(c)
		if ext := filepath.Ext(c.Path); ext != ".yaml" && ext != ".yml" || !slices.ContainsFunc([]string{"WebhookConfiguration", "AdmissionPolicy", "CustomResourceDefinition"},
			func(kind string) bool { return bytes.Contains(content, []byte(kind)) }) {
			continue
		}
		if filepath.Base(filepath.Dir(c.Path)) == "templates" {
			content = render.Untemplated(content)
		}
		files = append(files, load.Text{Path: c.Path, Content: content})
	}
	contents, diags := manifest.Read(files)
	return upgrade.OfManifests(contents), diags
}

// causes finds the cause of lost enforcement.
type causes struct {
	Run
	state State
	lost  []upgrade.Loss
	from  map[upgrade.Loss]string // the folder of enforcing that loses it
	// read lists the API packages of the run.
	read []semantics.API
	// all is the state of all packages below the module's root. unread are the errors in files outside of the run.
	all       *upgrade.State
	project   *model.Project
	unread    diag.List
	inRun     map[string]bool
	definedIn []load.Text
}

// causes reads the files that distinguish the user's own changes from other causes.
func (r Run) causes(ctx context.Context, s State, e Edits) *causes {
	c := &causes{Run: r, state: s, inRun: map[string]bool{}}
	texts := append(markers(), semantics.APIMarkers()...)
	covered, _ := load.Load(ctx, load.Config{Dir: r.dir, Patterns: r.Packages, Tags: r.Tags, Markers: texts, Overlay: e.Overlay()})
	c.read = semantics.APIs(ctx, covered.Packages)
	for _, p := range slices.Concat(covered.Packages, s.Packages) {
		for _, f := range p.FilesWith("package ") {
			c.inRun[f.Path] = true
		}
	}
	everything, problems := load.Load(ctx, load.Config{Dir: r.Root, Patterns: []string{allPackages}, Tags: r.Tags, Markers: markers(), Overlay: e.Overlay(), Everything: true})
	all := r
	all.Diagnostics = nil
	read := all.Build(ctx, everything)
	c.project = read.Project
	c.all = upgrade.Of(read.Project, nil, nil)
	for _, d := range slices.Concat(problems, read.Diagnostics) {
		if d.Severity == diag.Error && d.Pos.File != "" && !c.inRun[d.Pos.File] {
			c.unread.Add(d)
		}
	}
	c.definedIn = r.definitionFiles()
	return c
}

func (c *causes) finding(l upgrade.Loss) diag.Diagnostic {
	if c.isRenamed(l) {
		return lost(diag.Note, diag.Range{}, "renamed: %s is now %s", l, l.Instead)
	}
	if l.Of == upgrade.Defined {
		return c.definition(l)
	}
	at, declared := c.declaration(c.state.Project, l)
	other, elsewhere := c.declaration(c.project, l)
	switch _, file, folder := c.goType(l); {
	case declared && l.Part == "", l.Of == upgrade.Conversion && !slices.Contains(c.Outputs, output.Conversions):
		return c.own(l, unwritten)
	case declared && (!elsewhere || c.narrow(l) || c.unreadBeside(at) == ""):
		return c.own(l, "changed in "+c.rel(at.Pos.File))
	case declared:
		return c.unreadMarker(l, diag.InFile(c.unreadBeside(at)))
	case elsewhere && l.Of == upgrade.Conversion: // the run may read another version of the kind
		return c.unreadMarker(l, other)
	case file != "":
		return c.own(l, "the marker is gone from "+c.rel(file))
	case elsewhere:
		return c.unreadMarker(l, other)
	case c.mistake(l) != nil:
		d := c.mistake(l)
		return c.refused(l, d.Range, false, "%s cannot be read: %s", c.rel(d.Pos.File), d.Message).
			WithHint("mend the file, or pass --accept-removal if the removal is meant")
	case folder != "" && c.unparsed(folder) != "":
		return c.refused(l, diag.InFile(c.unparsed(folder)), false, "%s is not a Go file", c.rel(c.unparsed(folder))).
			WithHint("mend the file, or pass --accept-removal if the removal is meant")
	case folder != "":
		return c.own(l, "its type is gone from "+c.rel(folder))
	}
	return c.own(l, "no marker declares it any more")
}

// own returns the note for a loss that the user has caused.
func (c *causes) own(l upgrade.Loss, cause string) diag.Diagnostic {
	return lost(diag.Note, diag.Range{}, "no longer enforced: %s (%s)", l, cause)
}

func lost(severity diag.Severity, at diag.Range, format string, args ...any) diag.Diagnostic {
	d := diag.Errorf(at, output.RuleRemoval, format, args...)
	d.Severity = severity
	return d
}

// refused returns the finding for a loss that the user has not caused. It is an error or, for a webhook of a
// +kubebuilder marker, a warning, because controller-gen would succeed.
func (c *causes) refused(l upgrade.Loss, at diag.Range, kubebuilder bool, format string, args ...any) diag.Diagnostic {
	severity := diag.Error
	switch {
	case c.acceptsRemovals:
		severity = diag.Note
	case kubebuilder:
		severity = diag.Warning
	}
	return lost(severity, at, "no longer enforced: %s (%s)", l, fmt.Sprintf(format, args...))
}

// unreadMarker returns the finding for a loss whose marker is in a file outside of the run.
func (c *causes) unreadMarker(l upgrade.Loss, at diag.Range) diag.Diagnostic {
	const accept = ", or pass --accept-removal if the removal is meant"
	file := at.Pos.File
	module, constraint := load.WhyUnread(c.Root, file)
	kubebuilder := slices.ContainsFunc(c.project.Webhooks(), func(w *model.Webhook) bool { return w.Kubebuilder && w.Pos.File == file })
	switch {
	case module != "":
		return c.refused(l, at, kubebuilder, "%s is a module of its own, which this run does not read", c.rel(module)).
			WithHint("read both: webhook-gen generate ./... ./%s/... (or go work init . ./%s, which webhook-gen follows)%s", c.rel(module), c.rel(module), accept)
	case constraint != "":
		return c.refused(l, at, kubebuilder, "the build constraint %s excludes %s", constraint, c.rel(file)).
			WithHint("webhook-gen --tags %s%s", tagOf(constraint), accept)
	case !c.readsAll:
		return c.refused(l, at, kubebuilder, "the run does not read %s", c.rel(filepath.Dir(file))).
			WithHint("webhook-gen generate ./...%s", accept)
	case !slices.Contains(c.Packages, allPackages):
		return c.refused(l, at, kubebuilder, "packages in %s do not cover %s", config.FileName, c.rel(filepath.Dir(file))).
			WithHint("add ./%s to packages in %s%s", c.rel(filepath.Dir(file)), config.FileName, accept)
	}
	return c.refused(l, at, kubebuilder, "the run does not read %s", c.rel(file)).
		WithHint("move the marker to a file that go build reads%s", accept)
}

// tagOf returns a tag of a build constraint, for a hint.
func tagOf(constraint string) string {
	words := strings.FieldsFunc(constraint, func(r rune) bool { return strings.ContainsRune("!&|() ", r) })
	return cmp.Or(strings.Join(words[:min(1, len(words))], ""), "TAG")
}

// definition returns the finding for a lost CRD or version of one.
func (c *causes) definition(l upgrade.Loss) diag.Diagnostic {
	folder := strings.Join(c.DefinitionPatterns(), ", ")
	t, file, _ := c.goType(l)
	contents, _ := manifest.Read(c.definedIn)
	i := slices.IndexFunc(contents.Definitions, func(d *manifest.Definition) bool { return d.Name == l.Name })
	skipped := file != "" && slices.Contains(load.Markers(t.Comments()...), "+kubebuilder:skipversion")
	switch {
	case i >= 0 && l.Part == "": // no chart has it
		return c.own(l, unwritten)
	case i >= 0 && (l.Version == "" || file == "" || skipped || strings.Contains(l.Part, "no longer served")):
		return c.own(l, "changed in "+c.rel(contents.Definitions[i].Pos.File))
	case i < 0 && file == "" && (len(contents.Definitions) > 0 || len(c.read) == 0):
		return c.own(l, "its file is gone from "+folder)
	}
	where := folder
	if i >= 0 {
		where = c.rel(contents.Definitions[i].Pos.File)
	}
	return c.refused(l, diag.Range{}, false, "%s has no definition of it", where).
		WithHint("controller-gen writes it: %s, and then webhook-gen; or pass --accept-removal if the removal is meant", c.controllerGen())
}

// controllerGen returns the command that writes the CRDs.
func (c *causes) controllerGen() string {
	text := append([]byte("\n"), load.ReadText(c.Root, "Makefile").Content...)
	switch {
	case bytes.Contains(text, []byte("\ngenerate:")) && bytes.Contains(text, []byte("webhook-gen")):
		return "make generate"
	case bytes.Contains(text, []byte("\nmanifests:")):
		return "make manifests"
	}
	return "controller-gen crd paths=./... output:crd:dir=" + render.CRDBases
}

// goType returns the resource's Go type in the packages of the run, its file and its package's folder.
func (c *causes) goType(l upgrade.Loss) (t load.Type, file, folder string) {
	for _, api := range c.read {
		if api.Group != l.Group || l.Version != "" && api.Version != l.Version {
			continue
		}
		folder = api.Dir
		if t, ok := api.Resource(l.Resource); ok {
			return t, t.File.Path, folder
		}
	}
	return t, "", folder
}

// isRenamed reports whether another object replaces a lost one, with another version or with the only removed type's
// kind.
func (c *causes) isRenamed(l upgrade.Loss) bool {
	if l.Instead == "" || l.Moved {
		return l.Moved
	}
	var gone []upgrade.Loss
	for _, other := range c.lost {
		if other.Of == l.Of && other.Instead == l.Instead && !c.hasType(other) {
			gone = append(gone, other)
		}
	}
	return len(gone) == 1 && gone[0] == l
}

// hasType reports whether the resource of a loss still has a Go type.
func (c *causes) hasType(l upgrade.Loss) bool {
	_, file, _ := c.goType(l)
	return file != ""
}

// declaration returns the position of the marker that declares an object.
func (c *causes) declaration(p *model.Project, l upgrade.Loss) (at diag.Range, ok bool) {
	switch l.Of {
	case upgrade.MutatingWebhook, upgrade.ValidatingWebhook:
		for _, configuration := range p.Configurations {
			if in := c.from[l]; in != charts && in != c.enforcedBy(cmp.Or(configuration.Manifest, c.Manifest)) {
				continue // another webhook with this name
			}
			for _, w := range configuration.Webhooks {
				if w.Spec.Name == l.Name && w.Mutating == (l.Of == upgrade.MutatingWebhook) {
					return w.Range, true
				}
			}
		}
	case upgrade.MutatingPolicy, upgrade.ValidatingPolicy, upgrade.Binding:
		for _, policy := range p.Policies {
			isBinding := slices.ContainsFunc(policy.Bindings, func(b *model.Binding) bool { return b.Name == l.Name })
			if l.Of == upgrade.Binding && isBinding || l.Of != upgrade.Binding && policy.Name == l.Name && policy.Mutating == (l.Of == upgrade.MutatingPolicy) {
				return policy.Range, true
			}
		}
	case upgrade.Conversion:
		for _, conversion := range p.Conversions {
			if conversion.CRD != nil && conversion.CRD.Plural+"."+conversion.Spoke.Group == l.Name {
				return conversion.Range, true
			}
		}
	}
	return at, false
}

// narrow reports whether the run's object is as narrow as the one from all readable files.
func (c *causes) narrow(l upgrade.Loss) bool {
	now := upgrade.OfManifests(manifest.Contents{Projects: []*model.Project{c.state.Project}})
	return !slices.ContainsFunc(upgrade.Lost(c.all, now), func(other upgrade.Loss) bool { return other.Object == l.Object })
}

// unreadBeside returns a file with markers that the run does not read, in the folder of a marker.
func (c *causes) unreadBeside(at diag.Range) string {
	for _, name := range load.Names(filepath.Dir(at.Pos.File), "*.go") {
		text := load.ReadText(name).Content
		if !c.inRun[name] && !strings.HasSuffix(name, "_test.go") && !load.IsOurs(text) && bytes.Contains(text, []byte("+webhook:")) {
			return name
		}
	}
	return ""
}

// unparsed returns a file of a folder without a package clause, such as an empty one.
func (c *causes) unparsed(folder string) string {
	for _, f := range load.Texts(folder, "*.go") {
		if _, err := parser.ParseFile(token.NewFileSet(), f.Path, f.Content, parser.PackageClauseOnly); err != nil {
			return f.Path
		}
	}
	return ""
}

// mistake returns an error in a file outside of the run that may declare the object.
func (c *causes) mistake(l upgrade.Loss) *diag.Diagnostic {
	for i, d := range c.unread {
		text := bytes.ToLower(load.ReadText(d.Pos.File).Content)
		if word := strings.TrimSuffix(strings.TrimSuffix(l.Resource, "s"), "e"); word != "" && bytes.Contains(text, []byte(word)) {
			return &c.unread[i]
		}
	}
	return nil
}

// rel returns a path for messages.
func (c *causes) rel(name string) string {
	rel, err := filepath.Rel(c.Root, name)
	if err != nil {
		return name
	}
	return path.Clean(filepath.ToSlash(rel))
}

// SPDX-License-Identifier: Apache-2.0

package project

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/kubebuilder"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/semantics"
	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// holder is a type with the markers of a Go type's webhooks, and with a stub of their handlers.
type holder struct {
	object model.GoType
	// pkg is the package with the old markers.
	pkg *load.Package
	// name is the name of the type with the handlers' methods.
	name string
	// onType is true if the markers are on typ, the objects' type. Otherwise, the holder has them.
	onType   bool
	typ      semantics.APIType
	webhooks []*importedWebhook
	// in is the package of the generated handlers.
	in model.HandlerPackage
}

// marked returns the name of the type with the markers.
func (h *holder) marked() string {
	if h.onType {
		return h.object.Name
	}
	return h.name
}

// onTypes returns the edits that add markers to types and write their handlers, and the state after them. Webhooks
// for which this is impossible keep their old markers.
func (im *importer) onTypes() (e edits, after engine.State, err error) {
	for _, w := range im.webhooks {
		if w.left == "" {
			w.left = im.obstacle(w)
		}
	}
	for again := true; again; {
		im.keepSharedPaths()
		if e, after, err = im.placed(); err != nil {
			return e, after, err
		}
		again = false
		for _, a := range im.holders {
			for _, w := range a.webhooks {
				if w.left == "" {
					w.left = mismatch(after.Project, w)
				}
				again = again || w.left != ""
			}
		}
	}
	im.warn(after)
	return e, after, nil
}

// keepSharedPaths keeps the old markers of all webhooks with the same path if one of them is kept, because they share a
// handler.
func (im *importer) keepSharedPaths() {
	for _, left := range im.webhooks {
		for _, w := range im.webhooks {
			if left.left != "" && w.left == "" && w.servedPath() == left.servedPath() && w.Mutating == left.Mutating {
				w.left = fmt.Sprintf("%s has the same path and is not imported", left.Spec.Name)
			}
		}
	}
}

// warn reports the kept markers at their positions in the new text or, in a dry run, in the old text.
func (im *importer) warn(after engine.State) {
	rest := im.before.Packages
	if !im.options.DryRun {
		rest = after.Packages
	}
	webhooks, _, _ := kubebuilder.Read(rest)
	for _, w := range im.webhooks {
		i := slices.IndexFunc(webhooks, func(o kubebuilder.Webhook) bool {
			return o.Mutating == w.Mutating && o.Spec.Name == w.Spec.Name && o.Package.Path == w.Package.Path
		})
		if w.left != "" && w.left != unselected && i >= 0 {
			im.diags.Add(diag.Warningf(webhooks[i].Range, "", "%s; the marker stays as it is", w.left))
		}
	}
}

// obstacle returns the reason why a webhook cannot have a handler, or "".
func (im *importer) obstacle(w *importedWebhook) string {
	method := "ValidateCreate"
	if w.Mutating {
		method = "Default"
	}
	switch {
	case w.object.IsZero():
		return fmt.Sprintf("the Go type of the objects is not found: no call of NewWebhookManagedBy serves %s, and no method %s in %s tells", w.servedPath(), method, w.Package.Path)
	case w.kind == nil && w.other == nil:
		if _, err := im.before.Module.Locate(im.ctx, w.object.Path); err != nil {
			reason, _, _ := strings.Cut(err.Error(), "\n")
			return strings.TrimRight(strings.TrimSuffix(reason, "to add it:"), "; ")
		}
		return fmt.Sprintf("a marker with for: %q does not give the same webhook", w.object.Path+"."+w.object.Name)
	case w.kind == nil:
		return fmt.Sprintf("the rules do not match objects of %s.%s, whose resource is %s of %s/%s", path.Base(w.object.Path), w.object.Name, w.other.Plural, w.other.Group, w.other.Version)
	case !w.isOnlyFor(*w.kind):
		return fmt.Sprintf("the rules match other objects than %s.%s, and a handler decodes one type", path.Base(w.object.Path), w.object.Name)
	}
	return ""
}

// isOnlyFor reports whether the rules match only objects of a kind.
func (w *importedWebhook) isOnlyFor(k model.Kind) bool {
	return !slices.ContainsFunc(w.Spec.Rules, func(r admissionregistrationv1.RuleWithOperations) bool {
		return !slices.Equal(r.APIGroups, []string{k.Group}) || !slices.Equal(r.APIVersions, []string{k.Version}) ||
			slices.ContainsFunc(r.Resources, func(resource string) bool {
				plural, _, _ := strings.Cut(resource, "/")
				_, other := model.SubresourceType(resource)
				return other || plural != k.Plural
			})
	})
}

// placed returns the edits for the webhooks that are rewritten, and the state after them.
func (im *importer) placed() (e edits, after engine.State, err error) {
	im.group()
	e = im.rewrite()
	for _, h := range im.holders {
		if h.onType {
			continue
		}
		h.in = model.HandlerPackage{Dir: h.pkg.Dir, Path: h.pkg.Path, Name: h.pkg.Name}
		if err := e.create(h.file()); err != nil {
			return e, after, err
		}
	}
	after = im.Read(im.ctx, e.Edits)
	for _, h := range im.holders {
		m := equalWebhook(after.Project, h.webhooks[0])
		if !h.onType || m == nil || m.Handler == nil {
			continue
		}
		h.in = m.Handler.Package
		if !m.Handler.NeedsStub {
			for _, w := range h.webhooks {
				w.left = fmt.Sprintf("%s has a type %s already, which the handler would call", h.in.Path, h.name)
			}
		}
	}
	return e, after, nil
}

// mismatch returns the reason why a webhook does not have the expected handler, or "".
func mismatch(p *model.Project, w *importedWebhook) string {
	m := equalWebhook(p, w)
	switch {
	case m == nil:
		return "a marker on the type does not give the same webhook"
	case m.Handler == nil || m.Handler.Object.Path != w.object.Path || m.Handler.Object.Name != w.object.Name:
		return fmt.Sprintf("the generated handler would not decode %s.%s", path.Base(w.object.Path), w.object.Name)
	}
	return ""
}

// group gives each rewritten webhook a holder. Webhooks of the same kind share one only if their paths are equal.
func (im *importer) group() {
	im.holders = nil
	for _, w := range im.webhooks {
		w.holder = nil
		if w.left != "" {
			continue
		}
		taken := false
		for _, a := range im.holders {
			if a.pkg != w.Package || a.object.Path != w.object.Path || a.object.Name != w.object.Name {
				continue
			}
			taken = true
			if !slices.ContainsFunc(a.webhooks, func(o *importedWebhook) bool { return o.Mutating == w.Mutating && o.servedPath() != w.servedPath() }) {
				w.holder = a
			}
		}
		if w.holder != nil {
			w.holder.webhooks = append(w.holder.webhooks, w)
			continue
		}
		a := &holder{object: w.object, pkg: w.Package, onType: w.object.Path == w.Package.Path, webhooks: []*importedWebhook{w}}
		a.object.Alias = semantics.Alias(w.kind.Group, w.kind.Version)
		if a.onType && taken {
			w.left = "the type has another webhook of its sort at another path"
			continue
		}
		if a.onType {
			a.name = w.object.Name + "Webhook"
			a.typ, _, _ = semantics.FindType(w.Package, w.object.Name)
		} else {
			a.name = im.freeName(w, taken)
		}
		w.holder = a
		im.holders = append(im.holders, a)
	}
}

// servedPath returns the URL path of the webhook.
func (w *importedWebhook) servedPath() string { return (&model.Webhook{Spec: w.Spec}).ServedPath() }

// freeName returns a name that the package and the other holders do not use.
func (im *importer) freeName(w *importedWebhook, further bool) string {
	base := w.object.Name
	if further {
		label, _, _ := strings.Cut(w.Spec.Name, ".")
		base = model.Camel(label)
	}
	for n := 0; ; n++ {
		name := base + "Webhook"
		switch {
		case n == 1:
			name = base + "Handler"
		case n > 1:
			name = fmt.Sprintf("%sHandler%d", base, n)
		}
		_, taken := w.Package.Type(name)
		if !taken && !slices.ContainsFunc(im.holders, func(h *holder) bool { return h.pkg == w.Package && h.name == name }) {
			return name
		}
	}
}

// markers returns the markers on the holder.
func (h *holder) markers() (lines []string) {
	for _, mutating := range []bool{true, false} {
		for _, w := range h.webhooks {
			if w.Mutating == mutating {
				lines = append(lines, w.markers(w.target())...)
			}
		}
	}
	return lines
}

// file returns the file of the type with the markers.
func (h *holder) file() (output.File, error) {
	base := strings.ToLower(h.object.Name)
	if short, ok := strings.CutSuffix(strings.ToLower(h.name), "webhook"); ok {
		base = short
	}
	data := map[string]any{"Package": h.in.Name, "Name": h.name, "Object": h.object.Name, "Markers": h.markers()}
	return fromTemplate(freeFile(h.in.Dir, base+".go", base+"_markers.go", base+"_webhook_markers.go"), "existing/stub.go.tmpl", data)
}

// freeFile returns the path of the first file that does not exist.
func freeFile(dir string, names ...string) string {
	for _, name := range names {
		if p := filepath.Join(dir, name); !regular.Exists(p) {
			return p
		}
	}
	return filepath.Join(dir, names[len(names)-1])
}

// importName returns an import name that contains the version: webhookv1.
func importName(importPath string) string {
	name := path.Base(importPath)
	if model.IsVersion(name) {
		name = path.Base(path.Dir(importPath)) + name
	}
	return name
}

// nextSteps returns the steps left to the user.
func (im *importer) nextSteps(after engine.State) []string {
	var next []string
	once := func(step string) {
		if !slices.Contains(next, step) {
			next = append(next, step)
		}
	}
	for _, w := range im.webhooks {
		at, function := w.builder.at, w.builder.function
		if w.left != "" {
			continue
		}
		if at.Pos.File == "" {
			once(fmt.Sprintf("remove the code that registers %s, which is in no call of NewWebhookManagedBy that import can follow: a path can be registered only once", w.servedPath()))
			continue
		}
		step := fmt.Sprintf("remove the call of NewWebhookManagedBy for %s in %s of %s: a path can be registered only once", w.object.Name, function, im.rel(at.Pos.File))
		if im.converts(w.builder) {
			step = fmt.Sprintf("remove WithValidator and WithDefaulter from the call of NewWebhookManagedBy for %s in %s of %s, and keep the rest: it also serves /convert", w.object.Name, function, im.rel(at.Pos.File))
		}
		for _, left := range im.webhooks {
			if left.left != "" && left.builder.at == at {
				step = fmt.Sprintf("keep the call of NewWebhookManagedBy in %s of %s for %s alone: a path can be registered only once", function, im.rel(at.Pos.File), left.servedPath())
			}
		}
		once(step)
	}
	for _, w := range im.webhooks {
		if w.left != "" {
			continue
		}
		function := w.builder.function
		if fields := w.side.text; w.side.hasFields {
			once(fmt.Sprintf("give %s the fields that %s sets: %s", w.holder.name, function, fields))
		}
		for _, lost := range append(slices.Clone(w.builder.lost), w.side.options...) {
			once(fmt.Sprintf("do without %s of %s, or do it yourself: %s", lost, function, lostEffect(lost)))
		}
	}
	for _, w := range after.Project.Webhooks() {
		if h := w.Handler; h != nil && h.NeedsStub {
			once(fmt.Sprintf("write the code of %s in %s: its methods allow everything", h.Implementation, im.rel(filepath.Join(h.Package.Dir, h.StubFile))))
		}
	}
	for _, a := range im.holders {
		for _, w := range a.webhooks {
			if tests := filepath.Join(w.Webhook.Package.Dir, handlersTestFile); regular.Exists(tests) {
				once(fmt.Sprintf("remove %s: it tests the old handlers", im.rel(tests)))
			}
		}
	}
	if im.Program != "" {
		return append(next, im.test())
	}
	for _, a := range im.holders {
		for _, step := range im.registration(a.in, after) {
			once(step)
		}
	}
	return append(next, im.test())
}

// registration returns the step that registers the handlers of a package and, if several functions have set up its
// types, a step that leaves types out, because a program may not call all of these functions.
func (im *importer) registration(in model.HandlerPackage, after engine.State) []string {
	name := importName(in.Path)
	var functions, all, ofFirst, others []string
	for _, w := range after.Project.Webhooks() {
		h := w.Handler
		if h == nil || h.Package.Path != in.Path {
			continue
		}
		field := fmt.Sprintf("%s: &%s.%s{}", h.Type, name, h.Implementation)
		if slices.Contains(all, field) {
			continue
		}
		all = append(all, field)
		function := ""
		for _, holder := range im.holders {
			if holder.in.Path == in.Path && holder.marked() == h.Type {
				function = holder.webhooks[0].builder.function
			}
		}
		if function != "" && !slices.Contains(functions, function) {
			functions = append(functions, function)
		}
		if len(functions) > 0 && function == functions[0] {
			ofFirst = append(ofFirst, field)
		} else {
			others = append(others, fmt.Sprintf("w.%s.%s = true", model.WithoutField, h.Type))
		}
	}
	const register = "Register(mgr.GetWebhookServer().Register)"
	steps := []string{fmt.Sprintf("register the handlers of %s: %s.Webhooks{%s}.%s", im.rel(in.Dir), name, strings.Join(all, ", "), register)}
	if len(functions) > 1 {
		steps = append(steps, fmt.Sprintf("or register them where they have been set up, if the program does not call all of %s. Leave the other types out, as for %s: w := %s.Webhooks{%s}; %s; w.%s",
			strings.Join(functions, ", "), functions[0], name, strings.Join(ofFirst, ", "), strings.Join(others, "; "), register))
	}
	return steps
}

// converts reports whether controller-runtime registers /convert for a builder: it has a converter, or the type of its
// objects has methods for conversions.
func (im *importer) converts(b builder) bool {
	if slices.ContainsFunc(b.lost, func(call string) bool { return strings.HasPrefix(call, "WithConverter(") }) {
		return true
	}
	p, err := im.before.Module.Locate(im.ctx, b.object.Path)
	if err != nil {
		return false
	}
	for r := range functions(p, " Hub()", " ConvertTo(") {
		if load.Receiver(r.function) == b.object.Name && (r.function.Name.Name == "Hub" || r.function.Name.Name == "ConvertTo") {
			return true
		}
	}
	return false
}

// lostEffect returns the effect of a removed call or option of the builder.
func lostEffect(call string) string {
	name, _, _ := strings.Cut(call, "(")
	effect, known := map[string]string{
		"RecoverPanic":       "handlers answer a panic with 500",
		"WithContextFunc":    "a handler has the context of the HTTP request",
		"WithConverter":      "the builder also served /convert",
		"WithLogConstructor": "handlers log to slog.Default()",
		"admission.DefaulterRemoveUnknownOrOmitableFields": "a defaulter keeps the members that the Go type lacks",
	}[name]
	if !known {
		return "generated handlers have no such option"
	}
	return effect
}

// SPDX-License-Identifier: Apache-2.0

package project

import (
	"fmt"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/build"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/kubebuilder"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/internal/regular"
)

const (
	adaptersModule = engine.AdaptersModule
	// theirModule has Validator[T] since theirMinimum, which adaptersModule requires.
	theirModule  = "sigs.k8s.io/controller-runtime"
	theirMinimum = "v0.23.0"
)

// adapter is a type with methods for generated handlers that stands for the webhooks of a Go type.
type adapter struct {
	object model.GoType
	// pkg has the markers of the webhooks.
	pkg *load.Package
	// name is the name of the type.
	name string
	// onType is true if the markers are on typ, the type of the objects. Else they are on the adapter.
	onType   bool
	typ      build.APIType
	webhooks []*importedWebhook
	// in is the package of the adapter.
	in model.HandlerPackage
	// fields are its validators and defaulters.
	fields []adapterField
}

// marked returns the name of the type that has the markers.
func (a *adapter) marked() string {
	if a.onType {
		return a.object.Name
	}
	return a.name
}

// onTypes returns the edits that put markers on types and write their handlers, and the project after them. Webhooks
// for which this is not possible are left as they are.
func (im *importer) onTypes() (e edits, after engine.State, err error) {
	version, replaced := engine.RequiredVersion(im.Root, theirModule)
	if replaced {
		version = "" // unknown
	}
	for _, w := range im.webhooks {
		if w.left == "" {
			w.left = im.obstacle(w, version)
		}
	}
	for again := true; again; {
		im.leaveTogether()
		if e, after, err = im.placed(); err != nil {
			return e, after, err
		}
		again = false
		for _, a := range im.adapters {
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

// leaveTogether leaves all webhooks at a path if one of them is left, because one handler serves them.
func (im *importer) leaveTogether() {
	for _, left := range im.webhooks {
		for _, w := range im.webhooks {
			if left.left != "" && w.left == "" && w.servedPath() == left.servedPath() && w.Mutating == left.Mutating {
				w.left = fmt.Sprintf("%s has the same path and is not imported", left.Spec.Name)
			}
		}
	}
}

// warn reports the markers that stay, at their positions in the new text or, in a dry run, in the old one.
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

// obstacle returns the reason why a webhook cannot have a handler; empty without one.
func (im *importer) obstacle(w *importedWebhook, version string) string {
	role, method := "validator", "ValidateCreate"
	if w.Mutating {
		role, method = "defaulter", "Default"
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
	case im.options.Handlers == Stubs:
		return ""
	}
	for _, rule := range w.Spec.Rules {
		for _, o := range rule.Operations {
			if o == admissionregistrationv1.Connect || w.Mutating && (o == admissionregistrationv1.Delete || o == admissionregistrationv1.OperationAll) {
				return fmt.Sprintf("a %s of controller-runtime has no method for the operation %s", role, o)
			}
		}
	}
	switch {
	case w.existing.style >= styleObject: // needs no adapter of another module
	case version != "" && semver.Compare(version, theirMinimum) < 0:
		return fmt.Sprintf("adapters need %s %s, and go.mod requires %s", theirModule, theirMinimum, version)
	}
	if p := w.existing.typ.Path; !w.existing.hidden && !token.IsExported(w.existing.typ.Name) && (p != w.Package.Path || p == w.object.Path) {
		return fmt.Sprintf("%s is not exported, and the handler goes to another package", w.existing.typ.Name)
	}
	return ""
}

// isOnlyFor reports whether the rules match nothing but objects of a kind.
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

// placed returns the edits for the webhooks that are not left, and the project after them.
func (im *importer) placed() (e edits, after engine.State, err error) {
	im.group()
	e = im.rewrite()
	for _, a := range im.adapters {
		if a.onType {
			continue
		}
		a.in = model.HandlerPackage{Dir: a.pkg.Dir, Path: a.pkg.Path, Name: a.pkg.Name}
		if err := e.create(im.file(a, a.holderMarkers())); err != nil {
			return e, after, err
		}
	}
	after = im.Read(im.ctx, e.Edits)
	further := len(e.Create)
	for _, a := range im.adapters {
		m := same(after.Project, a.webhooks[0])
		if !a.onType || m == nil || m.Handler == nil {
			continue
		}
		a.in = m.Handler.Package
		if !m.Handler.NeedsStub {
			for _, w := range a.webhooks {
				w.left = fmt.Sprintf("%s has a type %s already, which the handler would call", a.in.Path, a.name)
			}
			continue
		}
		if im.options.Handlers == Stubs {
			continue
		}
		if err := e.create(im.file(a, nil)); err != nil {
			return e, after, err
		}
	}
	if len(e.Create) > further {
		after.Reread(im.ctx, e.Edits)
	}
	return e, after, nil
}

// mismatch returns the reason why a webhook has not the handler that its adapter is written for.
func mismatch(p *model.Project, w *importedWebhook) string {
	m := same(p, w)
	switch {
	case m == nil:
		return "a marker on the type does not give the same webhook"
	case m.Handler == nil || m.Handler.Object.Path != w.object.Path || m.Handler.Object.Name != w.object.Name:
		return fmt.Sprintf("the generated handler would not decode %s.%s", path.Base(w.object.Path), w.object.Name)
	}
	return ""
}

// group gives every webhook that is not left an adapter. Webhooks of one sort share it only if they share their path.
func (im *importer) group() {
	im.adapters = nil
	for _, w := range im.webhooks {
		w.adapter = nil
		if w.left != "" {
			continue
		}
		taken := false
		for _, a := range im.adapters {
			if a.pkg != w.Package || a.object.Path != w.object.Path || a.object.Name != w.object.Name {
				continue
			}
			taken = true
			if !slices.ContainsFunc(a.webhooks, func(o *importedWebhook) bool { return o.Mutating == w.Mutating && o.servedPath() != w.servedPath() }) {
				w.adapter = a
			}
		}
		if w.adapter != nil {
			w.adapter.webhooks = append(w.adapter.webhooks, w)
			continue
		}
		a := &adapter{object: w.object, pkg: w.Package, onType: w.object.Path == w.Package.Path, webhooks: []*importedWebhook{w}}
		a.object.Alias = build.Alias(w.kind.Group, w.kind.Version)
		if a.onType && taken {
			w.left = "the type has another webhook of its sort at another path"
			continue
		}
		if a.onType {
			a.name = w.object.Name + "Webhook"
			a.typ, _, _ = build.FindType(w.Package, w.object.Name)
		} else {
			a.name = im.freeName(w, taken)
		}
		w.adapter = a
		im.adapters = append(im.adapters, a)
	}
}

// servedPath is the path at which the webhook is called.
func (w *importedWebhook) servedPath() string { return (&model.Webhook{Spec: w.Spec}).ServedPath() }

// freeName returns a name that the package and the other adapters do not use.
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
		if !taken && !slices.ContainsFunc(im.adapters, func(a *adapter) bool { return a.pkg == w.Package && a.name == name }) {
			return name
		}
	}
}

// holderMarkers returns the markers on the adapter.
func (a *adapter) holderMarkers() (lines []string) {
	for _, mutating := range []bool{true, false} {
		for _, w := range a.webhooks {
			if w.Mutating == mutating {
				lines = append(lines, w.markers(w.target())...)
			}
		}
	}
	return lines
}

// adapterFile is the data of the template.
type adapterFile struct {
	Package, Name, Object, Called string
	Markers, Contracts            []string
	Imports                       []goImport
	Fields                        []adapterField
	Methods                       []adapterMethod
}

// adapterField has a validator or defaulter.
type adapterField struct {
	Name, Type string
	existing   *existing
}

// adapterMethod is a method of the adapter, and Called the method that it calls.
type adapterMethod struct{ Name, Operation, Context, Called, Code string }

// file returns the file of an adapter or, for Stubs, of the type with the markers.
func (im *importer) file(a *adapter, markers []string) (output.File, error) {
	base := strings.ToLower(a.object.Name)
	if short, ok := strings.CutSuffix(strings.ToLower(a.name), "webhook"); ok && !a.onType {
		base = short
	}
	f := adapterFile{Package: a.in.Name, Name: a.name, Object: a.object.Name, Markers: markers, Imports: []goImport{{"", engine.RuntimeModule + "/admission"}}}
	if im.options.Handlers == Stubs {
		return fromTemplate(freeFile(a.in.Dir, base+".go", base+"_markers.go", base+"_webhook_markers.go"), "existing/stub.go.tmpl", f)
	}
	f.Object = f.named(a, a.object)
	for _, mutating := range []bool{true, false} {
		f.side(a, mutating)
	}
	a.fields = f.Fields
	return fromTemplate(freeFile(a.in.Dir, base+"_webhook.go", base+"_handler.go", base+"_adapter.go"), "existing/adapter.go.tmpl", f)
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

// named returns the name of a type in the file, and imports its package.
func (f *adapterFile) named(a *adapter, t model.GoType) string {
	if t.Path == a.in.Path {
		return t.Name
	}
	as := a.object.Alias
	if t.Path != a.object.Path {
		as = importName(t.Path)
	}
	f.add(as, t.Path)
	return as + "." + t.Name
}

// importName is a name for a package that tells versions apart: webhookv1.
func importName(importPath string) string {
	name := path.Base(importPath)
	if model.IsVersion(name) {
		name = path.Base(path.Dir(importPath)) + name
	}
	return name
}

// add imports a package.
func (f *adapterFile) add(as, imported string) {
	if !slices.ContainsFunc(f.Imports, func(i goImport) bool { return i.Path == imported }) {
		f.Imports = append(f.Imports, goImport{as, imported})
	}
}

// side adds the methods of the mutating or the validating webhooks.
func (f *adapterFile) side(a *adapter, mutating bool) {
	var rules []admissionregistrationv1.RuleWithOperations
	var e *existing
	var logs argument
	for _, w := range a.webhooks {
		if w.Mutating != mutating {
			continue
		}
		e, logs = w.existing, w.builder.logs
		rules = append(rules, w.Spec.Rules...)
	}
	if e == nil {
		return
	}
	role, prefix := "Validator", "Validate"
	if mutating {
		role, prefix = "Defaulter", "Default"
	}
	f.Contracts = append(f.Contracts, a.marked()+role)
	called := e.typ.Name
	if e.hidden {
		called = role
	}
	if f.Called == "" {
		f.Called = called
	} else if f.Called != called {
		f.Called += " and " + called
	}
	adapted := ""
	if e.style < styleObject {
		f.add("", adaptersModule)
		adapted = f.adapted(a, e, role, f.options(a, logs))
	}
	for _, o := range calledFor(rules) {
		if o == "Connect" { // of *
			continue
		}
		m := adapterMethod{Name: prefix + o, Operation: o, Context: "ctx", Called: called + "." + prefix + o}
		if mutating {
			m.Called = called + ".Default"
		}
		if adapted != "" {
			m.Code = fmt.Sprintf("return %s.%s(ctx, r)", adapted, m.Name)
		} else {
			m.Context, m.Code = "_", e.code(o)
		}
		f.Methods = append(f.Methods, m)
	}
}

// theirAlias is the name of controller-runtime's package admission beside the runtime's.
const theirAlias = "ctrladmission"

// adapted adds the field of a validator or defaulter, and returns the call that adapts it. A hidden one is a field of
// controller-runtime's interface: without its value, it denies.
func (f *adapterFile) adapted(a *adapter, e *existing, role, options string) string {
	object, value := "*"+f.Object, "w."+role
	if e.hidden {
		if e.style == styleCustom {
			object = "runtime.Object"
			f.add("", apimachinery)
		}
		f.add(theirAlias, theirAdmission)
		f.Fields = append(f.Fields, adapterField{role, fmt.Sprintf("%s.%s[%s]", theirAlias, role, object), e})
	} else {
		t := f.named(a, e.typ)
		value = "&w." + role
		if i := slices.IndexFunc(f.Fields, func(g adapterField) bool { return g.Type == t }); i >= 0 {
			f.Fields[i].Name, value = "Existing", "&w.Existing" // it is both
			for j := range f.Methods {
				f.Methods[j].Code = strings.Replace(f.Methods[j].Code, "&w.Defaulter", "&w.Existing", 1)
			}
		} else {
			f.Fields = append(f.Fields, adapterField{role, t, e})
		}
	}
	if e.style == styleCustom {
		return fmt.Sprintf("controllerruntime.FromCustom%s[%s](%s%s)", role, f.Object, value, options)
	}
	return fmt.Sprintf("controllerruntime.From%s(%s%s)", role, value, options)
}

// options returns the further arguments of the call that adapts a validator or defaulter.
func (f *adapterFile) options(a *adapter, logs argument) string {
	if !logs.code.Fits(a.in.Path) {
		return ""
	}
	return ", controllerruntime.WithLogConstructor(" + logs.code.Text(func(t model.GoType) string { return f.named(a, t) }) + ")"
}

// code returns the call of a method of the object itself.
func (e *existing) code(operation string) string {
	if e.mutating {
		return "r.Object.Default()\nreturn nil"
	}
	object, arguments, before := "r.Object", "", ""
	switch operation {
	case "Update":
		before, arguments = "old, err := r.OldObject()\nif err != nil {\nreturn err\n}\n", "old"
	case "Delete":
		object = "r.OldObject"
	}
	call := fmt.Sprintf("%s.Validate%s(%s)", object, operation, arguments)
	if e.style == styleObjectError {
		return before + "return " + call
	}
	return before + "warnings, err := " + call + "\nr.Warn(warnings...)\nreturn err"
}

// requireAdapters adds the module of the adapters to go.mod, if a handler calls a validator or defaulter through it.
func (im *importer) requireAdapters(result *engine.Result) error {
	uses := im.options.Handlers == Adapters && slices.ContainsFunc(im.webhooks, func(w *importedWebhook) bool {
		return w.left == "" && w.existing.style < styleObject
	})
	if version, _ := engine.RequiredVersion(im.Root, adaptersModule); version != "" || !uses {
		return nil
	}
	return im.require(result, "", adaptersModule)
}

// next returns the steps left to the user.
func (im *importer) next(after engine.State) []string {
	var next []string
	once := func(step string) {
		if !slices.Contains(next, step) {
			next = append(next, step)
		}
	}
	for _, w := range im.webhooks {
		at, function := w.builder.at, w.builder.function
		if w.left != "" || at.Pos.File == "" {
			continue
		}
		step := fmt.Sprintf("remove the call of NewWebhookManagedBy in %s of %s: a path can be registered only once", function, im.rel(at.Pos.File))
		for _, left := range im.webhooks {
			if left.left != "" && left.builder.at == at {
				step = fmt.Sprintf("keep the call of NewWebhookManagedBy in %s of %s for %s alone: a path can be registered only once", function, im.rel(at.Pos.File), left.servedPath())
			}
		}
		once(step)
	}
	for _, a := range im.adapters {
		if im.options.Handlers != Adapters {
			continue
		}
		for _, f := range a.fields {
			if field := a.testField(f); field.Hint != "" {
				where := "also in its test"
				if field.Value != nil {
					where = "as in its test"
				}
				once(fmt.Sprintf("set %s of %s to %s, %s", f.Name, a.name, field.Hint, where))
			}
		}
		for _, w := range a.webhooks {
			if w.builder.at.Pos.File == "" && w.existing.style < styleObject {
				once(fmt.Sprintf("find the code that registers %s: no call of NewWebhookManagedBy does. %s calls the methods of %s, and nothing that is around it there", w.servedPath(), a.name, w.existing.typ.Name))
			}
			if logs := w.builder.logs; logs.text != "" && w.existing.style < styleObject && !logs.code.Fits(a.in.Path) {
				once(fmt.Sprintf("pass controllerruntime.WithLogConstructor(%s) in the methods of %s, as %s does", logs.text, a.name, w.builder.function))
			}
			for _, lost := range w.builder.lost {
				once(fmt.Sprintf("do without %s of %s, or do it yourself: %s", lost, w.builder.function, lostEffect(lost)))
			}
		}
	}
	for _, w := range after.Project.Webhooks() {
		if h := w.Handler; h != nil && h.NeedsStub && im.options.Handlers == Stubs {
			once(fmt.Sprintf("write the code of %s in %s: its methods allow everything", h.Implementation, im.rel(filepath.Join(h.Package.Dir, h.StubFile))))
		}
	}
	if im.Program != "" {
		return append(next, im.test())
	}
	for _, a := range im.adapters {
		var fields []string
		for _, o := range im.adapters {
			if o.in.Path == a.in.Path {
				fields = append(fields, fmt.Sprintf("%s: &%s.%s{}", o.marked(), importName(a.in.Path), o.name))
			}
		}
		once(fmt.Sprintf("register the handlers of %s: %s.Webhooks{%s}.Register(mgr.GetWebhookServer().Register)", im.rel(a.in.Dir), importName(a.in.Path), strings.Join(fields, ", ")))
	}
	return append(next, im.test())
}

// lostEffect returns the consequence of a call of the builder that is gone.
func lostEffect(call string) string {
	name, _, _ := strings.Cut(call, "(")
	return map[string]string{
		"RecoverPanic":    "handlers answer a panic with 500",
		"WithContextFunc": "a handler has the context of the HTTP request",
		"WithConverter":   "the builder also served /convert",
	}[name]
}

// testField returns the value of a field as the builder has it. Hint is empty if the zero value is the same.
func (a *adapter) testField(f adapterField) model.TestField {
	field := model.TestField{Name: f.Name}
	for _, w := range a.webhooks {
		e := w.existing
		if e.hidden != f.existing.hidden || e.typ != f.existing.typ || w.side.text == "" || e.hidden && e.mutating != f.existing.mutating {
			continue
		}
		field.Hint = w.side.text
		if w.side.code.Fits(a.in.Path) && !slices.ContainsFunc(w.side.code, isTestVariable) {
			field.Value = w.side.code
		}
		if e.hidden {
			continue
		}
		// The field is no pointer.
		rest, literal := strings.CutPrefix(field.Hint, "&")
		field.Hint = rest
		switch {
		case rest == e.typ.Name+"{}", rest == "new("+e.typ.Name+")":
			return model.TestField{}
		case w.side.isCall && !literal:
			field.Hint, field.Value = "*"+rest, around("*", field.Value, "")
		case field.Value != nil && literal:
			field.Value = field.Value[1:]
		}
	}
	return field
}

// isTestVariable reports whether a piece of code is a variable of the test that create tests writes.
func isTestVariable(p model.CodePiece) bool {
	return p.Text == fakeClient || p.Text == "scheme" || strings.HasPrefix(p.Text, "admission.")
}

// setTests has the functions for tests set the fields of adapters.
func (im *importer) setTests(p *model.Project) {
	for _, a := range im.adapters {
		for _, f := range a.fields {
			field := a.testField(f)
			if field.Hint == "" || field.Value == nil && !f.existing.hidden {
				continue // the zero value has the methods
			}
			for _, w := range a.webhooks {
				if m := same(p, w); m != nil && m.Handler != nil {
					m.Handler.TestFields = append(m.Handler.TestFields, field)
				}
			}
		}
	}
}

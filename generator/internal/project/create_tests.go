// SPDX-License-Identifier: Apache-2.0

package project

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/crd"
	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/semantics"
	"github.com/webhook-gen/webhook-gen/generator/internal/spec"
	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// handlersTestFile is the name of the test of existing handlers.
const handlersTestFile = "webhook_handlers_test.go"

const (
	admissionV1     = "k8s.io/api/admission/v1"
	apimachinery    = "k8s.io/apimachinery/pkg/runtime"
	metaV1          = "k8s.io/apimachinery/pkg/apis/meta/v1"
	theirAdmission  = "sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	theirFakeClient = "sigs.k8s.io/controller-runtime/pkg/client/fake"
	clientGoScheme  = "k8s.io/client-go/kubernetes/scheme"
	maxCommentWidth = 200
)

// CreateTests writes a test for webhooks whose handlers the project has written itself. Each package with markers
// gets one. It constructs the handlers as in calls of controller-runtime's builder. It keeps existing files except
// go.mod, because the tests need the runtime.
func CreateTests(ctx context.Context, c Config) (Result, error) {
	run := c.Resolve()
	if _, ok := load.Root(c.Dir); !ok {
		return Result{}, errors.New("there is no go.mod here or above")
	}
	run.Kubebuilder = true // even if another tool writes their manifest
	state := run.Read(ctx, engine.Edits{})
	result := Result{Result: engine.Result{Root: run.Root, Diagnostics: state.Diagnostics}}
	if result.Diagnostics.HasErrors() {
		return result, errStopped
	}
	if len(state.Project.Webhooks()) == 0 { // then warnings explain which markers controller-gen drops
		return result, errors.New("no +kubebuilder:webhook or +webhook marker makes a webhook: tests are written for the webhooks of markers")
	}
	result.Diagnostics = run.OtherManifests(state.Project.Webhooks()) // generate and verify print other warnings
	var created []output.File
	sources := sourcesOf(ctx, run, state.Packages)
	kinds, _, _ := c.site(ctx) // Read has reported the mistakes
	for i, p := range state.Packages {
		webhooks := slices.DeleteFunc(state.Project.Webhooks(), func(w *model.Webhook) bool {
			return w.Package != p.Path || w.Handler != nil || w.ServedPath() == ""
		})
		if len(webhooks) == 0 {
			continue
		}
		test := &handlersTest{Package: p.Name, own: p.Path, Finalizers: finalizers(ctx, state.Module, p)}
		for _, w := range webhooks {
			f := search(sources[i], sources, w)
			if f.builder.object.IsZero() && !hasResource(w, f.object.Name) {
				f.own = existing{} // of another webhook
				f.object = kinds.objectOf(w)
			}
			test.add(w, f, registeredAt(sources, w.ServedPath()))
		}
		test.Repeats = test.repeats()
		if manifest := run.ManifestOf(p); regular.Exists(manifest) {
			test.Manifest = model.Relative(p.Dir, manifest)
		}
		for _, s := range run.Tests.Samples {
			test.Samples = append(test.Samples, model.Relative(p.Dir, filepath.Join(run.Root, filepath.FromSlash(s))))
		}
		definitions := run.CRDs
		if len(definitions) == 0 {
			definitions = definitionFolders(run.Root, webhooks)
		}
		for _, d := range definitions {
			test.Definitions = append(test.Definitions, model.Relative(p.Dir, filepath.Join(run.Root, filepath.FromSlash(d))))
		}
		f, err := test.file(p.Dir, engine.RuntimeModule+"/admission/admissiontest")
		if err != nil {
			return Result{}, err
		}
		if regular.Exists(f.Path) {
			continue // it belongs to the user
		}
		created = append(created, f)
		rel := cmp.Or(model.Relative(run.Root, p.Dir), ".")
		if slices.ContainsFunc(test.Handlers, func(h testedHandler) bool { return h.Code == "" }) {
			result.Next = append(result.Next, "fill in the handlers in "+path.Join(rel, handlersTestFile))
		}
		result.Next = append(result.Next, "go test ./"+path.Clean(rel)+" -run TestWebhookHandlers")
	}
	changes, found := output.Compare(run.Root, run.Heading.Above(created), nil)
	result.Changes, result.Files = changes, created
	result.LacksRuntime = run.LacksRuntime(state, created)
	result.Diagnostics.Add(found...)
	if !result.Diagnostics.HasErrors() {
		result.Result = site{Run: run, origin: c.Origin}.requireRuntime(result.Result)
	}
	return result, nil
}

// definitionFolders returns the folders with CRDs of the webhooks' kinds: config/crd, other folders below a folder
// named config and, for kinds that none of them defines, any other place in the module, such as the crds of a chart.
func definitionFolders(root string, webhooks []*model.Webhook) (folders []string) {
	const usual = "config/crd"
	if regular.Exists(filepath.Join(root, filepath.FromSlash(usual))) {
		folders = []string{usual}
	}
	kinds := definable(webhooks)
	for _, inConfig := range []bool{true, false} {
		if len(kinds) == 0 {
			break
		}
		others := func(rel string, isDir bool) bool {
			folder, name := path.Split(rel)
			if isDir {
				return strings.HasPrefix(name, ".") || name == "vendor" || name == "node_modules" || name == "testdata"
			}
			return slices.Contains(strings.Split(folder, "/"), "config") != inConfig
		}
		undefined := kinds
		for f := range load.Manifests(root, others) {
			defines := func(k definedKind) bool { return crd.Defines(f.Content, k.name, []string{k.version}) }
			if !slices.ContainsFunc(kinds, defines) {
				continue
			}
			undefined = slices.DeleteFunc(slices.Clone(undefined), defines)
			place := path.Dir(model.Relative(root, f.Path))
			if place == "." {
				place = path.Base(model.Relative(root, f.Path)) // not the whole module
			}
			if !slices.ContainsFunc(folders, func(folder string) bool { return strings.HasPrefix(place+"/", folder+"/") }) {
				folders = append(folders, place)
			}
		}
		kinds = undefined
	}
	return folders
}

// definedKind is a version of a CRD.
type definedKind struct{ name, version string }

// definable returns the kinds in the rules of webhooks that CRDs may define.
func definable(webhooks []*model.Webhook) (kinds []definedKind) {
	for _, w := range webhooks {
		for _, rule := range w.Spec.Rules {
			for _, group := range rule.APIGroups {
				for _, resource := range rule.Resources {
					for _, version := range rule.APIVersions {
						if k := (definedKind{resource + "." + group, version}); !slices.Contains(kinds, k) {
							kinds = append(kinds, k)
						}
					}
				}
			}
		}
	}
	return kinds
}

// handlersTest is the data of the template.
type handlersTest struct {
	Package  string
	Imports  []goImport
	Manifest string
	Samples  []string
	// Definitions are files, folders and globs of CRDs.
	Definitions []string
	// Finalizers are constants that code about finalizers uses.
	Finalizers []string
	Webhooks   []testedWebhook
	Handlers   []testedHandler
	// Schemes are the functions that register the types.
	Schemes []string
	// UsesTheirs is true if the test uses controller-runtime's package admission.
	UsesTheirs bool
	// UsesClient is true if a handler gets a fake client.
	UsesClient bool
	// UsesScheme is true if a handler gets the scheme.
	UsesScheme bool
	// Repeats is true if a text occurs three times, which kubebuilder's linter settings report.
	Repeats bool

	own string // import path of the package
}

// goImport is an import with its name.
type goImport struct{ Alias, Path string }

// testedWebhook is a webhook in the test.
type testedWebhook struct {
	Name, Path string
	Mutating   bool
	// Object is the name of the objects' type, or "" if it is unknown.
	Object    string
	Kinds     []model.ObjectKind
	Resources []string
	Functions []testedFunction
}

// testedFunction is the function for an operation, with the operation's constant.
type testedFunction struct{ Operation, Name string }

// testedHandler is the handler for a path. If Code is empty, Hint is the user's source.
type testedHandler struct{ Path, Code, Hint string }

// finalizers returns the names of finalizers in the functions of a package that are about finalizers: text, and
// constants of the package and of the packages that it imports.
func finalizers(ctx context.Context, module *load.Module, p *load.Package) (all []string) {
	add := func(name string, ok bool) {
		if ok && finalizerName.MatchString(name) && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	for r := range functions(p, "inalizer") {
		if begin := r.file.AST.FileStart; !bytes.Contains(r.file.Src[r.function.Pos()-begin:r.function.End()-begin], []byte("inalizer")) {
			continue
		}
		for n := range ast.Preorder(r.function) {
			switch n := n.(type) {
			case *ast.BasicLit, *ast.Ident:
				add(r.constant(n.(ast.Expr)))
			case *ast.SelectorExpr:
				from := r.named(n)
				if _, known := module.PackageName(from.Path); !known || !strings.Contains(strings.ToLower(from.Name), "finalizer") {
					continue
				}
				if imported, _ := module.Locate(ctx, from.Path); imported != nil {
					add(builderReader{pkg: imported}.constantOf(from.Name))
				}
			}
		}
	}
	slices.Sort(all)
	return all
}

// finalizerName matches the names that finalizers have: with a domain.
var finalizerName = regexp.MustCompile(`^([a-z0-9-]+\.)+[a-z0-9-]+(/[A-Za-z0-9._-]+)?$`)

// repeats reports whether a text occurs three times.
func (t *handlersTest) repeats() bool {
	times := map[string]int{}
	for _, w := range t.Webhooks {
		for _, f := range w.Functions {
			times[f.Name]++
		}
		for _, k := range w.Kinds {
			times[k.APIVersion]++
		}
	}
	for _, n := range times {
		if n >= 3 {
			return true
		}
	}
	return false
}

// objectOf returns the type of the objects of a webhook by its first rule: a type of the project or of k8s.io/api. It
// is zero for other kinds.
func (s site) objectOf(w *model.Webhook) model.GoType {
	rule := w.Spec.Rules[0]
	group, version := rule.APIGroups[0], rule.APIVersions[0]
	resource, _, _ := strings.Cut(rule.Resources[0], "/")
	if api, ok := s.api(group, version); ok {
		for _, k := range s.kinds() {
			if k.Group == group && k.Version == version && hasResource(w, k.Kind) {
				return model.GoType{Path: api.Path, Alias: semantics.Alias(group, version), Name: k.Kind}
			}
		}
	}
	for _, r := range model.BuiltinResources() {
		if r.Group == group && r.Name == resource {
			return semantics.BuiltinType(model.Kind{Group: group, Version: version, Kind: r.Kind})
		}
	}
	return model.GoType{}
}

// findBuilder returns the builder that serves a webhook, with its side. The builder has no object if none serves it. If
// kinds have the same name, the version in the import path decides.
func findBuilder(all []builder, w *model.Webhook) (first builder, its side) {
	for _, b := range all {
		for _, s := range b.sides {
			if !b.serves(s, w) {
				continue
			}
			if len(w.Spec.Rules) > 0 && slices.Contains(w.Spec.Rules[0].APIVersions, path.Base(b.object.Path)) {
				return b, s
			}
			if first.object.IsZero() {
				first, its = b, s
			}
		}
	}
	return first, its
}

// add adds a webhook with the code that serves it, or with a raw handler at its path.
func (t *handlersTest) add(w *model.Webhook, f found, raw argument) {
	object, s := f.object, f.side
	if anyKind(w) {
		object = model.GoType{Path: metaV1, Alias: "metav1", Name: "PartialObjectMetadata"}
	}
	tested := testedWebhook{Name: w.Spec.Name, Path: w.ServedPath(), Mutating: w.Mutating, Functions: testedFunctions(w, raw.text == "" && f.methods())}
	if !object.IsZero() {
		tested.Object = t.named(object)
	}
	for _, rule := range w.Spec.Rules {
		for _, resource := range rule.Resources {
			if !slices.Contains(tested.Resources, resource) {
				tested.Resources = append(tested.Resources, resource)
			}
		}
		for _, group := range rule.APIGroups {
			for _, version := range rule.APIVersions {
				if object.Path == metaV1 || object.IsZero() {
					continue
				}
				tested.Kinds = append(tested.Kinds, model.ObjectKind{APIVersion: strings.TrimPrefix(group+"/"+version, "/"), Kind: object.Name})
			}
		}
	}
	t.Webhooks = append(t.Webhooks, tested)
	if slices.ContainsFunc(t.Handlers, func(h testedHandler) bool { return h.Path == tested.Path }) {
		return
	}
	h := testedHandler{Path: tested.Path, Hint: ", such as admission.WithValidator(scheme, &Validator{})"}
	if w.Mutating {
		h.Hint = ", such as admission.WithDefaulter(scheme, &Defaulter{})"
	}
	switch {
	case raw.text != "":
		h.Hint = ": " + shortened("&admission.Webhook{Handler: "+raw.text+"}")
		if raw.code.Fits(t.own) {
			h.Code = t.uses("&admission.Webhook{Handler: " + raw.code.Text(t.named) + "}")
			t.register(object)
		}
	case !f.builder.object.IsZero():
		name := t.register(f.object)
		if s.code.Fits(t.own) {
			h.Code = t.uses(s.handler(name, s.code.Text(t.named)))
		}
		h.Hint = ": " + shortened(s.handler(name, s.text))
	case !f.methods():
		h.Hint = ", such as &admission.Webhook{Handler: &Handler{}}"
	}
	t.Handlers = append(t.Handlers, h)
}

// register registers the type of objects in the scheme, and returns its name in the test.
func (t *handlersTest) register(object model.GoType) string {
	if object.IsZero() || object.Path == metaV1 {
		return ""
	}
	name := t.named(object)
	if scheme := strings.TrimSuffix(name, object.Name) + "AddToScheme"; !slices.Contains(t.Schemes, scheme) {
		t.Schemes = append(t.Schemes, scheme)
	}
	return name
}

// uses notes what code of the test uses, and returns the code.
func (t *handlersTest) uses(code string) string {
	t.UsesTheirs = true
	t.UsesClient = t.UsesClient || usesClient.MatchString(code)
	t.UsesScheme = t.UsesScheme || usesScheme.MatchString(code)
	return code
}

// anyKind reports whether the requests of a webhook have objects of several kinds.
func anyKind(w *model.Webhook) bool {
	return slices.ContainsFunc(w.Spec.Rules, func(r admissionregistrationv1.RuleWithOperations) bool {
		return slices.Contains(r.APIGroups, "*") || slices.Contains(r.APIVersions, "*") || strings.Contains(strings.Join(r.Resources, ""), "*")
	})
}

// shortened shortens a text for one line.
func shortened(text string) string {
	const before = len("\t\t// Replace nil by the handler: ") + len("…")
	if len(text)+before > maxCommentWidth {
		return strings.ToValidUTF8(text[:maxCommentWidth-before], "") + "…"
	}
	return text
}

// handler returns the code of a handler.
func (s side) handler(object, value string) string {
	if s.typed {
		return fmt.Sprintf("admission.%s[*%s](scheme, %s)", s.function, object, value)
	}
	return fmt.Sprintf("admission.%s(scheme, &%s{}, %s)", s.function, object, value)
}

// usesClient matches code with the fake client.
var usesClient = regexp.MustCompile(`\b` + fakeClient + `\b`)

// usesScheme matches code that uses the scheme of the test.
var usesScheme = regexp.MustCompile(`\bscheme\b`)

// calledFor returns the operations in rules, in the order of an object's life.
func calledFor(rules []admissionregistrationv1.RuleWithOperations) []string {
	return slices.DeleteFunc([]string{"Create", "Update", "Delete", "Connect"}, func(o string) bool {
		operation := []admissionregistrationv1.OperationType{admissionregistrationv1.OperationType(strings.ToUpper(o))}
		return !slices.ContainsFunc(rules, func(r admissionregistrationv1.RuleWithOperations) bool { return spec.Meet(r.Operations, operation) })
	})
}

// testedFunctions returns a webhook's operations with the functions that controller-runtime calls.
func testedFunctions(w *model.Webhook, found bool) []testedFunction {
	var all []testedFunction
	for _, o := range calledFor(w.Spec.Rules) {
		name := "Validate" + o
		switch {
		case !found:
			name = "the handler of " + w.ServedPath()
		case w.Mutating:
			name = "Default"
		}
		all = append(all, testedFunction{"admissionv1." + o, name})
	}
	return all
}

// named returns the name of a type in the test, and imports its package.
func (t *handlersTest) named(g model.GoType) string {
	if g.Path == t.own {
		return g.Name
	}
	alias := g.Alias
	for _, i := range t.Imports {
		if i.Path == g.Path {
			return i.Alias + "." + g.Name
		}
		if i.Alias == alias {
			alias += "types"
		}
	}
	switch alias { // names in the test
	case "clients", "clientgoscheme", "fake", "admission", "admissionv1", "admissiontest", "runtime", "http", "testing", "scheme":
		alias += "api"
	}
	t.Imports = append(t.Imports, goImport{alias, g.Path})
	return alias + "." + g.Name
}

func (t *handlersTest) file(dir, admissiontest string) (output.File, error) {
	t.Imports = append(t.Imports, goImport{"admissionv1", admissionV1}, goImport{"", admissiontest})
	if t.UsesClient || t.UsesScheme && len(t.Schemes) == 0 {
		t.Imports = append(t.Imports, goImport{"clientgoscheme", clientGoScheme})
		t.Schemes = append(t.Schemes, "clientgoscheme.AddToScheme")
	}
	if len(t.Schemes) > 0 {
		t.Imports = append(t.Imports, goImport{"", apimachinery})
	}
	if t.UsesTheirs {
		t.Imports = append(t.Imports, goImport{"", theirAdmission})
	}
	if t.UsesClient {
		t.Imports = append(t.Imports, goImport{"", theirFakeClient})
	}
	for i, imported := range t.Imports {
		if imported.Alias == path.Base(imported.Path) {
			t.Imports[i].Alias = ""
		}
	}
	return fromTemplate(filepath.Join(dir, handlersTestFile), "existing/webhook_handlers_test.go.tmpl", t)
}

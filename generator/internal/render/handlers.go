// SPDX-License-Identifier: Apache-2.0

package render

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/convert"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

// handlerPackage is a package of handlers, with its webhooks grouped by type.
type handlerPackage struct {
	model.HandlerPackage
	types []handledType
}

// handledType is a marked type with its webhooks, mutating before validating. If webhooks share a handler, it has
// only the first of them.
type handledType struct {
	name     string
	webhooks []*model.Webhook
}

// handlers adds the Go files of all webhooks with handlers.
func handlers(files *fileList, p *model.Project, planned []*convert.Package, o Options) {
	for _, pkg := range handlerPackages(p) {
		files.add(filepath.Join(pkg.Dir, output.HandlersFile), pkg.file(), output.Generated, pkg.types[0].webhooks[0].Range)
		for _, t := range pkg.types {
			if t.webhooks[0].Handler.NeedsStub || o.AsNew {
				files.add(filepath.Join(pkg.Dir, t.webhooks[0].Handler.StubFile), pkg.stub(t), output.Once, t.webhooks[0].Range)
			}
		}
	}
	if o.Program.Dir != "" {
		files.add(ProgramFile(o.Program.Dir), newProgram(p, planned, o.Program, o).file(), output.Generated, diag.Range{})
	}
}

func handlerPackages(p *model.Project) []handlerPackage {
	var packages []handlerPackage
	for _, w := range p.Webhooks() {
		h := w.Handler
		if h == nil {
			continue
		}
		i := slices.IndexFunc(packages, func(p handlerPackage) bool { return p.Dir == h.Package.Dir })
		if i < 0 {
			i = len(packages)
			packages = append(packages, handlerPackage{HandlerPackage: h.Package})
		}
		pkg := &packages[i]
		j := slices.IndexFunc(pkg.types, func(t handledType) bool { return t.name == h.Type })
		if j < 0 {
			j = len(pkg.types)
			pkg.types = append(pkg.types, handledType{name: h.Type})
		}
		pkg.types[j].webhooks = append(pkg.types[j].webhooks, w)
	}
	for _, pkg := range packages {
		slices.SortFunc(pkg.types, func(a, b handledType) int { return strings.Compare(a.name, b.name) })
		for i, t := range pkg.types {
			slices.SortStableFunc(t.webhooks, compareMarkers)
			seen := map[*model.Handler]bool{}
			pkg.types[i].webhooks = slices.DeleteFunc(t.webhooks, func(w *model.Webhook) bool {
				again := seen[w.Handler]
				seen[w.Handler] = true
				return again
			})
		}
	}
	slices.SortFunc(packages, func(a, b handlerPackage) int { return strings.Compare(a.Dir, b.Dir) })
	return packages
}

// all returns the webhooks of all types.
func (p handlerPackage) all() (all []*model.Webhook) {
	for _, t := range p.types {
		all = append(all, t.webhooks...)
	}
	return all
}

// compareMarkers sorts the mutating webhooks of a type before its validating ones, and each group by the order of the
// markers.
func compareMarkers(a, b *model.Webhook) int {
	return cmp.Or(cmp.Compare(model.KindWord(a.Mutating), model.KindWord(b.Mutating)), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
}

// file returns the Go file of a package: the paths, the interfaces and the registration.
func (p handlerPackage) file() *jen.File {
	f := newFile(p.HandlerPackage, true)
	if p.Generated {
		describePackage(f, p.Name, "has the webhooks that +webhook markers declare")
	}
	f.ImportName(admissionPackage, "admission")
	assertRuntime(f)
	p.paths(f)
	for _, w := range p.all() {
		f.Line()
		p.contract(f, w)
	}
	f.Line()
	p.webhooks(f)
	f.Line()
	p.register(f)
	return f
}

func (p handlerPackage) paths(f *jen.File) {
	f.Add(comment("The paths at which the webhooks are served, as the manifest has them."))
	f.Const().Defs(codes(p.all(), func(w *model.Webhook) *jen.Statement {
		return jen.Id(pathName(w)).Op("=").Lit(w.ServedPath())
	})...)
}

// contract writes the interface that the user implements for a webhook.
func (p handlerPackage) contract(f *jen.File, w *model.Webhook) {
	doc(f, "%s is the %s of a +webhook:%s marker on %s.", interfaceName(w), role(w), model.KindWord(w.Mutating), w.Handler.Type)
	f.Type().Id(interfaceName(w)).Interface(codes(w.Handler.Operations, func(o string) *jen.Statement {
		return jen.Id(w.Handler.Method(w.Mutating, o)).Add(p.signature(f, w.Handler, o, "ctx", "r"))
	})...)
}

// signature returns the named parameters and the result of a method.
func (p handlerPackage) signature(f *jen.File, h *model.Handler, operation, ctx, request string) *jen.Statement {
	return jen.Params(jen.Id(ctx).Qual("context", "Context"), jen.Id(request).Op("*").Add(p.request(f, h, operation))).Error()
}

// request returns the type of an operation's requests.
func (p handlerPackage) request(f *jen.File, h *model.Handler, operation string) *jen.Statement {
	if h.Object.IsZero() {
		return jen.Qual(admissionPackage, "RawRequest")
	}
	return jen.Qual(admissionPackage, operation+"Request").Types(qualified(f, h.Object))
}

// webhooks writes the struct with the user's implementations.
func (p handlerPackage) webhooks(f *jen.File) {
	f.Add(comment("Webhooks has the validators and defaulters of this package's webhooks."))
	f.Type().Id("Webhooks").StructFunc(func(g *jen.Group) {
		for _, t := range p.types {
			g.Id(t.name).Add(contracts(t))
		}
		g.Add(comment("%s are the types whose webhooks are not served. Their validators and defaulters may be nil.", p.without()))
		g.Id(p.without()).Struct(codes(p.types, func(t handledType) *jen.Statement { return jen.Id(t.name).Bool() })...)
	})
}

// without returns the name of the field that lists types whose webhooks are not served.
func (p handlerPackage) without() string {
	if slices.ContainsFunc(p.types, func(t handledType) bool { return t.name == model.WithoutField }) {
		return model.WithoutField + "Types"
	}
	return model.WithoutField
}

// register writes the method that creates the handlers.
func (p handlerPackage) register(f *jen.File) {
	f.Add(comment("Register calls handle with the path and the handler of each webhook. handle can be (*http.ServeMux).Handle or"))
	f.Add(comment("the method Register of controller-runtime's webhook server. The options go to every handler."))
	f.Func().Params(jen.Id("w").Id("Webhooks")).Id("Register").Params(
		jen.Id("handle").Func().Params(jen.Id("path").String(), jen.Id("handler").Qual("net/http", "Handler")),
		jen.Id("options").Op("...").Qual(admissionPackage, "Option"),
	).Error().BlockFunc(func(g *jen.Group) {
		for _, t := range p.types {
			g.If(jen.Id("w").Dot(t.name).Op("==").Nil().Op("&&").Op("!").Id("w").Dot(p.without()).Dot(t.name)).Block(
				jen.Return(jen.Qual("errors", "New").Call(jen.Lit(p.Name + ".Webhooks: " + t.name + " is nil: set it to your " + roles(t) + ", for example &" + t.webhooks[0].Handler.Implementation + "{}"))),
			)
		}
		for _, t := range p.types {
			g.If(jen.Op("!").Id("w").Dot(p.without()).Dot(t.name)).BlockFunc(func(g *jen.Group) {
				for _, w := range t.webhooks {
					g.Id("handle").Call(jen.Id(pathName(w)), p.handler(f, w, t.name))
				}
			})
		}
		g.Return(jen.Nil())
	})
}

// handler returns the expression that creates a webhook's handler.
func (p handlerPackage) handler(f *jen.File, w *model.Webhook, field string) *jen.Statement {
	h := w.Handler
	return jen.Qual(admissionPackage, model.Upper(model.KindWord(w.Mutating))).CallFunc(func(g *jen.Group) {
		g.Line().Lit(w.Spec.Name)
		for _, k := range h.Kinds {
			g.Line().Qual(admissionPackage, "ForKind").Call(jen.Lit(k.APIVersion), jen.Lit(k.Kind))
		}
		for _, o := range handlerOptions(h) {
			g.Line().Add(o.call)
		}
		if len(h.Deprecations) > 0 {
			g.Line().Qual(admissionPackage, "Deprecated").CallFunc(func(g *jen.Group) {
				for _, d := range h.Deprecations {
					g.Line().Qual(admissionPackage, "Deprecation").ValuesFunc(func(g *jen.Group) {
						g.Id("Field").Op(":").Lit(d.Field())
						if d.Value != "" {
							g.Id("Value").Op(":").Lit(d.Value)
						}
						g.Id("Message").Op(":").Lit(d.Message)
					})
				}
				g.Line()
			})
		}
		for _, l := range h.ListKeys {
			g.Line().Qual(admissionPackage, "ListKeys").Types(qualified(f, l.Struct)).Call(lits(slices.Insert(slices.Clone(l.Keys), 0, l.Member))...)
		}
		for _, o := range h.Operations {
			method := jen.Id("w").Dot(field).Dot(h.Method(w.Mutating, o))
			if h.Object.IsZero() {
				g.Line().Qual(admissionPackage, "On").Call(jen.Qual(admissionPackage, o), method)
			} else {
				g.Line().Qual(admissionPackage, "On"+o).Call(method)
			}
		}
		g.Line()
	}).Dot("With").Call(jen.Id("options").Op("..."))
}

func interfaceName(w *model.Webhook) string {
	return w.Handler.Type + w.Handler.Suffix + model.Upper(role(w))
}

// role returns "validator" or "defaulter".
func role(w *model.Webhook) string {
	if w.Mutating {
		return "defaulter"
	}
	return "validator"
}

// roles returns the roles of a type's webhooks, mutating before validating.
func roles(t handledType) string {
	first, last := role(t.webhooks[0]), role(t.webhooks[len(t.webhooks)-1])
	if first == last {
		return first
	}
	return first + " and " + last
}

func pathName(w *model.Webhook) string {
	return model.Upper(model.VerbWord(w.Mutating)) + w.Handler.Type + w.Handler.Suffix + "Path"
}
